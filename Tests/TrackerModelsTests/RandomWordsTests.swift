import Foundation
import Testing
import TrackerPlatform

@Suite("Random words")
struct RandomWordsTests {
    #if os(Linux)
        static let haveBlock = true
    #else
        // The system's own source keeps one.
        static let haveBlock = false
    #endif

    @Test("leave nothing of themselves in the block that they come from", .enabled(if: haveBlock))
    func wiped() throws {
        let block = try #require(try Block.find(), "No page that is wiped in a forked child gives the words")

        var used = (0..<200).map { _ in RandomWords.next() }
        var left = try block.words()
        // A block that was just used up is filled with the next word.
        for _ in 0..<100 where left.dropFirst().allSatisfy({ $0 == 0 }) {
            used.append(RandomWords.next())
            left = try block.words()
        }

        #expect(Set(used).count == used.count)
        #expect(left.dropFirst().contains { $0 != 0 }, "Some are left to be used")
        #expect(Set(left).isDisjoint(with: used))
    }
}

/// A page of this process that the system empties in a forked child: how many words are left, then the words.
private struct Block {
    private let address: UInt64

    /// Finds the page that the next word comes from.
    ///
    /// Other tests ask for words meanwhile, so that not each word that stands there next is the one that comes.
    static func find() throws -> Block? {
        let pages = try pages()
        for _ in 0..<1_000 {
            for page in pages {
                let words = try page.words()
                guard let count = words.first, (1..<UInt64(words.count)).contains(count) else { continue }
                if RandomWords.next() == words[Int(count)] { return page }
            }
            // A block that is used up is filled by the next word.
            _ = RandomWords.next()
        }
        return nil
    }

    /// The pages with the flag `wf`: wipe on fork (proc_pid_smaps(5)).
    private static func pages() throws -> [Block] {
        var pages: [Block] = []
        // What comes first makes the block.
        _ = RandomWords.next()
        var address: UInt64?
        for line in try text(of: "/proc/self/smaps").split(separator: "\n") {
            let parts = line.split(separator: " ")
            if parts.first == "VmFlags:" {
                if parts.contains("wf"), let address { pages.append(Block(address: address)) }
            } else if parts.first?.hasSuffix(":") == false, let start = parts[0].split(separator: "-").first {
                address = UInt64(start, radix: 16)
            }
        }
        return pages
    }

    func words() throws -> [UInt64] {
        let memory = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/mem"))
        defer { try? memory.close() }
        let bytes = Self.bytes(of: memory, from: address)
        try #require(bytes.count == 4096)
        return stride(from: 0, to: bytes.count, by: 8).map { start in
            bytes[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    private static func text(of path: String) throws -> String {
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? file.close() }
        var text: [UInt8] = []
        while case let more = bytes(of: file, from: UInt64(text.count)), !more.isEmpty { text += more }
        return String(decoding: text, as: UTF8.self)
    }

    /// Up to a page of a file of the system, whose size, which Foundation believes, is 0.
    private static func bytes(of file: FileHandle, from offset: UInt64) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe pread(file.fileDescriptor, bytes.baseAddress, bytes.count, off_t(offset))
        }
        return Array(bytes.prefix(max(0, count)))
    }
}
