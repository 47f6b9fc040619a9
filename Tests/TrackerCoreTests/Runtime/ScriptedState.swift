import TestSupport
import Testing
import TrackerModels
import TrackerStorage

@testable import TrackerCore

/// Plays a random life of a client: every caller is answered, and lanes are used one after the other.
struct ScriptedState<Policy: StubPolicy> {
    let seed: UInt64

    /// What the runtime would be doing for a run.
    private enum Work: Hashable {
        case open(Int), prepare(Int), close(Int)
        case reset(Int)
    }

    func play(_ generator: inout SeededGenerator) throws {
        var harness = try StateHarness<Policy>()
        var work: [Work] = []
        var lanes: Set<Int> = []
        var asked = (calls: 0, initializes: 0, resets: 0, flushes: 0, afters: 0, ends: 0)
        var placed: [Int] = []
        var performed = (resets: 0, flushes: 0, afters: 0)

        func record(_ harness: StateHarness<Policy>) {
            for action in harness.actions {
                let words = action.split(separator: " ").map(String.init)
                let number = words.last.flatMap { Int($0) } ?? 0
                switch words[0] {
                case "stage": placed.append(Int(words[1]) ?? 0)
                case "refuse": placed.append(Int(words[1]) ?? 0)
                case "commit":
                    performed.resets += 1
                    if Policy.policy.resetEndsRun { work.append(.reset(number)) }
                case "barrier": performed.afters += 1
                case "flush" where number > 0: performed.flushes += 1
                case "open":
                    #expect(lanes.isEmpty, "seed \(seed): \(lanes) open while \(number) opens, \(harness.history)")
                    lanes.insert(number)
                    work.append(.open(number))
                case "prepare": work.append(.prepare(number))
                case "close", "end": if !work.contains(.close(number)) { work.append(.close(number)) }
                default: break
                }
            }
        }

        func advance(_ harness: inout StateHarness<Policy>, _ fails: Bool) {
            guard !work.isEmpty else { return }
            let broken = TrackerError(.storage, "broken")
            switch work.removeFirst() {
            case .open(let number):
                harness.handle { fails ? $0.finished(number, .failure(broken)) : $0.opened(number) }
            case .prepare(let number):
                let refused = TrackerError(.sessionCreationFailed, "refused")
                harness.handle { $0.finished(number, fails ? .failure(refused) : .success(())) }
            case .close(let number):
                lanes.remove(number)
                harness.handle { $0.closed(number) }
            case .reset(let number):
                let full = StorageError(.full, "full")
                _ = harness.resetEnded(fails ? ChangeResult(.failed(full)) : ChangeResult(.done, .sample()), in: number)
            }
            record(harness)
        }

        for _ in 0..<60 {
            let settings = try StubSettings("a", generator.pick([.ignored(hasOthers: true), .updates, .replaces]))
            harness.cannotBegin = generator.once(in: 10)
            switch generator.number(0...11) {
            case 0...3:
                _ = harness.call()
                asked.calls += 1
            case 4, 5:
                _ = generator.once(in: 6) ? harness.initializeWrongly() : harness.initialize(settings)
                asked.initializes += 1
            case 6:
                _ = harness.reset()
                asked.resets += 1
            case 7:
                _ = harness.flush()
                asked.flushes += 1
            case 8:
                _ = harness.after()
                asked.afters += 1
            case 9 where generator.once(in: 6):
                _ = harness.shutDown()
                asked.ends += 1
            case 10 where generator.once(in: 6) && harness.state.lifecycle == .ready: _ = harness.disabled()
            case 11 where generator.once(in: 6) && !Policy.policy.resetEndsRun:
                // The time for `initialize` is over while the lane is still being opened.
                _ = harness.finished(TrackerError(.sessionCreationFailed, "late"))
            default: harness.rest()
            }
            record(harness)
            if generator.once(in: 2) { advance(&harness, generator.once(in: 6)) }
        }
        _ = harness.shutDown()
        asked.ends += 1
        record(harness)
        while !work.isEmpty { advance(&harness, false) }

        let answers = harness.answers.all
        func count(_ prefix: String) -> Int { answers.count { $0.hasPrefix(prefix) } }
        #expect(placed.sorted() == Array(1..<(asked.calls + 1)), "seed \(seed)")
        #expect(count("initialized") + count("not initialized") == asked.initializes, "seed \(seed)")
        #expect(count("flushed") + performed.flushes == asked.flushes, "seed \(seed)")
        #expect(count("after") + performed.afters == asked.afters, "seed \(seed)")
        #expect(count("shut down") == asked.ends, "seed \(seed)")
        #expect(lanes.isEmpty && harness.state.leaving.isEmpty, "seed \(seed): \(lanes) \(harness.history)")
    }
}
