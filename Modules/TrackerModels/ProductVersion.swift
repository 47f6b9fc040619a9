/// The name and the version of the product, as its programs print them and its requests carry them.
///
/// This is the one place to change it: `make generate` writes it into the packages.
package enum ProductVersion {
    /// The product's name, with which the `User-Agent` header begins.
    package static let product = "mobile-tracker"

    package static let current = "0.1.0"
}
