/// The application that events come from, as every event's `context.app` tells of it.
public struct AppInfo: Hashable, Sendable {
    /// Its name, such as `Shop`.
    public var name: String?
    /// Its version, such as `1.2.3`.
    public var version: String?
    /// Its build, such as `417`.
    public var build: String?
    /// Its identifier, such as `com.example.shop`.
    public var namespace: String?

    /// Describes an application; what is left out is left out of the events.
    public init(name: String? = nil, version: String? = nil, build: String? = nil, namespace: String? = nil) {
        self.name = name
        self.version = version
        self.build = build
        self.namespace = namespace
    }
}
