/// What became of the events of a person who was forgotten.
public struct ForgetReport: Hashable, Sendable {
    /// How many events were erased, of those that waited and those that the server had refused, in all queues of the
    /// state folder.
    public let erased: Int
    /// How many events this client's queue has delivered since it was made, of anyone. Whose they were is not kept: a list
    /// of whose events were delivered would be what a person wants to have forgotten. With 0, none of theirs was.
    public let deliveredOfAnyone: Int
}
