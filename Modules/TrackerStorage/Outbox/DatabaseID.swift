/// Names a database: the records and generations of another one mean nothing in it, though they have the same numbers.
package struct DatabaseID: Hashable, Sendable {
    /// Where a database keeps it.
    static let query = "SELECT value FROM meta WHERE name = 'database'"

    /// A random number.
    let number: Int64
}
