import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

/// What a session lane promised and what its server saw: written where both happen, and compared.
///
/// Commits are told by a ``RecordingOutbox`` in their order, requests and answers by the server.
final class SessionLedger: Sendable {
    fileprivate struct State {
        /// The records in the order of their commits, each with its generation.
        var committed: [(id: String, generation: Generation)] = []
        var generationOf: [String: Generation] = [:]
        /// What each generation is bound to by now.
        var sessionOf: [Generation: String] = [:]
        var email: String?
        var current: Generation?
        var consent = Consent.granted
        /// Grants that are staged, and may be on disk before that is reported.
        var grants = 0
        /// Sessions of other sites that are staged, and may be taken over on disk before that is reported.
        var offered: [String: Int] = [:]
        /// Deleted for good: they may never be sent again.
        var deleted: Set<String> = []
        /// Records that need not arrive.
        var excused: Set<String> = []
        /// Records whose session was said to be gone, once: they are sent again unless their generation ends first.
        var doubted: Set<String> = []
        var taken: [String] = []
        var books = Books()
        var rowOf: [Record.ID: String] = [:]
        var faults: [String] = []
    }

    /// What the lane's account must say.
    fileprivate struct Books {
        /// The records that wait.
        var live: Set<String> = []
        var accepted = 0
        var recovered = 0
        var delivered = 0
        var dropped: [DropReason: Int] = [:]

        mutating func settle(_ ids: some Sequence<String>, as reason: DropReason?) {
            for id in ids where live.remove(id) != nil {
                if let reason { dropped[reason, default: 0] += 1 } else { delivered += 1 }
            }
        }
    }

    private let state = Mutex(State())

    /// What went wrong so far.
    var faults: [String] { state.withLock { $0.faults } }

    func fault(_ text: String) { state.withLock { $0.faults.append(text) } }

    /// An outbox has been opened: its account counts from here.
    func opened() {
        state.withLock { state in
            state.books = Books(live: state.books.live, recovered: state.books.live.count)
        }
    }

    /// Records were read, which tells in which rows they are.
    func seen(_ records: [Record]) {
        state.withLock { state in
            for record in records { state.rowOf[record.id] = record.messageID.text }
        }
    }

    /// A change is about to be written.
    func staged(_ change: LaneChange) {
        state.withLock { state in
            switch change {
            case .consent(.granted, _): state.grants += 1
            case .continueSession(let session, _): state.offered[session.text, default: 0] += 1
            default: break
            }
        }
    }

    /// A change is on disk. What the lane's state says may already be of a later one.
    func committed(_ change: LaneChange, _ result: ChangeResult) {
        state.withLock { state in
            if case .continueSession(let session, _) = change { state.offered[session.text, default: 1] -= 1 }
            switch (change, result.effect) {
            case (.append(let draft), .queued), (.append(let draft), .pending):
                state.append(draft.stamp.messageID.text)
            case (.reset(let all, _), .done):
                state.leave(all: all, .reset)
            case (.consent(let consent, _), .done):
                if consent == .denied { state.leave(all: true, .consent) }
                if consent == .granted { state.grants -= 1 }
                state.consent = consent
            case (.bind(let generation, let session), .done):
                state.sessionOf[generation] = session.text
            case (.bindMade(let generation, let session), .done):
                state.sessionOf[generation] = state.sessionOf[generation] ?? session.text
            case (.continueSession(let session, let link), .queued),
                (.continueSession(let session, let link), .pending):
                state.goOn(with: session.text, link.stamp.messageID.text)
            case (.unbind(let generation, let session, let record, _), .done):
                if generation != state.current {
                    state.books.settle([state.rowOf[record]].compactMap { $0 }, as: .sessionGone)
                } else if state.sessionOf[generation] == session.text {
                    state.sessionOf[generation] = nil
                }
            case (.delivered(let rows, _), .done):
                let ids = rows.compactMap { state.rowOf[$0.id] }
                for id in ids where !state.taken.contains(id) {
                    state.faults.append("\(id) was not taken, yet counted")
                }
                state.books.settle(ids, as: nil)
            case (.drop(let rows, let reason, _), .done):
                state.books.settle(rows.compactMap { state.rowOf[$0] }, as: reason)
            case (.store(.sessionEmail, let email, let generation), .done):
                if generation == state.current { state.email = email }
            case (.store, .done) where state.current == nil:
                state.current = result.lane?.generation
            default: break
            }
        }
    }

    /// The server reads a request: whether it may be there at all.
    func read(_ key: String, session: String?) {
        state.withLock { state in
            if state.consent != .granted, state.grants == 0 { state.faults.append("\(key) was sent without consent") }
            let id = Self.record(of: key)
            guard let generation = state.generationOf[id] else { return }
            if state.deleted.contains(id) { state.faults.append("\(key) was sent after it was deleted") }
            if let session, state.sessionOf[generation] != session, state.offered[session, default: 0] == 0 {
                state.faults.append("\(key) went to \(session), not to \(state.sessionOf[generation] ?? "none")")
            }
        }
    }

    /// The server has taken a record.
    func took(_ key: String) {
        state.withLock { if !$0.taken.contains(key) { $0.taken.append(key) } }
    }

    /// The server refuses a record for good, or says that its session is gone.
    func refused(_ key: String, isGone: Bool) {
        // The profile is sent although its identification is refused as such.
        guard isGone || key == Self.record(of: key) else { return }
        let id = Self.record(of: key)
        state.withLock { state in
            let isCurrent = state.generationOf[id] == state.current
            if isGone, isCurrent, state.doubted.insert(id).inserted { return }
            state.excused.insert(id)
        }
    }

    /// Compares what a lane shows with what it must show, when nothing is being written.
    func compare(_ account: Account, session: String?, email: String?) {
        state.withLock { state in
            let books = state.books
            let expected = Account(
                accepted: books.accepted, recovered: books.recovered, delivered: books.delivered,
                queued: books.live.count, dropped: books.dropped, bytes: account.bytes)
            if account != expected { state.faults.append("\(account) instead of \(expected)") }
            let bound = state.current.flatMap { state.sessionOf[$0] }
            if session != bound {
                state.faults.append("shows the session \(session ?? "none"), not \(bound ?? "none")")
            }
            if email != state.email { state.faults.append("shows the email \(email ?? "none")") }
        }
    }

    /// Compares, once all is delivered.
    func close() {
        state.withLock { state in
            let order = state.taken.filter { state.generationOf[$0] != nil }
            let taken = Set(order)
            let expected = state.committed.map(\.id).filter(taken.contains)
            if order != expected { state.faults.append("taken \(order) instead of \(expected)") }
            let calls = state.committed.compactMap { Int($0.id.dropFirst()) }
            if calls != calls.sorted() { state.faults.append("committed \(calls) out of their order") }
            for (id, _) in state.committed where !taken.contains(id) && !state.excused.contains(id) {
                state.faults.append("\(id) never arrived")
            }
        }
    }

    /// The record that a request with this key is for.
    private static func record(of key: String) -> String {
        key.hasSuffix(":identify") ? String(key.dropLast(":identify".count)) : key
    }
}

extension SessionLedger.State {
    fileprivate mutating func append(_ id: String) {
        guard let current, generationOf[id] == nil else { return }
        committed.append((id, current))
        generationOf[id] = current
        books.live.insert(id)
        books.accepted += 1
    }

    /// Notes that a session was taken over, or linked with the one there is.
    fileprivate mutating func goOn(with session: String, _ link: String) {
        guard let current else { return }
        switch sessionOf[current] {
        case nil: sessionOf[current] = session
        case session: break
        default: append(link)
        }
    }

    /// Notes what a reset or a denial deletes.
    fileprivate mutating func leave(all: Bool, _ reason: DropReason) {
        excused.formUnion(doubted)
        let gone = committed.filter { all || sessionOf[$0.generation] == nil }.map(\.id)
        deleted.formUnion(gone)
        excused.formUnion(gone)
        books.settle(gone, as: reason)
        email = nil
        current = current.map { Generation($0.number + 1) }
    }
}
