/// What a session's creation tells the backend about the device.
public struct DeviceInfo: Hashable, Sendable {
    /// The installation's identifier.
    public let deviceId: String
    /// `iOS`, `iPadOS`, `MacOS`, `Linux`, `Windows` or `Android`.
    public let osName: String
    /// `Mobile`, `Tablet` or `Desktop`.
    public let deviceType: String

    /// Describes a device.
    public init(deviceId: String, osName: String, deviceType: String) {
        self.deviceId = deviceId
        self.osName = osName
        self.deviceType = deviceType
    }
}

/// A place on earth.
public struct LocationData: Hashable, Sendable {
    /// Degrees north, from -90 to 90.
    public let latitude: Double
    /// Degrees east, from -180 to 180.
    public let longitude: Double
    /// The radius of uncertainty in metres, at least 0.
    public let accuracy: Double

    /// Describes a place; the call that takes it checks the ranges.
    public init(latitude: Double, longitude: Double, accuracy: Double) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
    }

    /// Whether every number is within its range.
    public var isValid: Bool {
        (-90...90).contains(latitude) && (-180...180).contains(longitude) && accuracy >= 0 && accuracy.isFinite
    }
}
