import TrackerModels
import TrackerStorage

/// The figures of one client, as metrics show them.
package struct ClientMetrics: Sendable {
    var refusedCalls: [RefusalReason: Int] = [:]
    /// Its lane; `nil` if it has none.
    var lane: QueueMetrics?

    /// Those of a client that has counted nothing.
    package init() {}

    init(refusedCalls: [RefusalReason: Int] = [:], lane: QueueMetrics?) {
        (self.refusedCalls, self.lane) = (refusedCalls, lane)
    }

    /// Adds the calls that another client has refused, without its lane.
    package mutating func add(refusedCallsOf other: ClientMetrics) {
        refusedCalls.merge(other.refusedCalls, uniquingKeysWith: +)
    }
}

extension ClientMetrics {
    /// The figures of the clients whose lanes are in a state folder, as they are on disk.
    ///
    /// - Parameter path: The folder; nothing in it is changed.
    /// - Throws: `storage` if its database cannot be read.
    package static func inFolder(_ path: String) throws(TrackerError) -> [(client: ClientName, metrics: ClientMetrics)]
    {
        do throws(StorageError) {
            return try StateInspection(StateFolder(path: path)).lanes.map { lane in
                (ClientName(lane.identity.kind), ClientMetrics(lane: QueueMetrics(lane)))
            }
        } catch {
            throw TrackerError(.storage, error.message)
        }
    }
}
