import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

/// The front of a queue, and when a dialect sees it.
struct SampleFront {
    var peek: Peek
    var wantedThrough: Int64 = 0
    var reading = ClockReading.seconds(0)

    static func sample(
        _ records: [Record], lastSequence: Int64? = nil, at seconds: Double = 0, wanted: Int64 = 0, wall: Int64 = 0
    ) -> SampleFront {
        var state = LaneState.sample(session: nil, device: nil, queued: records.count)
        state.lastSequence = lastSequence ?? records.last?.sequence ?? 0
        return SampleFront(
            peek: Peek(state: state, records: records, entries: [:]), wantedThrough: wanted,
            reading: ClockReading(now: .seconds(seconds), wall: Timestamp(milliseconds: wall)))
    }
}

extension Dialect {
    mutating func plan(_ front: SampleFront) -> Intention {
        plan(front.peek, wantedThrough: front.wantedThrough, at: front.reading)
    }
}

extension Record {
    /// Events of a batch, numbered so.
    static func events(_ numbers: ClosedRange<Int64>, bytes: Int? = nil) -> [Record] {
        numbers.map { number in
            let body = #"{"type":"track","event":"E\#(number)"}"#
            let filled = bytes.map { #"{"a":"\#(String(repeating: "x", count: max(0, $0 - 8)))"}"# } ?? body
            return .sample(number, route: .batch, body: filled)
        }
    }
}

extension Intention {
    /// The plan, if something is to be sent.
    var plan: Plan? { if case .work(.send(let plan)) = self { plan } else { nil } }

    /// When to look again, if nothing is due before.
    var heldUntil: MonotonicInstant? { if case .hold(let until) = self { until } else { nil } }

    /// Whether there is nothing to send.
    var isRest: Bool { if case .rest = self { true } else { false } }
}

/// What a verdict is, without its sentences.
enum VerdictKind: Hashable {
    case delivered, progress, regroup, halt, disable
    case retry(Duration)
    case discard(DropReason)
    case refused([Record.ID], others: Verdict.Others)

    init(_ verdict: Verdict) {
        switch verdict {
        case .delivered: self = .delivered
        case .progress: self = .progress
        case .retry(let floor, _): self = .retry(floor)
        case .regroup: self = .regroup
        case .discard(let reason, _): self = .discard(reason)
        case .refused(let records, _, let others, _): self = .refused(records.map(\.id), others: others)
        case .halt: self = .halt
        case .disable: self = .disable
        }
    }
}
