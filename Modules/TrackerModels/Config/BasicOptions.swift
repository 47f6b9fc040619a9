/// The options of a basic tracker: its own, and those of delivery. Its checks, its debug information and the bridge
/// are made from them.
package struct BasicOptions: Hashable, Sendable {
    /// Past this many events the oldest is dropped; `nil`: as the delivery options say, and 100 in memory.
    package var maxQueueSize: Int?
    /// Whether informative and debug messages are logged.
    package var debug: Bool
    /// Whether anything is tracked; `nil`: as the environment says.
    package var enabled: Bool?
    package var delivery: DeliveryOptions
    private var hooks = ClientHooks()
    /// The program's own function that sees each call before it is stored.
    package var beforeSend: BeforeSend? {
        get { hooks.beforeSend }
        set { hooks.beforeSend = newValue }
    }
    /// Gives the tracker its key and headers.
    package var credentials: CredentialsProvider? {
        get { hooks.credentials }
        set { hooks.credentials = newValue }
    }

    package init(
        maxQueueSize: Int? = nil, debug: Bool? = nil, enabled: Bool? = nil,
        delivery: DeliveryOptions = DeliveryOptions()
    ) {
        self.maxQueueSize = maxQueueSize
        self.enabled = enabled
        self.debug = debug ?? false
        self.delivery = delivery
    }

    /// How many events are held in memory unless the options say otherwise.
    package static let memoryBound = 100

    /// The options that are not about delivery.
    package static let options: [ConfigOption<BasicOptions>] = [
        .enabled(\.enabled),
        .integer(
            "maxQueueSize", \.maxQueueSize, absence: "as `maxQueuedEvents`, \(memoryBound) in memory",
            "Past this many events the oldest is dropped"),
        .boolean("debug", \.debug, "Whether informative and debug messages are logged"),
    ]
}
