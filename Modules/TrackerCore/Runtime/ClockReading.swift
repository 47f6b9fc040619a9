import TrackerModels

/// The instant of a decision, by both clocks.
struct ClockReading: Hashable, Sendable {
    var now: MonotonicInstant
    var wall: Timestamp
}
