import TrackerModels
import TrackerNetworking
import TrackerStorage

/// Halts: since when and why, when the next try is, and the question for credentials before it.
extension DeliveryState {
    /// A halt of delivery.
    struct Halt: Hashable, Sendable {
        /// The answer that began it.
        let reason: String
        /// The status of that answer; `nil` if delivery halts for want of a key.
        var status: Int?
        let since: Timestamp
        /// When the next request finds out whether the server is well again; `nil`: never.
        var nextTry: MonotonicInstant?
        /// The number of that request, once it is under way.
        var trial: Int?
        /// Whether the program was asked for credentials for it.
        var hasAsked = false

        /// What the log says of it.
        static func sentence(_ reason: String, nextTry: Duration?) -> String {
            let end = nextTry.map { ", or the next try, in \(FieldCheck.text($0)), finds the server well" } ?? ""
            return
                "\(reason). Delivery is halted and the queue kept until the client is initialized again or gets other "
                + "credentials\(end)."
        }

        /// The value of the lane that shows it to those who only see the folder.
        static let key = StoredKey.own(StateInspection.haltName)

        /// Its text: a JSON object.
        func text(at reading: ClockReading, process: Int32) -> String {
            let next = nextTry.map { reading.wall.advanced(by: reading.now.duration(to: $0)) }
            let value: JSONValue = [
                "reason": .string(reason), "since": .string(since.description),
                "nextTry": next.map { .string($0.description) } ?? .null, "process": JSONValue(Int(process)),
            ]
            return value.description
        }
    }

    /// There is no key, and nobody has given one. Delivery halts, or does so again, unless one came meanwhile.
    ///
    /// - Parameter reason: Why; `nil` if that was said before, or nobody knows.
    mutating func lackKey(_ reason: String? = nil, at reading: ClockReading) {
        guard dialect.lacksKey else { return }
        lack = (reason ?? lack?.reason ?? "There is no key", reading.wall)
        halt(again: reading.now)
    }

    /// Whether to ask for credentials before the queue is read: in a halt once before each try.
    mutating func takeQuestion() -> Bool {
        guard case .halted(var halt) = phase, !halt.hasAsked else { return false }
        halt.hasAsked = true
        phase = .halted(halt)
        return true
    }

    /// The halt of delivery, if it has halted and the queue is kept.
    var halt: Halt? { if case .halted(let halt) = phase { halt } else { nil } }

    /// The halt, until delivery begins to end.
    var haltToKeep: Halt? { closesBy == nil ? halt : nil }

    /// Whether the server has refused the credentials.
    var isHalted: Bool {
        switch phase {
        case .halted, .disabled: true
        case .opening, .firstSession, .withoutSession, .started: false
        }
    }

    /// Halts delivery for a while more: the request that was to find out has failed.
    mutating func halt(again now: MonotonicInstant) {
        guard case .halted(var halt) = phase else { return }
        halt.nextTry = haltRetry.map { now.advanced(by: $0) }
        halt.trial = nil
        halt.hasAsked = false
        phase = .halted(halt)
    }
}
