package import TrackerModels
import TrackerStorage

/// What servers have refused of all clients of a state folder, for a program that is no client itself.
package struct RefusedFolder: Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// The events, of each client the oldest first. The folder is read without changing anything in it.
    ///
    /// - Throws: `storage` if its database cannot be read.
    package func events(
        of client: ClientName?, matching filter: RefusedFilter
    ) throws(TrackerError) -> [(client: ClientName, origin: String, event: RefusedEvent)] {
        try lanes(of: client, matching: filter).flatMap { lane, events in
            events.map { (ClientName(lane.kind), lane.origin, $0) }
        }
    }

    /// Does something with the events. The clients of the folder, in whatever process, find what is queued again at
    /// their next call, flush or start.
    ///
    /// - Returns: How many there were.
    /// - Throws: `storage` if the disk refuses.
    package func change(
        of client: ClientName?, matching filter: RefusedFilter, _ action: RefusedAction
    ) throws(TrackerError) -> Int {
        var count = 0
        for (lane, _) in try lanes(of: client, matching: filter) { count += try change(lane, filter, action) }
        return count
    }

    /// The lanes that have such events.
    private func lanes(
        of client: ClientName?, matching filter: RefusedFilter
    ) throws(TrackerError) -> [(LaneIdentity, [RefusedEvent])] {
        do throws(StorageError) {
            return try StateInspection.refused(in: StateFolder(path: path))
                .filter { lane, _ in client == nil || ClientName(lane.kind) == client }
                .map { ($0, $1.map(RefusedEvent.init).filter(filter.matches)) }
                .filter { !$1.isEmpty }
        } catch {
            throw TrackerError(.storage, error.message)
        }
    }

    private func change(
        _ lane: LaneIdentity, _ filter: RefusedFilter, _ action: RefusedAction
    ) throws(TrackerError) -> Int {
        // A full queue takes no more: what waits is worth as much as what is queued again.
        var configuration = OutboxConfiguration(
            location: .folder(path), lane: lane, keyPrefix: lane.keyPrefix, bindsSessions: false, wallClock: { .now })
        // How much is kept is the client's to say, and for how long.
        configuration.refused = .unbounded
        let outbox = SQLiteOutbox(configuration)
        defer { ThreadWait.answer { done in outbox.close { done(()) } } }
        do throws(StorageError) {
            _ = try ThreadWait.answer { outbox.open(completion: $0) }.get()
            return try ThreadWait.answer { outbox.change(refused: filter, action, completion: $0) }.get()
        } catch {
            throw TrackerError(.storage, error.message)
        }
    }
}
