/// What holds for every request of one loop.
public struct TransportConfiguration: Hashable, Sendable {
    /// How request bodies may be made smaller.
    public enum Compression: String, Hashable, Sendable, CaseIterable {
        /// Bodies of at least the threshold are sent as gzip, where that makes them smaller.
        case gzip
        /// Bodies are sent as they are.
        case none
    }

    /// The `User-Agent` of every request, such as `mobile-tracker/0.1.0 (Linux)`.
    public var userAgent: String
    /// Whether bodies are compressed.
    public var compression: Compression
    /// The smallest body that is compressed, in bytes.
    public var compressionThreshold: Int
    /// The path of a PEM file with the certificate authorities to trust; `nil` for the system's.
    public var caBundle: String?
    /// The proxy's URL; `nil` for what the environment says (`https_proxy`, `no_proxy` and so on), empty for none.
    public var proxy: String?
    /// How long setting up a connection may take, within the time of its request.
    public var connectTimeout: Duration
    /// The largest body of an answer that is read, in bytes; of an answer with a larger one the status alone counts.
    ///
    /// Its headers may not exceed this or 256 KiB.
    public var maxResponseBytes: Int

    /// Describes a transport.
    public init(
        userAgent: String,
        compression: Compression = .gzip,
        compressionThreshold: Int = 1024,
        caBundle: String? = nil,
        proxy: String? = nil,
        connectTimeout: Duration = .seconds(10),
        maxResponseBytes: Int = 1 << 20
    ) {
        self.userAgent = userAgent
        self.compression = compression
        self.compressionThreshold = compressionThreshold
        self.caBundle = caBundle
        self.proxy = proxy
        self.connectTimeout = connectTimeout
        self.maxResponseBytes = maxResponseBytes
    }
}
