import Testing
import TrackerModels
import TrackerNetworking

@testable import TrackerCore

@Suite("The credentials of a lane that clients share")
struct SharedCredentialsTests {
    private typealias Outcome = Result<Void, TrackerError>

    private static let refusals: [Outcome] = [401, 403].map { .failure(error(.status($0))) }

    @Test("answer all who wait once a session is made")
    func made() {
        var credentials = Self.credentials("a", waiting: "b", "a", "c")

        let (done, next) = credentials.conclude(.success(()))

        #expect(Set(done.map(\.member)) == [0, 1, 2] && next == nil)
        #expect(!credentials.isAwaited && credentials.value == Self.value("a"))
    }

    @Test("answer all who wait where the server has not refused them", arguments: [429, 503, 404])
    func failed(status: Int) {
        var credentials = Self.credentials("a", waiting: "b", "a")

        let (done, next) = credentials.conclude(.failure(Self.error(.status(status))))

        #expect(Set(done.map(\.member)) == [0, 1] && next == nil)
    }

    @Test("answer with a refusal those alone who wait with them, and go on with those of the next", arguments: refusals)
    private func refused(refusal: Outcome) {
        var credentials = Self.credentials("b", waiting: "a", "b", "c", "b")

        let first = credentials.conclude(refusal)
        #expect(Set(first.done.map(\.member)) == [1, 3] && first.next?.member == 0)
        #expect(credentials.value == Self.value("a"))

        let second = credentials.conclude(refusal)
        #expect(second.done.map(\.member) == [0] && second.next?.member == 2)

        let third = credentials.conclude(.success(()))
        #expect(third.done.map(\.member) == [2] && third.next == nil)
        #expect(credentials.value == Self.value("c"))
    }

    @Test("go on with those of one who waits when nobody waits with them", arguments: refusals)
    private func refusedAlone(refusal: Outcome) {
        var credentials = Self.credentials("gone", waiting: "a")

        let (done, next) = credentials.conclude(refusal)

        #expect(done.isEmpty && next?.member == 0 && credentials.isAwaited)
    }

    @Test("go on with those of one who has a key before those of one who waits for one")
    func keyBeforeNone() {
        var credentials = Self.credentials("bad", waiting: "", "good", "bad")

        let first = credentials.conclude(Self.refusals[0])
        #expect(first.done.map(\.member) == [2] && first.next?.member == 1)
        #expect(credentials.value == Self.value("good"))

        #expect(credentials.conclude(Self.refusals[0]).next?.member == 0)
    }

    @Test("tell other headers from the same ones")
    func headers() {
        var credentials = Self.credentials("a", waiting: "b")
        let other = SharedCredentials.Value(key: Secret("a"), headers: ExtraHeaders(["X-Team": "1"]))
        let file = KeyFile("/nowhere")

        #expect(credentials.replace(with: other, file) && !credentials.replace(with: other, file))
        #expect(!credentials.renew(Secret("a"), from: file) && credentials.value == other)
        #expect(credentials.renew(Secret("b"), from: file) && credentials.value.headers == other.headers)
    }

    @Test("are not replaced by those of a client without a key, which may bring one later")
    func withoutKey() {
        var credentials = Self.credentials("a")

        #expect(credentials.lead(0, Self.value(""), nil) == (false, false) && credentials.value == Self.value("a"))
        #expect(credentials.lead(0, Self.value("b"), nil) == (true, true) && credentials.value == Self.value("b"))
    }

    @Test("do not wait for a client that has left")
    func stops() {
        var credentials = Self.credentials("a", waiting: "b", "a")

        credentials.stopWaiting(0)
        #expect(credentials.isAwaited && credentials.conclude(Self.refusals[0]).next == nil)
        #expect(!credentials.isAwaited)
    }

    @Test("are read from the file of the client that led last, and from none if it has none")
    func source() {
        var credentials = Self.credentials("a", waiting: "a")
        let file = KeyFile("/nowhere")

        #expect(credentials.lead(0, Self.value("b"), file) == (true, true) && credentials.keyFile === file)
        #expect(credentials.lead(0, Self.value("b"), nil) == (true, false) && credentials.keyFile == nil)
    }

    @Test("are read from no file once others are used, which come from none")
    func otherSource() {
        let file = KeyFile("/nowhere")
        var replaced = Self.credentials("a")
        _ = replaced.lead(0, Self.value("b"), file)
        var handedOver = replaced

        #expect(replaced.replace(with: Self.value("c"), nil) && replaced.keyFile == nil)
        handedOver.add(SharedCredentials.Waiter(member: 1, value: Self.value("d")) { _ in })
        #expect(handedOver.conclude(Self.refusals[0]).next?.member == 1 && handedOver.keyFile == nil)
    }

    @Test(
        "are those of the client that began to deliver last again, once all who wait have failed", arguments: refusals)
    private func settled(refusal: Outcome) {
        let file = KeyFile("/nowhere")
        var credentials = Self.credentials("a")
        _ = credentials.lead(7, Self.value("a"), file, isBeginning: true)
        for (member, key) in [(1, "b"), (2, "")] {
            credentials.add(SharedCredentials.Waiter(member: member, value: Self.value(key)) { _ in })
        }
        _ = credentials.replace(with: Self.value("b"), nil)

        #expect(credentials.conclude(refusal).next?.member == 2 && credentials.settle() == nil)
        #expect(credentials.conclude(refusal).next == nil && credentials.settle() == 7)
        #expect(credentials.value == Self.value("a") && credentials.keyFile === file)
        #expect(credentials.settle() == nil)

        // Those of one that has not begun count for nothing then.
        _ = credentials.lead(3, Self.value("c"), nil)
        credentials.stopWaiting(3)
        #expect(credentials.settle() == 7 && credentials.value == Self.value("a"))
    }

    @Test("come from a file only as long as they are its own")
    func lateFile() {
        let file = KeyFile("/nowhere")
        var credentials = Self.credentials("a")
        _ = credentials.lead(0, Self.value("a"), file)
        _ = credentials.lead(1, Self.value("b"), nil)

        #expect(!credentials.renew(Secret("x"), from: file) && credentials.value == Self.value("b"))
    }

    @Test("that a client gives while it waits are those with which it waits")
    func givenLater() {
        var credentials = Self.credentials("a", waiting: "")

        _ = credentials.lead(0, Self.value("b"), nil)

        #expect(credentials.conclude(Self.refusals[0]).done.map(\.member) == [0] && !credentials.isAwaited)
    }

    private static func credentials(_ key: String, waiting: String...) -> SharedCredentials {
        var credentials = SharedCredentials(value(key))
        for (member, key) in waiting.enumerated() {
            credentials.add(
                SharedCredentials.Waiter(
                    member: member, value: value(key), completion: { _ in }))
        }
        return credentials
    }

    private static func value(_ key: String) -> SharedCredentials.Value {
        SharedCredentials.Value(key: Secret(key), headers: ExtraHeaders())
    }

    private static func error(_ cause: TrackerError.Cause) -> TrackerError {
        TrackerError(.sessionCreationFailed, "no session", cause: cause)
    }
}
