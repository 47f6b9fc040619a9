/// A string that equals another only if their UTF-8 is the same.
///
/// `String` itself compares by canonical equivalence: `é` as one scalar and as two are equal to it.
struct ExactString: Hashable, Sendable {
    let string: String

    init(_ string: String) {
        self.string = string
    }

    static func == (one: ExactString, other: ExactString) -> Bool {
        one.string.utf8.count == other.string.utf8.count && one.string.utf8.elementsEqual(other.string.utf8)
    }

    func hash(into hasher: inout Hasher) {
        let isHashed: Void? = unsafe string.utf8.withContiguousStorageIfAvailable { utf8 in
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(utf8))
        }
        if isHashed == nil {
            for byte in string.utf8 { hasher.combine(byte) }
        }
        hasher.combine(UInt8(0xFF))
    }
}
