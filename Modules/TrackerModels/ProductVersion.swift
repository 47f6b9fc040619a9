/// What the product is called and which version it is, as every program and every request of it says.
///
/// This is the one place to change it: `make generate` writes it into the packages.
public enum ProductVersion {
    /// The product's name, with which the `User-Agent` header begins.
    public static let product = "mobile-tracker"

    /// A semantic version.
    public static let current = "0.1.0"
}
