/// What a configuration has that is no value: a place for messages, and functions.
///
/// None can be compared, so configurations that differ in nothing else are equal.
package struct ClientHooks: Hashable, Sendable {
    package var log: (any TrackerLog)?
    package var beforeSend: BeforeSend?
    package var credentials: CredentialsProvider?

    package static func == (lhs: ClientHooks, rhs: ClientHooks) -> Bool { true }

    package func hash(into _: inout Hasher) {}
}
