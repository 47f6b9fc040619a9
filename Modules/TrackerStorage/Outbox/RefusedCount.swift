package import TrackerModels

/// How much is kept apart in a lane.
package struct RefusedCount: Hashable, Sendable {
    package var records = 0
    /// The bytes of their bodies.
    package var bytes = 0
    package var reasons: [DropReason: Int] = [:]
}
