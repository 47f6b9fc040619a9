import Synchronization

/// Something that happens once, whoever comes first.
public final class Once: Sendable {
    private let isClaimed = Atomic(false)

    /// Makes one that nobody has claimed.
    public init() {}

    /// Whether the caller is the first.
    public func claim() -> Bool { !isClaimed.exchange(true, ordering: .acquiringAndReleasing) }
}
