import TrackerModels

/// The version of what a read has seen. Reads of the same version see the same.
package struct ReadVersion: Hashable, Sendable {
    /// Which opening of the database it was.
    let opening: Int
    /// What the database counts of the changes by others.
    let changes: Int64
}
