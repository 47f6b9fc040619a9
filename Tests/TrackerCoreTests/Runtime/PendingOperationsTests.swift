import TestSupport
import Testing
import TrackerModels
import TrackerStorage

@testable import TrackerCore

@Suite("What waits for a client")
struct PendingOperationsTests {
    typealias Pending = PendingOperations<StubModel<Holding>>

    @Test(
        "comes out in order, by whichever way, as from a plain list", arguments: Seeds.cases(of: "pending operations"))
    func asAList(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var pending = Pending()
        var model: [Int] = []
        // Calls are even, others odd.
        var next = 0

        for _ in 0..<400 {
            switch generator.number(0...9) {
            case 0...3:
                pending.append(.call(Self.call(next * 2)))
                model.append(next * 2)
                next += 1
            case 4:
                pending.append(Self.flush(next * 2 + 1))
                model.append(next * 2 + 1)
                next += 1
            case 5, 6:
                #expect(
                    pending.popFirst().map(Self.number) == (model.isEmpty ? nil : model.removeFirst()), "seed \(seed)")
            case 7:
                let index = model.firstIndex { $0 % 2 == 1 }
                #expect(pending.popFirstOther().map(Self.number) == index.map { model.remove(at: $0) }, "seed \(seed)")
            case 8:
                // Every third call goes, every fourth becomes its neighbour.
                let removed = pending.replaceCalls { old in
                    old.call % 3 == 0 ? nil : old.call % 4 == 0 ? Self.call(old.call + 2) : old
                }
                #expect(removed.map(\.call) == model.filter { $0 % 6 == 0 }, "seed \(seed)")
                model = model.filter { $0 % 6 != 0 }.map { $0 % 4 == 0 ? $0 + 2 : $0 }
                #expect(pending.allCalls.map(\.call) == model.filter { $0 % 2 == 0 }, "seed \(seed)")
            default:
                let index = model.firstIndex { $0 % 2 == 0 }
                #expect(pending.popOldestCall()?.call == index.map { model.remove(at: $0) }, "seed \(seed)")
            }
            #expect(pending.calls == model.filter { $0 % 2 == 0 }.count, "seed \(seed)")
            #expect(pending.isEmpty == model.isEmpty, "seed \(seed)")
            #expect(pending.bytes == pending.calls * StubModel<Holding>.weight(of: 0), "seed \(seed)")
        }
        let leading = model.prefix { $0 % 2 == 0 }
        #expect(pending.popLeadingCalls().map(\.call) == Array(leading), "seed \(seed)")
    }

    @Test("says whether a call would wait although initialize was not called")
    func leavesIdle() throws {
        var pending = Pending()
        #expect(pending.leavesIdle(true))
        #expect(!pending.leavesIdle(false))

        pending.append(.change(try StateHarness<Holding>().change()))
        pending.append(.call(Self.call(0)))
        #expect(pending.leavesIdle(false))
        pending.append(.initialize(Initialization(settings: .success(try StubSettings("a")), completion: { _ in })))
        pending.append(Self.flush(1))
        #expect(!pending.leavesIdle(true))
    }

    private static func call(_ number: Int) -> PendingCall<Int> {
        let stamp = CallStamp(
            messageID: .of("m\(number)"), occurredAt: Timestamp(milliseconds: 0), number: number)
        return PendingCall(call: number, stamp: stamp)
    }

    private static func flush(_ number: Int) -> TrackerCore.Operation<StubModel<Holding>> {
        .flush(PendingFlush(deadline: .seconds(number)) { _ in })
    }

    private static func number(_ operation: TrackerCore.Operation<StubModel<Holding>>) -> Int {
        switch operation {
        case .call(let call): call.call
        case .flush(let flush): Int(flush.deadline / .seconds(1))
        case .initialize, .turnOff, .change, .forget, .after: -1
        }
    }
}
