import TrackerModels

package protocol IDGenerator: Sendable {
    /// A UUID in lower case, such as `6f0c7e85-3c1d-4a52-9c0b-1f2e3d4c5b6a`.
    func uuid() -> String
}

extension IDGenerator {
    /// A UUID as a message's key; every UUID is a valid one.
    func messageID() -> MessageID { MessageID(accepted: uuid()) }
}

package struct RandomIDGenerator: IDGenerator {
    package init() {}

    package func uuid() -> String { UUIDText.random() }
}
