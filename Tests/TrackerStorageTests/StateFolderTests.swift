import Foundation
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("The state folder")
struct StateFolderTests {
    @Test(
        "is the one that the XDG specification names",
        arguments: [
            (["XDG_STATE_HOME": "/var/state", "HOME": "/home/u"], "/var/state/mobile-tracker/shop"),
            (["XDG_STATE_HOME": "/var/state/", "HOME": "/home/u"], "/var/state/mobile-tracker/shop"),
            (["XDG_STATE_HOME": "relative", "HOME": "/home/u"], "/home/u/.local/state/mobile-tracker/shop"),
            (["XDG_STATE_HOME": "", "HOME": "/home/u"], "/home/u/.local/state/mobile-tracker/shop"),
            (["HOME": "/"], "/.local/state/mobile-tracker/shop"),
        ]
    )
    func standard(environment: [String: String], path: String) {
        #expect(StateFolder.standard(program: "shop") { environment[$0] }?.path == path)
    }

    @Test(
        "is one program's own, whatever the program is called",
        arguments: [
            ("shop", "shop"), ("@acme/shop", "@acme%2Fshop"), ("..", "%2E."), (".hidden", "%2Ehidden"),
            ("", "default"), ("mein laden", "mein%20laden"), ("v1.2", "v1.2"),
        ]
    )
    func programs(program: String, folder: String) {
        let path = StateFolder.standard(program: program) { _ in "/state" }?.path

        #expect(path == "/state/mobile-tracker/" + folder)
    }

    @Test("is named after the executable unless a program is named")
    func executable() throws {
        let path = try #require(StateFolder.standard { _ in "/state" }?.path)
        let file = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let started = URL(filePath: file).lastPathComponent

        #expect(StateFolder.executableName == started)
        #expect(path == StateFolder.standard(program: started) { _ in "/state" }?.path)
    }

    @Test("says what to do where there is no home folder")
    func noHome() {
        let error = #expect(throws: StorageError.self) { try StateFolder(path: "").make() }
        #expect(
            error?.message == "There is no home folder to keep events in: name a folder with 'storageDirectory'")
    }

    @Test("names the files of each lane and each brand apart, the same in every process")
    func names() {
        let lanes = [
            LaneIdentity(kind: .session, owner: "925", origin: "https://a.example.com"),
            LaneIdentity(kind: .session, owner: "925", origin: "https://b.example.com"),
            LaneIdentity(kind: .session, owner: "9", origin: "25https://a.example.com"),
            LaneIdentity(kind: .batch, owner: "925", origin: "https://a.example.com"),
        ]

        #expect(Set(lanes.map(\.fileName)).count == 4)
        #expect(Set(lanes.map(\.brandFileName)).count == 3)
        #expect(LaneIdentity.sample.fileName == "session-4e521c638b10d058")
        #expect(LaneIdentity.sample.brandFileName == "session-eb24de6b569f4397")
    }
}
