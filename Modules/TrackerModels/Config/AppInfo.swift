/// The application that events come from, as `context.app` of every event.
public struct AppInfo: Hashable, Sendable {
    /// Its name, such as `Shop`.
    public var name: String?
    /// Its version, such as `1.2.3`.
    public var version: String?
    /// Its build, such as `417`.
    public var build: String?
    /// Its identifier, such as `com.example.shop`.
    public var namespace: String?

    /// Describes an application. The events carry only what you give.
    public init(name: String? = nil, version: String? = nil, build: String? = nil, namespace: String? = nil) {
        self.name = name
        self.version = version
        self.build = build
        self.namespace = namespace
    }
}
