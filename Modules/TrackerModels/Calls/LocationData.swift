/// A place on earth.
public struct LocationData: Hashable, Sendable {
    /// Degrees north, from -90 to 90.
    public var latitude: Double
    /// Degrees east, from -180 to 180.
    public var longitude: Double
    /// The radius of uncertainty in metres; at least 0.
    public var accuracy: Double

    /// Makes a place. The call that takes it checks the ranges.
    public init(latitude: Double, longitude: Double, accuracy: Double) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
    }

    /// Whether every number is within its range.
    package var isValid: Bool {
        (-90...90).contains(latitude) && (-180...180).contains(longitude) && accuracy >= 0 && accuracy.isFinite
    }
}
