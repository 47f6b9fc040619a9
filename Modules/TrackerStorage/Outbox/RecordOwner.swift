import TrackerModels

/// A client of an outbox, for as long as it uses a lane.
package struct RecordOwner: Hashable, Sendable {
    private let client: ObjectIdentifier
    private let run: Int

    package init(_ client: AnyObject, run: Int) {
        self.client = ObjectIdentifier(client)
        self.run = run
    }
}
