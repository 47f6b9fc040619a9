import TrackerModels

/// Makes unique identifiers.
package protocol IDGenerator: Sendable {
    /// A UUID in lower case, such as `6f0c7e85-3c1d-4a52-9c0b-1f2e3d4c5b6a`.
    func uuid() -> String
}

extension IDGenerator {
    /// A UUID as a message's key.
    ///
    /// Every UUID is a valid one, so the second one is never made.
    func messageID() -> MessageID { MessageID(uuid()) ?? messageID() }
}

/// UUIDs from the system's source of randomness.
package struct RandomIDGenerator: IDGenerator {
    package init() {}

    package func uuid() -> String { UUIDText.random() }
}
