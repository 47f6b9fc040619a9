/// What became of a damaged database's queue.
package struct DatabaseRecovery: Hashable, Sendable {
    /// The name of the file that was set aside.
    package var setAside: String
    /// Records that could still be read.
    package var carriedOver: Int
    /// Records that could not; `nil` if the number is unknown.
    package var lost: Int?
}
