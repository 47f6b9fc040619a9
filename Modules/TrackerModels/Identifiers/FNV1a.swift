/// The hash FNV-1a with 64 bits, the same in every process and version: it distinguishes, but does not protect.
///
/// Offset and prime are those of RFC 9923.
package enum FNV1a {
    package static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    }

    /// The hash in 16 hexadecimal digits.
    package static func text(_ bytes: some Sequence<UInt8>) -> String {
        let text = String(hash(bytes), radix: 16)
        return String(repeating: "0", count: 16 - text.count) + text
    }
}
