/// Who delivers the lane, as far as this process knows. One process does, by the lane's lock.
enum Possession: Hashable, Sendable {
    /// This process has not tried to take the lane.
    case untried
    /// This process has the lane.
    case held
    /// This process has let others have the lane.
    case released
    /// Another process had it at the last try.
    case elsewhere
}
