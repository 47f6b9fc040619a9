/// Knows where the device is.
public protocol LocationProvider: Sendable {
    /// The place of the device. Throw if it is not available: the tracker logs the failure and goes on.
    func location() async throws -> LocationData
}
