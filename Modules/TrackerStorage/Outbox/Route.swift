/// Where a record goes: which request carries it.
///
/// The number is kept on disk, so it never changes for a case.
package enum Route: Int, Hashable, Sendable, CaseIterable {
    case event = 1
    /// A customer profile, and before it, if it names a new user, the identification.
    case profile = 2
    /// A session's metadata, which are sent as part of the customer profile.
    case metadata = 3
    case location = 4
    case email = 5
    /// A link from another session to this one.
    case link = 6
    /// An event that travels in a batch.
    case batch = 7
    /// An event that travels in a small group to one endpoint.
    case endpoint = 8
}
