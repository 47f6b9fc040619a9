/// The version of the product, as the `User-Agent` header, `host.info` and the Node package give it.
public enum ProductVersion {
    /// A semantic version.
    public static let current = "1.0.0"
}
