// A process with an outbox, for tests of what several processes, killed processes and refused disks do to it.
//
// It reads commands from standard input, a line each, and answers each with a line. It ends with its input, or after
// two minutes if a test has lost sight of it.

import Dispatch
import Foundation
import Synchronization
import TestSupport
import TrackerModels
import TrackerStorage

alarm(120)
await converse()

func converse() async {
    var probe = Probe()
    while let line = readLine() {
        let words = line.split(separator: " ").map(String.init)
        guard let command = words.first else { continue }
        await probe.perform(command, Array(words.dropFirst()))
    }
    await probe.close()
}

/// Writes a line at once, whole, and past any buffer that a kill would take with it.
func answer(_ text: String) {
    try? FileHandle.standardOutput.write(contentsOf: Data((text + "\n").utf8))
}

struct Probe {
    private var outbox: SQLiteOutbox?
    /// What takes up all descriptors.
    private var ballast: [Int32] = []

    mutating func perform(_ command: String, _ words: [String]) async {
        switch command {
        case "open": await open(words[0], durability: words.contains("full") ? .full : .process)
        case "close": await close()
        case "append": answer(await commit(.append(draft(words[0], bytes: Int(words.last ?? "") ?? 0))))
        case "run": await run(prefix: words[0])
        case "deliver": await deliver()
        case "bind": answer(await bind(words[0]))
        case "device": answer(await commit(.ensureDevice))
        case "reset": answer(await commit(.reset(all: false, messageID: nil)))
        case "deny": answer(await commit(.consent(.denied, messageID: nil)))
        case "barrier": answer(await commit(.barrier))
        case "lock": answer(outbox?.acquireDelivery() == true ? "yes" : "no")
        case "queue": answer(queue())
        case "state": answer(state())
        case "storage": answer((try? outbox?.state())?.writeFailure.map { "\($0.kind)" } ?? "ok")
        case "session": answer(outbox?.value(for: .sessionID) ?? "none")
        case "fill": answer(fill(words[0]))
        case "unlink": answer(unsafe unlink(words[0]) == 0 ? "done" : "failed")
        case "exhaust": answer(await exhaust())
        case "relent":
            for descriptor in ballast { closeDescriptor(descriptor) }
            ballast = []
            answer("done")
        case "fork": answer(forked())
        case "sh": answer(shell(words.joined(separator: " ")))
        default: answer("unknown command")
        }
    }

    mutating func close() async {
        guard let outbox else { return }
        await withCheckedContinuation { continuation in outbox.close { continuation.resume() } }
        self.outbox = nil
    }

    private mutating func open(_ folder: String, durability: DeliveryOptions.Durability) async {
        let outbox = SQLiteOutbox(
            OutboxConfiguration(
                location: .folder(folder),
                lane: LaneIdentity(kind: .session, owner: "925", origin: "https://api.example.com"),
                keyPrefix: "__GT_925_", durability: durability, limits: OutboxLimits(maxRecords: 1_000_000),
                initialConsent: .granted, bindsSessions: true,
                wallClock: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) },
                observer: { event in
                    if case .writeFailed(let error) = event { answer("event writeFailed \(error.kind)") }
                    if case .recovered = event { answer("event recovered") }
                    if case .databaseRecovered = event { answer("event databaseRecovered") }
                }
            )
        )
        self.outbox = outbox
        let result = await withCheckedContinuation { continuation in
            outbox.open { continuation.resume(returning: $0) }
        }
        switch result {
        case .success(let opening): answer("open \(opening.writeFailure.map { "\($0.kind)" } ?? "writable")")
        case .failure(let error): answer("failed \(error.kind) \(error.message)")
        }
    }

    private func commit(_ change: LaneChange) async -> String {
        guard let outbox else { return "closed" }
        let result = await withCheckedContinuation { continuation in
            outbox.stage(change) { continuation.resume(returning: $0) }
        }
        switch result.effect {
        case .done: return "done"
        case .queued: return "queued"
        case .pending: return "pending"
        case .repeated: return "repeated"
        case .changed: return "changed"
        case .refused(let reason): return "refused \(reason)"
        case .failed(let error): return "failed \(error.kind)"
        }
    }

    private func bind(_ session: String) async -> String {
        guard let generation = try? outbox?.state().generation, let session = SessionID(session) else {
            return "closed"
        }
        return await commit(.bind(generation, session))
    }

    /// Appends in groups of all sizes until it is killed, and writes each id once it is acknowledged.
    private func run(prefix: String) async {
        guard let outbox else { return }
        var number = 0
        while true {
            let size = Int.random(in: 1...40)
            await withCheckedContinuation { continuation in
                for index in 1...size {
                    number += 1
                    let id = "\(prefix)\(number)"
                    outbox.stage(.append(draft(id, bytes: Int.random(in: 0...2000)))) { result in
                        switch result.effect {
                        case .queued, .pending: answer(id)
                        default: answer("refused \(id)")
                        }
                        if index == size { continuation.resume() }
                    }
                }
            }
        }
    }

    /// Takes records until it is killed, and writes each id once its removal is acknowledged.
    private func deliver() async {
        guard let outbox else { return }
        while true {
            guard let records = try? outbox.peek(limit: Int.random(in: 1...20), maxBytes: .max).records else {
                continue
            }
            for record in records { answer("sent \(record.messageID)") }
            let removed = records.map { RemovedRecord($0) }
            let summary = await commit(.delivered(removed, bytes: WireBytes(before: 0, after: 0)))
            for record in records { answer("\(summary) \(record.messageID)") }
        }
    }

    private func queue() -> String {
        guard let records = try? outbox?.peek(limit: .max, maxBytes: .max).records else { return "unreadable" }
        return records.map(\.messageID.text).joined(separator: " ")
    }

    private func state() -> String {
        guard let state = try? outbox?.state() else { return "unreadable" }
        return "\(state.generation.number) \(state.consent) \(state.entry.session?.text ?? "none") "
            + (state.isAwaitingDisk ? "awaiting" : "settled")
    }

    /// Fills the disk with a file.
    private func fill(_ path: String) -> String {
        guard FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
        else { return "failed" }
        for size in [65_536, 4096, 512] {
            while (try? file.write(contentsOf: Data(count: size))) != nil {}
        }
        return "filled"
    }

    /// Opens files until the process may open no more.
    private mutating func exhaust() async -> String {
        // Dispatch makes descriptors of its own for its first timer, and traps without them.
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now()) { continuation.resume() }
        }
        // The resource is of one type where it is named, and of another where it is taken.
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(files, &limit) == 0 else { return "failed" }
        limit.rlim_cur = min(limit.rlim_cur, 256)
        guard unsafe setrlimit(files, &limit) == 0 else { return "failed" }
        while case let descriptor = openNull(), descriptor >= 0 { ballast.append(descriptor) }
        return errno == EMFILE ? "exhausted" : "failed"
    }

    /// Makes ids in this process and in a forked child, and says whether all differ.
    private func forked() -> String {
        let ids = { (0..<40).map { _ in MessageID.random().text } }
        let pipe = Pipe()
        var all = ids()
        // Swift hides it, since little may be done in the child.
        guard let symbol = unsafe dlsym(nil, "fork") else { return "no fork" }
        let child = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> Int32).self)()
        guard child != 0 else {
            try? pipe.fileHandleForWriting.write(contentsOf: Data(ids().joined(separator: " ").utf8))
            _exit(0)
        }
        pipe.fileHandleForWriting.closeFile()
        all += ids()
        let theirs = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        all += theirs.split(separator: " ").map(String.init)
        waitpid(child, nil, 0)
        let distinct = Set(all).count
        return all.count == 120 && distinct == 120 ? "distinct" : "\(all.count) ids, \(distinct) of them distinct"
    }

    private func shell(_ command: String) -> String {
        (try? Program.run("/bin/sh", ["-c", command], errors: .null)) == .code(0) ? "done" : "failed"
    }

    private func draft(_ id: String, bytes: Int) -> Draft {
        var writer = JSONObjectWriter()
        writer.append("text", String(repeating: "x", count: bytes))
        guard let messageID = MessageID(id) else { preconditionFailure("\(id) is no message id") }
        let stamp = CallStamp(messageID: messageID, occurredAt: Timestamp(milliseconds: 0))
        return Draft(stamp, Draft.Content(.event, .complete(writer.finish())))
    }
}

/// `open(2)` and `close(2)`, whose names methods above take.
func openNull() -> Int32 { unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }

func closeDescriptor(_ descriptor: Int32) { close(descriptor) }
