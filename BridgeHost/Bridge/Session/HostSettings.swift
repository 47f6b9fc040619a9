import TrackerModels

/// What a host is started with, as far as its clients are concerned.
public struct HostSettings: Hashable, Sendable {
    /// The state folder of a configuration that names none; `nil`: the system's usual place.
    public var storageDirectory: String?

    /// The longest message that is taken, in bytes.
    public var maxMessageBytes: Int

    /// Describes a start.
    public init(storageDirectory: String? = nil, maxMessageBytes: Int = 16 << 20) {
        self.storageDirectory = storageDirectory
        self.maxMessageBytes = maxMessageBytes
    }

    /// The delivery options of a configuration that names nothing.
    var delivery: DeliveryOptions { DeliveryOptions(storageDirectory: storageDirectory) }
}
