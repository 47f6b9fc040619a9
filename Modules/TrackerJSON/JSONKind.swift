package enum JSONKind: UInt8, Hashable, Sendable, CaseIterable {
    case object
    case array
    case string
    /// A number, of any size and precision.
    case number
    case boolean
    case null

    /// The kind of value that starts with `byte`, if any does.
    init?(firstByte byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"): self = .object
        case UInt8(ascii: "["): self = .array
        case UInt8(ascii: "\""): self = .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): self = .number
        case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .boolean
        case UInt8(ascii: "n"): self = .null
        default: return nil
        }
    }
}
