import TrackerModels
import TrackerNetworking
import TrackerStorage

/// Halts: since when and why, when the next try is, and the question for credentials before it.
extension DeliveryState {
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

    /// The credentials that requests go out with, and who is asked for others.
    struct CurrentCredentials: Sendable {
        /// How often they were replaced, by another dialect.
        private(set) var era = 0
        /// Why there is no key to send anything with, and since when, if there is none.
        private(set) var lack: (reason: String, since: Timestamp)?
        /// The number of the client that is asked, where several share the lane.
        var leader = 0
        /// The clients that were asked after a 401, while no answer has shown since that there are good ones.
        private var asked: Set<Int> = []

        mutating func replace(lackingKey lacksKey: Bool) {
            era += 1
            if !lacksKey { lack = nil }
        }

        /// There is no key.
        ///
        /// - Parameter reason: Why; `nil` if that was said before, or nobody knows.
        mutating func lackKey(_ reason: String?, since: Timestamp) {
            lack = (reason ?? lack?.reason ?? "There is no key", since)
        }

        /// Whether to ask for others: each client once after the server has refused its key.
        mutating func asks(isKeyRefused: Bool) -> Bool { isKeyRefused && asked.insert(leader).inserted }

        /// The server has taken them.
        mutating func accepted() { asked = [] }
    }

    /// There is no key, and nobody has given one. Delivery halts, or does so again, unless one came meanwhile.
    ///
    /// - Parameter reason: Why; `nil` if that was said before, or nobody knows.
    mutating func lackKey(_ reason: String? = nil, at reading: ClockReading) {
        guard dialect.lacksKey else { return }
        credentials.lackKey(reason, since: reading.wall)
        halt(again: reading.now)
    }

    /// Whether to ask for credentials before the queue is read: in a halt once before each try.
    mutating func takeQuestion() -> Bool {
        guard let halt, !halt.hasAsked else { return false }
        self.halt?.hasAsked = true
        return true
    }

    /// Takes the halt that the lane has to show now: `nil` inside if there is none, or delivery has begun to end.
    ///
    /// - Returns: `nil` if the lane shows it already.
    mutating func takeHaltToShow() -> Halt?? {
        guard !isHaltShown else { return nil }
        isHaltShown = true
        return .some(closesBy == nil ? halt : nil)
    }

    /// Whether the server has refused the credentials.
    var isHalted: Bool { halt != nil || isDisabled }

    /// Halts delivery for a while more: the request that was to find out has failed.
    mutating func halt(again now: MonotonicInstant) {
        guard var halt else { return }
        halt.nextTry = policy.nextTry(after: now)
        halt.trial = nil
        halt.hasAsked = false
        self.halt = halt
    }
}
