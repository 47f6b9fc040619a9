public import TrackerModels
import TrackerPlatform

/// The settings of every request of one loop.
public struct TransportConfiguration: Hashable, Sendable {
    /// The `User-Agent` of every request, such as `mobile-tracker/0.1.0 (Linux)`.
    public var userAgent: String
    /// How bodies of at least ``compressionThreshold`` are compressed.
    public var compression: DeliveryOptions.Compression
    /// The smallest body that is compressed, in bytes.
    public var compressionThreshold: Int
    /// The path of a PEM file with the certificate authorities to trust; `nil` for the system's.
    public var caBundle: String?
    /// The path of a PEM file with the client's own certificate; `nil` for none. It needs ``clientKey``.
    public var clientCertificate: String?
    /// The path of a PEM file with the key of ``clientCertificate``, without a passphrase.
    public var clientKey: String?
    /// The proxy's URL. With `nil` the environment names it (`https_proxy`, `no_proxy` and so on); an empty text means
    /// no proxy.
    public var proxy: String?
    /// The largest body of an answer that is read, in bytes. If the body is larger, only the status of the answer
    /// counts.
    ///
    /// The headers of an answer may have 256 KiB, or this many bytes if that is less.
    public var maxResponseBytes: Int

    /// Makes a configuration. What you leave out has its default, which is that of ``DeliveryOptions`` where it has the
    /// same option.
    public init(
        userAgent: String,
        compression: DeliveryOptions.Compression = DeliveryOptions().compression,
        compressionThreshold: Int = DeliveryOptions().compressionThreshold,
        caBundle: String? = nil,
        clientCertificate: String? = nil,
        clientKey: String? = nil,
        proxy: String? = nil,
        maxResponseBytes: Int = 1 << 20
    ) {
        self.userAgent = userAgent
        self.compression = compression
        self.compressionThreshold = compressionThreshold
        self.caBundle = caBundle
        self.clientCertificate = clientCertificate
        self.clientKey = clientKey
        self.proxy = proxy
        self.maxResponseBytes = maxResponseBytes
    }
}

extension TransportConfiguration {
    /// The first option whose file cannot be used, and why; `nil` if all can.
    ///
    /// Looks at the files as they are now. ``identityFault`` says whether they hold a certificate and its key.
    package var fileFault: OptionFault? {
        for (option, path) in [
            ("caBundle", caBundle), ("clientCertificate", clientCertificate), ("clientKey", clientKey),
        ] {
            if let path, let reason = Self.fault(ofFile: path) { return OptionFault(option, reason) }
        }
        return nil
    }

    /// Why a file cannot be read; `nil` if it can.
    private static func fault(ofFile path: String) -> OptionFault.Reason? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            let detail = unsafe String(cString: strerror(errno))
            return .invalid(.unreadableFile, ["path": .string(path), "detail": .string(detail)])
        }
        defer { close(descriptor) }
        var status = stat()
        let kind = unsafe fstat(descriptor, &status) == 0 ? status.st_mode & S_IFMT : S_IFDIR
        // libcurl would wait for what a pipe or a device has to say.
        guard kind != S_IFREG else { return nil }
        return .invalid(kind == S_IFDIR ? .folder : .device, ["path": .string(path)])
    }
}
