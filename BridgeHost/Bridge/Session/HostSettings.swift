import TrackerCore
import TrackerModels

/// What a host is started with, as far as its clients are concerned.
public struct HostSettings: Hashable, Sendable {
    /// The name of the program that the host works for. State is kept in a folder of this name, so that two programs
    /// share neither session nor user.
    public var appName: String

    /// The state folder of a configuration that names none; `nil`: the program's usual place.
    public var storageDirectory: String?

    /// The longest message that is taken, in bytes.
    public var maxMessageBytes: Int

    /// Describes a start.
    public init(
        appName: String = "default", storageDirectory: String? = nil, maxMessageBytes: Int = 16 << 20
    ) {
        self.appName = appName
        self.storageDirectory = storageDirectory
        self.maxMessageBytes = maxMessageBytes
    }

    /// The delivery options of a configuration that names nothing.
    var delivery: DeliveryOptions {
        DeliveryOptions(storageDirectory: storageDirectory ?? DeliveryOptions.standardDirectory(ofProgram: appName))
    }
}
