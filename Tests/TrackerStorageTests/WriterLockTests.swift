import Foundation
import Testing

@testable import TrackerStorage

@Suite("The lock that writers queue on")
struct WriterLockTests {
    let folder = TemporaryFolder()

    @Test("is taken in the end where the file system gives its file another number at each look")
    func isBounded() throws {
        var lock = WriterLock(folder.state)
        var looks = 0

        try lock.take { _ in
            looks += 1
            return false
        }

        #expect(looks == WriterLock.attempts - 1)
        #expect(try !FileLock(folder.state.writerLock).tryLock(), "It holds")
        lock.giveUp()
        #expect(try FileLock(folder.state.writerLock).tryLock())
    }

    @Test("is taken on the file that the path leads to now")
    func isReplaced() throws {
        var lock = WriterLock(folder.state)
        try lock.take()
        lock.giveUp()
        try folder.remove("writer.lock")
        try folder.write(.init(), to: "writer.lock")

        try lock.take()

        #expect(try !FileLock(folder.state.writerLock).tryLock())
    }
}
