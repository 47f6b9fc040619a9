import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore

@Suite("What waits for a client")
struct PendingOperationsTests {
    @Test("comes out in order, by whichever door, as from a plain list", arguments: Seeds.cases(of: "held items"))
    func asAList(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var items = PendingOperations()
        var model: [Int] = []
        // Calls are even, others odd.
        var next = 0

        for _ in 0..<400 {
            switch generator.number(0...8) {
            case 0...3:
                items.append(.call(Self.call(next * 2)))
                model.append(next * 2)
                next += 1
            case 4:
                items.append(Self.flush(.milliseconds(next * 2 + 1)))
                model.append(next * 2 + 1)
                next += 1
            case 5, 6:
                #expect(
                    items.popFirst().map(Self.number) == (model.isEmpty ? nil : model.removeFirst()), "seed \(seed)")
            case 7:
                let index = model.firstIndex { $0 % 2 == 1 }
                #expect(items.popFirstOther().map(Self.number) == index.map { model.remove(at: $0) }, "seed \(seed)")
            default:
                let index = model.firstIndex { $0 % 2 == 0 }
                let oldest = items.popOldestCall().map { Self.number(.call($0)) }
                #expect(oldest == index.map { model.remove(at: $0) }, "seed \(seed)")
            }
            #expect(items.calls == model.filter { $0 % 2 == 0 }.count, "seed \(seed)")
            #expect(items.isEmpty == model.isEmpty, "seed \(seed)")
        }
        let leading = model.prefix { $0 % 2 == 0 }
        #expect(items.popLeadingCalls().map { Self.number(.call($0)) } == Array(leading), "seed \(seed)")
    }

    @Test("tells whether a call would wait for an initialize that nobody has asked for")
    func leavesIdle() {
        var items = PendingOperations()
        #expect(items.leavesIdle(true))
        #expect(!items.leavesIdle(false))

        items.append(.reset(nil, { _ in }))
        items.append(.call(Self.call(0)))
        #expect(items.leavesIdle(false))
        items.append(.initialize(InitOptions(writeKey: "k", ingestionHost: "https://a.b"), { _ in }))
        items.append(Self.flush(.zero))
        #expect(!items.leavesIdle(true))
    }

    private static func call(_ number: Int) -> HeldCall {
        HeldCall(
            call: .track(event: "\(number)", properties: nil), messageID: .of("m\(number)"), hasCallerKey: false,
            time: Timestamp(milliseconds: 0), uptime: .zero, completion: { _ in })
    }

    private static func flush(_ timeout: Duration) -> HeldItem {
        .flush(WaitingFlush(timeout: timeout, since: .zero) { _ in })
    }

    private static func number(_ item: HeldItem) -> Int {
        switch item {
        case .call(let held): Int(held.call.name) ?? -1
        case .flush(let flush): Int(flush.timeout / .milliseconds(1))
        case .initialize, .reset, .after: -1
        }
    }
}
