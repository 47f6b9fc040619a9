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
        proxy: String? = nil,
        maxResponseBytes: Int = 1 << 20
    ) {
        self.userAgent = userAgent
        self.compression = compression
        self.compressionThreshold = compressionThreshold
        self.caBundle = caBundle
        self.proxy = proxy
        self.maxResponseBytes = maxResponseBytes
    }
}

extension TransportConfiguration {
    /// Why ``caBundle`` cannot be used, as the rest of a sentence with its path; `nil` if it can be read, or is `nil`.
    ///
    /// Looks at the file as it is now. Whether it holds certificates shows at the first connection.
    package var caBundleFault: String? {
        guard let caBundle else { return nil }
        let descriptor = unsafe open(caBundle, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            return "must be a file that can be read. \(caBundle): \(unsafe String(cString: strerror(errno)))"
        }
        defer { close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            return "must be a file, and \(caBundle) is a folder"
        }
        return nil
    }
}

/// A proxy's URL, whose password no message may show.
package struct ProxyURL {
    private let text: String
    private let url: WebURL

    /// Takes a proxy as it is configured.
    package init(_ text: String) {
        self.text = text
        url = WebURL(text, userInfo: .anywhere)
    }

    /// The proxy that a request goes through.
    ///
    /// - Parameters:
    ///   - setting: The proxy that is configured; `nil` for the environment's.
    ///   - isSecure: Whether the request is `https`.
    ///   - environment: Looks up a variable.
    /// - Returns: `nil` if no proxy is known.
    static func find(_ setting: String?, isSecure: Bool, environment: (String) -> String?) -> ProxyURL? {
        // The names that libcurl looks at. In capitals, HTTP_PROXY could be a header of a request to a CGI program.
        let names = (isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
        let text = setting ?? names.lazy.compactMap(environment).first { !$0.isEmpty }
        return text.map(ProxyURL.init)
    }

    /// Its host and port; `nil` if it has none.
    var name: String? { url.authority.isEmpty ? nil : String(url.authority) }

    package var masked: String {
        guard let password else { return text }
        return text[..<password.lowerBound] + Secret(String(text[password])).masked + text[password.upperBound...]
    }

    /// A message of libcurl; if it quotes this URL, the password is masked.
    func masked(in message: String) -> String {
        // A long message is cut: look for what stands before the password, and leave out the rest.
        guard let password, let place = message.place(of: String(text[..<password.lowerBound])) else { return message }
        return message[..<place.lowerBound] + masked + "'"
    }

    private var password: Range<String.Index>? {
        guard let userInfo = url.userInfo, let colon = userInfo.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return nil
        }
        return text.utf8.index(after: colon)..<userInfo.endIndex
    }
}
