import JSONRPC
import Synchronization
package import TrackerCore
import TrackerModels

extension HostSession {
    /// Starts the clients of a file by the calls of a caller, and waits until they are set up.
    ///
    /// - Throws: Why one of them cannot be.
    package func start(_ file: StartFile) throws(CommandFailure) {
        for call in file.calls {
            let result = ThreadWait.answer { respond(to: call, reply: Reply(to: $0)) }
            guard case .failure(let error) = result else { continue }
            let subject = error.namesMethod ? "" : "\(call.method): "
            throw CommandFailure(
                message: "\(file.title): \(subject)\(error.message)", isPassing: error.isRetryable)
        }
    }
}

/// Delivers what waits in the clients of a session, without serving.
package final class DeliverCommand: Sendable {
    /// The exit codes, besides 0: all is delivered, and every tracker that may have a session has one.
    package static let someRemain: Int32 = 1
    private static let isHalted: Int32 = 2

    private struct State {
        var drains: [ClientDrain] = []
        var isCut = false
    }

    private let state = Mutex(State())

    package init() {}

    /// Delivers, and waits for the end.
    ///
    /// - Parameters:
    ///   - session: One whose clients are started.
    ///   - timeout: How long to try.
    /// - Returns: What there is to print, what to say besides (of clients that are turned off, and of other queues that
    ///   hold events), and the exit code.
    package func run(
        _ session: HostSession, within timeout: Duration
    ) -> (report: JSONObject, remarks: [String], exitCode: Int32) {
        // A client that has a queue says how the disk is.
        let clients = session.clients.filter { $0.client.control.debugInfo["storage"] != nil }
        let disabled = session.clients.compactMap { name, client -> (name: ClientName, reason: String)? in
            let info = client.control.debugInfo
            guard info["storage"] == nil, let reason = info["disabledBecause"]?.stringValue else { return nil }
            return (name, reason)
        }
        let reports = ThreadWait.answer { (done: @escaping @Sendable ([ClientName: FlushReport]) -> Void) in
            let gathered = Mutex<[ClientName: FlushReport]>([:])
            if clients.isEmpty { done([:]) }
            for (name, client) in clients {
                add(
                    ClientDrain(client.control, within: timeout) { report in
                        let all = gathered.withLock { gathered in
                            gathered[name] = report
                            return gathered
                        }
                        if all.count == clients.count { done(all) }
                    })
            }
        }
        let remaining = reports.values.reduce(0) { $0 + $1.remaining }
        let infos = clients.map { (name: $0.name, info: $0.client.control.debugInfo) }
        let isHalted =
            reports.values.contains { $0.stoppedBy == .halted }
            || infos.contains { $0.info["halted"] != nil || $0.info["disabledBecause"] != nil }
        let described = infos.compactMap { name, info in reports[name].map { Self.describe(name, $0, info) } }
        let report: JSONObject = [
            "remaining": disabled.isEmpty ? JSONValue(remaining) : .null,
            "clients": .array(described + disabled.map { Self.describe($0.name, disabledBecause: $0.reason) }),
        ]
        var remarks = disabled.map { Self.remark($0.name, disabledBecause: $0.reason) }
        if let remark = Self.remark(infos.map(\.info)) { remarks.append(remark) }
        // What cannot be read may remain.
        let isUnread = infos.contains { $0.info["account"] == nil }
        let isDone =
            remaining == 0 && !isUnread && disabled.isEmpty && !clients.contains { $0.client.control.lacksSession }
        return (report, remarks, isHalted ? Self.isHalted : isDone ? 0 : Self.someRemain)
    }

    /// Ends before the time is over.
    package func cut() {
        let drains = state.withLock { state in
            state.isCut = true
            return state.drains
        }
        for drain in drains { drain.cut() }
    }

    private func add(_ drain: ClientDrain) {
        let isCut = state.withLock { state in
            state.drains.append(drain)
            return state.isCut
        }
        if isCut { drain.cut() }
    }

    /// How many events of the state folders are for no client of the file, and what to do; `nil` if there are none.
    private static func remark(_ infos: [JSONObject]) -> String? {
        // Clients that share a folder all list the same queues.
        var folders: [String: [JSONValue]] = [:]
        for info in infos {
            let folder = info["config"]?["delivery"]?["storageDirectory"]?.stringValue ?? ""
            folders[folder] = info["otherLanes"]?.arrayValue ?? []
        }
        var counts: [String: Int] = [:]
        for lane in folders.values.joined() {
            counts[lane["origin"]?.stringValue ?? "", default: 0] += lane["queueLength"]?.intValue.map { Int($0) } ?? 0
        }
        let sum = counts.values.reduce(0, +)
        guard sum > 0 else { return nil }
        let addresses = counts.sorted { $0.key < $1.key }.map { "\($0.value) for \($0.key)" }.joined(separator: ", ")
        return
            "\(sum.counted("other event waits", "other events wait")) in the state folder, of queues that no client of "
            + "--config has: \(addresses). They are kept. To deliver them, put a client with their address, and their brand or "
            + "key, into the file of --config; BridgeHost --inspect FOLDER shows the queues."
    }

    /// Of a client that is turned off nobody knows what remains: it looks at no other option, and opens no queue.
    private static func describe(_ name: ClientName, disabledBecause reason: String) -> JSONValue {
        ["client": .string(name.rawValue), "delivered": 0, "remaining": .null, "disabledBecause": .string(reason)]
    }

    private static func remark(_ name: ClientName, disabledBecause reason: String) -> String {
        "The client \(name.rawValue) of --config is turned off, since \(reason). Nothing of it was sent, and what waits is "
            + "kept. Turn it on to deliver that, or take it out of the file."
    }

    private static func describe(_ name: ClientName, _ report: FlushReport, _ info: JSONObject) -> JSONValue {
        var members: JSONObject = [
            "client": .string(name.rawValue), "delivered": info["account"]?["delivered"] ?? .null,
            "remaining": JSONValue(report.remaining), "dropped": info["account"]?["dropped"] ?? .null,
        ]
        if let reason = report.stoppedBy { members["stoppedBy"] = .string(reason.rawValue) }
        for name in ["halted", "disabledBecause", "lastError", "otherLanes"] {
            if let value = info[name], value != .null, value != [] { members[name] = value }
        }
        return .object(members)
    }
}
