import Synchronization

/// Something that happens once, at the first attempt.
public final class Once: Sendable {
    private let isClaimed = Atomic(false)

    /// Makes one that is not claimed.
    public init() {}

    /// Whether the caller is the first.
    public func claim() -> Bool { !isClaimed.exchange(true, ordering: .acquiringAndReleasing) }
}
