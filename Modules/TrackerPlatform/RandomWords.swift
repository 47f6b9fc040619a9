import Synchronization

/// Random words from the system's source, asked for in blocks: a system call for each id would be a large part of a call.
package enum RandomWords {
    private static let block = Mutex(Block())

    /// A new word, fit for secrets. No word is given twice, not in a forked child either.
    package static func next() -> UInt64 { block.withLock { $0.next() } }

    @safe private struct Block {
        #if os(Linux)
            /// How many words are left, then the words. The system empties the page in a forked child.
            private let page: UnsafeMutablePointer<UInt64>?

            /// `getentropy` gives at most 256 bytes.
            private static let words = 31

            init() {
                let size = 4096
                let memory = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                guard let memory = unsafe memory, unsafe memory != MAP_FAILED else {
                    unsafe page = nil
                    return
                }
                // MADV_WIPEONFORK, since Linux 4.14 (madvise(2)).
                guard unsafe madvise(memory, size, 18) == 0 else {
                    unsafe munmap(memory, size)
                    unsafe page = nil
                    return
                }
                unsafe page = memory.bindMemory(to: UInt64.self, capacity: size / 8)
            }

            mutating func next() -> UInt64 {
                guard let page = unsafe page else { return .random(in: .min ... .max) }
                if unsafe page[0] == 0 {
                    guard unsafe getentropy(page + 1, Self.words * 8) == 0 else { return .random(in: .min ... .max) }
                    unsafe page[0] = UInt64(Self.words)
                }
                let place = Int(unsafe page[0])
                let word = unsafe page[place]
                // Who reads this memory later learns no id of before.
                unsafe page[place] = 0
                unsafe page[0] -= 1
                return word
            }
        #else
            // The system's own source keeps a block.
            mutating func next() -> UInt64 { .random(in: .min ... .max) }
        #endif
    }
}
