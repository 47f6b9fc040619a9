import TrackerCore
import TrackerModels

/// The settings of a host that its clients use.
package struct HostSettings: Hashable, Sendable {
    /// The name of the program that the host works for. State is kept in a folder of this name, so that two programs
    /// share neither session nor user.
    package var appName: String

    /// The state folder of a configuration that names none; `nil`: the program's usual place.
    package var storageDirectory: String?

    /// Whether clients post to the development collector, unless their configuration says otherwise.
    package var collectorPanel: Bool

    /// The longest message that is taken, in bytes.
    package var maxMessageBytes: Int

    /// Whether calls are recorded for a test, and neither disk nor network is used.
    package var isRecording: Bool

    package init(
        appName: String, storageDirectory: String?, collectorPanel: Bool = false, maxMessageBytes: Int,
        isRecording: Bool = false
    ) {
        self.isRecording = isRecording
        self.appName = appName
        self.storageDirectory = storageDirectory
        self.collectorPanel = collectorPanel
        self.maxMessageBytes = maxMessageBytes
    }

    /// The delivery options of a configuration that names nothing.
    var delivery: DeliveryOptions {
        DeliveryOptions(
            storageDirectory: storageDirectory ?? DeliveryOptions.usualDirectory(ofProgram: appName),
            collectorPanel: collectorPanel)
    }
}
