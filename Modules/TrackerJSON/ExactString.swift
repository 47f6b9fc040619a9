/// A string that equals another only if their UTF-8 is the same.
///
/// `String` itself compares by canonical equivalence: `é` as one scalar and as two are equal to it.
package struct ExactString: Hashable, Sendable {
    package let string: String

    package init(_ string: String) {
        self.string = string
    }

    package static func == (one: ExactString, other: ExactString) -> Bool {
        one.string.hasSameUTF8(as: other.string)
    }

    package func hash(into hasher: inout Hasher) {
        let isHashed: Void? = unsafe string.utf8.withContiguousStorageIfAvailable { utf8 in
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(utf8))
        }
        if isHashed == nil {
            for byte in string.utf8 { hasher.combine(byte) }
        }
        hasher.combine(UInt8(0xFF))
    }
}
