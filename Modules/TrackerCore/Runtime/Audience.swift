import Synchronization
import TrackerModels
import TrackerNetworking
import TrackerStorage

/// One client of a shared lane.
struct AudienceMember: Sendable {
    let listener: OpenLane.Listener
    let keyFile: KeyFile?
    /// Where what the lane logs is passed on for this client.
    let log: (any TrackerLog)?
    var isInBackground = false

    /// Whether it wants to hear messages of a level.
    fileprivate func hears(_ level: LogLevel) -> Bool { level >= .warning || listener.log.isVerbose }
}

/// The clients of a shared lane, and what they hear of it.
///
/// One of them leads: the lane uses its credentials, and asks it for others.
final class Audience: TrackerLog {
    private struct State {
        var members: [Int: AudienceMember] = [:]
        var next = 0
        var leader = 0
        var follow: (@Sendable (DeliveryEvent) -> Bool)?
        var alone: (@Sendable (MonotonicInstant) -> Void)?
        var kick: (@Sendable () -> Void)?

        var isInBackground: Bool { !members.isEmpty && members.values.allSatisfy(\.isInBackground) }
    }

    private let state = Mutex(State())
    /// The log of the process.
    private let log: any TrackerLog

    init(log: any TrackerLog) { self.log = log }

    /// Has the lane itself follow what its engine does.
    ///
    /// - Parameters:
    ///   - follow: Hears each event before the clients; they hear it if this returns true.
    ///   - alone: Called ahead of a look at the queue while there is no client that reads its key from a file.
    ///   - kick: Called once the disk works again while there is no client, which would have the lane look.
    func connect(
        _ follow: @escaping @Sendable (DeliveryEvent) -> Bool, alone: @escaping @Sendable (MonotonicInstant) -> Void,
        kick: @escaping @Sendable () -> Void
    ) {
        state.withLock { ($0.follow, $0.alone, $0.kick) = (follow, alone, kick) }
    }

    // MARK: Who listens

    var isEmpty: Bool { state.withLock(\.members.isEmpty) }

    /// How many clients there have been so far.
    var joins: Int { state.withLock(\.next) }

    var hasSeveral: Bool { state.withLock { $0.members.count > 1 } }

    var leader: Int { state.withLock(\.leader) }

    /// Whether the client that leads reads its key from a file.
    var leaderReadsKey: Bool { state.withLock { $0.members[$0.leader]?.keyFile != nil } }

    func keyFile(of number: Int) -> KeyFile? { state.withLock { $0.members[number]?.keyFile } }

    /// - Returns: The number of the new client.
    func add(_ member: AudienceMember) -> Int {
        state.withLock { state in
            let number = state.next
            if state.members.isEmpty { state.leader = number }
            state.members[number] = member
            state.next += 1
            return number
        }
    }

    /// - Returns: Whether the client was there, whether none is left, and whether those who are left are all in the
    ///   background.
    func remove(_ number: Int) -> (wasThere: Bool, isEmpty: Bool, isInBackground: Bool) {
        state.withLock { state in
            let wasThere = state.members.removeValue(forKey: number) != nil
            if state.leader == number { state.leader = state.members.keys.max() ?? 0 }
            return (wasThere, state.members.isEmpty, state.isInBackground)
        }
    }

    func lead(_ number: Int) { state.withLock { if $0.members[number] != nil { $0.leader = number } } }

    /// - Returns: Whether all of them are in the background.
    func setInBackground(_ number: Int, _ isInBackground: Bool) -> Bool {
        state.withLock { state in
            state.members[number]?.isInBackground = isInBackground
            return state.isInBackground
        }
    }

    /// Has the lane's log pass on debug messages if one of the clients wants them. Without a client it stays as it is.
    func updateVerbosity(of log: LevelledLog) {
        state.withLock { state in
            guard !state.members.isEmpty else { return }
            log.setVerbose(state.members.values.contains { $0.hears(.debug) })
        }
    }

    // MARK: What they hear

    func hear(_ event: DeliveryEvent) {
        guard state.withLock(\.follow)?(event) ?? true else { return }
        for member in members { member.listener.delivery(event) }
    }

    func hear(_ event: OutboxEvent) {
        let (members, kick) = state.withLock { (Array($0.members.values), $0.kick) }
        if members.isEmpty, event.saysThatDiskWorks { kick?() }
        for member in members { member.listener.storage(event) }
    }

    func hear(_ diagnostic: Diagnostic) {
        for member in members {
            guard case .delivered(let ids) = diagnostic else {
                member.listener.hub.report(diagnostic)
                continue
            }
            if member.listener.hub.wantsDeliveries { member.listener.hub.report(delivered: ids) }
        }
    }

    /// Has a client ask its program for credentials, if it is there.
    func ask(_ number: Int) { state.withLock { $0.members[number]?.listener }?.beforeLook(false, true) }

    /// Asks the leading client for its key, ahead of a look at the queue.
    func look(at now: MonotonicInstant, asks: Bool) {
        let (member, alone) = state.withLock { ($0.members[$0.leader], $0.alone) }
        if member?.keyFile == nil { alone?(now) }
        member?.listener.beforeLook(member?.keyFile?.isDue(at: now) ?? false, asks)
    }

    func log(_ level: LogLevel, _ message: String) {
        log.log(level, message)
        for member in members where member.hears(level) { member.log?.log(level, message) }
    }

    func log(_ entry: LogEntry) {
        log.log(entry)
        for member in members where member.hears(entry.level) { member.log?.log(entry) }
    }

    private var members: [AudienceMember] { state.withLock { Array($0.members.values) } }
}

extension OutboxEvent {
    /// Whether what waited for the disk may go on.
    var saysThatDiskWorks: Bool {
        switch self {
        case .recovered, .unwrittenIsWritten, .recordsMoved: true
        case .dropped, .databaseRecovered, .replaced, .writeFailed, .backupFailed, .backupRecovered: false
        }
    }
}
