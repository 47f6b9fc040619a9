import Foundation
import TrackerCore
import TrackerModels

/// Those who call one tracker.
struct Callers: Sendable {
    /// How they call.
    enum Mode: String {
        case each, callers, enqueue
    }

    let tracker: MobileTracker
    /// How many calls are made, by all of them together.
    let count: Int

    func run(_ mode: Mode) async {
        switch mode {
        case .each: await callEach(count)
        case .callers: await atOnce { await callEach(count / 8) }
        case .enqueue: await atOnce { await enqueue(count / 8) }
        }
    }

    /// Eight of them at the same time.
    private func atOnce(_ body: @escaping @Sendable @concurrent () async -> Void) async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { await body() } }
        }
    }

    @concurrent
    private func callEach(_ count: Int) async {
        for number in 0..<count {
            check(await tracker.track(eventName: "PURCHASE", attributes: attributes(number), metadata: metadata))
        }
    }

    @concurrent
    private func enqueue(_ count: Int) async {
        var receipts: [CallReceipt] = []
        receipts.reserveCapacity(count)
        for number in 0..<count {
            receipts.append(tracker.enqueue(.track("PURCHASE", attributes(number), metadata: metadata)))
        }
        for receipt in receipts { check(await receipt.outcome) }
    }

    private func check(_ outcome: TrackOutcome) {
        if case .queued = outcome { return }
        FileHandle.standardError.write(Data("not queued: \(outcome)\n".utf8))
        exit(1)
    }

    /// What differs from call to call, so that it is made each time.
    private func attributes(_ number: Int) -> Properties {
        [
            "total": 149.99, "order": .init(number), "currency": "EUR", "gift": true, "note": nil,
            "text": "a customer who came from the landing page of the spring sale and paid at once by card",
        ]
    }

    private var metadata: Properties {
        ["flow_id": "checkout_v2", "session_number": 17, "screen": "Cart", "locale": "de-AT"]
    }
}
