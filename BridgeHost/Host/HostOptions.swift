import Bridge
import JSONRPC
import TrackerCore
import TrackerModels
import TrackerPlatform

/// What the host was asked for when it was started.
struct HostOptions: Hashable, Sendable {
    enum Action: Hashable, Sendable {
        case help
        case version
        case inspect(String)
        case refused(RefusedCommand.Action, String)
        case serve
        /// Deliver what waits, for so long at most.
        case deliver(Duration)
        /// Serve many programs at this path.
        case listen(String)
    }

    /// What the host is to do.
    var action = Action.serve
    /// The least important that is logged.
    var logLevel = LogLevel.debug
    /// The name of the program that the host works for, which is in the path of the usual place of its state.
    var appName = "default"
    /// Where state is kept unless a client says otherwise; `nil` is the usual place.
    var storageDirectory: String?
    /// Which refused events are meant, as JSON.
    var filter: String?
    /// How the contents of a state folder are printed.
    var format = InspectCommand.Format.json
    /// The file that says which clients are started without a caller.
    var startFile: String?
    var metricsFile: String?
    /// Who may connect to an agent.
    var listenMode = AgentSocket.Mode.user
    /// How many clients an agent serves at a time.
    var maxConnections = SocketServer.Limits().maxConnections
    /// How many queues an agent has open at a time.
    var maxLanes = OpenLanes.usualLimit
    var logFormat = HostLog.Format.text
    /// Whether clients post their debug information to the development collector, unless they say otherwise.
    var collectorPanel = false
    /// How long to try to deliver.
    private var deliveryTimeout = Duration.seconds(60)
    /// Whether calls are recorded for a test instead of stored and sent.
    var isRecording = false
    /// The longest message, how long it may take to end, and what cannot be set.
    var limits = ConnectionLimits()
    /// What is done as it says and was most likely meant otherwise: a sentence each.
    private(set) var doubts: [String] = []

    /// Reads the arguments of the command line.
    ///
    /// - Parameter arguments: Without the program's name. A value follows its option, or an equals sign in it.
    /// - Throws: What is wrong with the first faulty one.
    init(arguments: some Sequence<String>) throws(UsageError) {
        var rest = Array(arguments)[...]
        var seen: Set<Option> = []
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let name = parts.first, let option = Option(rawValue: name) else {
                throw UsageError(message: Self.unknown(argument))
            }
            seen.insert(option)
            guard option.takesValue else {
                guard parts.count == 1 else { throw UsageError(message: "\(name) takes no value") }
                switch option {
                case .collectorPanel: collectorPanel = true
                case .deliver: action = .deliver(deliveryTimeout)
                case .record: isRecording = true
                default:
                    action = option == .help ? .help : .version
                    // A question is answered whatever else is wrong. Of what follows, only the format of the answer counts.
                    if let others = try? HostOptions(arguments: rest), others.logFormat == .json { logFormat = .json }
                    return
                }
                continue
            }
            guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.isEmpty,
                parts.count == 2 || Option(rawValue: value) == nil
            else {
                throw UsageError(message: "\(name) needs a value: \(option.expectation)")
            }
            guard apply(value, to: option) else {
                throw UsageError(message: "\(name) must be \(option.expectation), not '\(value)'")
            }
        }
        for option in seen where !option.companions.isEmpty && seen.isDisjoint(with: option.companions) {
            let names = option.companions.map(\.rawValue).joined(separator: " or ")
            throw UsageError(message: "\(option.rawValue) needs \(names)")
        }
        let actions = Option.actions.filter(seen.contains).map(\.rawValue)
        // What is recorded is neither stored nor sent: there is nothing to look at or to deliver.
        let excluding = seen.contains(.record) && !seen.contains(.listen) ? [Option.record.rawValue] + actions : actions
        guard excluding.count < 2 else {
            throw UsageError(message: "\(excluding[0]) and \(excluding[1]) exclude each other")
        }
    }

    /// What is wrong with an argument that is none, and which one is near.
    private static func unknown(_ argument: String) -> String {
        let name = String(argument.prefix { $0 != "=" })
        let names = Option.allCases.map(\.rawValue)
        let near =
            SpellingSuggestion.nearest(to: name, among: names) ?? SpellingSuggestion.completion(of: name, among: names)
        // What does not begin with a hyphen was meant to be a value, or a method.
        guard let near, name.hasPrefix("-") else { return "unknown argument '\(argument)'" }
        return "unknown argument '\(argument)'; did you mean \(near)?"
    }

    /// Notes a number without a unit that is most likely meant in the unit of another option.
    private mutating func doubt(
        _ option: Option, _ value: String, _ number: ClosedRange<Int>, _ unit: String, not other: String
    ) {
        guard let count = Int(value), number.contains(count) else { return }
        doubts.append(
            "\(option.rawValue) \(value) means \(value) \(unit). If that is not what you mean, write \(value)\(other).")
    }

    /// - Returns: Whether the value will do.
    private mutating func apply(_ value: String, to option: Option) -> Bool {
        switch option {
        case .help, .version, .collectorPanel, .record, .deliver: return false
        case .timeout:
            // A number alone is seconds: nobody gives this time in milliseconds.
            let text = value.allSatisfy { $0.isNumber || $0 == "." } ? value + "s" : value
            guard let duration = Duration(argument: text), duration <= .seconds(86_400) else { return false }
            doubt(option, value, 5_000...86_400, "seconds", not: "ms")
            deliveryTimeout = duration
            if case .deliver = action { action = .deliver(duration) }
        case .config:
            guard let path = Self.fromRoot(value) else { return false }
            startFile = path
        case .metricsFile:
            guard let path = Self.fromRoot(value) else { return false }
            metricsFile = path
        case .appName: appName = value
        case .storageDirectory:
            guard let path = Self.fromRoot(value) else { return false }
            storageDirectory = path
        case .inspect: action = .inspect(value)
        case .filter: filter = value
        case .format:
            guard let format = InspectCommand.Format(rawValue: value) else { return false }
            self.format = format
        case .listRefused: action = .refused(.list, value)
        case .retryRefused: action = .refused(.change(.retry), value)
        case .dropRefused: action = .refused(.change(.drop), value)
        case .listen:
            guard let path = Self.fromRoot(value) else { return false }
            action = .listen(path)
        case .listenMode:
            guard let mode = AgentSocket.Mode(argument: value) else { return false }
            listenMode = mode
        case .maxConnections:
            guard let count = Int(value), (1...65_536).contains(count) else { return false }
            maxConnections = count
        case .maxLanes:
            guard let count = Int(value), (1...65_536).contains(count) else { return false }
            maxLanes = count
        case .logLevel:
            guard let level = LogLevel(rawValue: value) else { return false }
            logLevel = level
        case .logFormat:
            guard let format = HostLog.Format(rawValue: value) else { return false }
            logFormat = format
        case .maxMessageBytes:
            guard let count = Int(value), (1...1 << 30).contains(count) else { return false }
            limits.maxMessageBytes = count
        case .shutdownTimeout:
            guard let duration = Duration(argument: value), duration <= .seconds(600) else { return false }
            doubt(option, value, 1...60, "milliseconds", not: "s")
            limits.shutdownTimeout = duration
        }
        return true
    }

    /// A path from the root; one that is relative begins at the folder in which the host was started.
    private static func fromRoot(_ path: String) -> String? {
        guard !path.hasPrefix("/") else { return path }
        guard !path.hasPrefix("~"), let folder = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(folder) }
        return unsafe String(cString: folder) + "/" + path
    }

    static let help = """
        Usage: BridgeHost [options]

        Speaks JSON-RPC 2.0 on standard input and output, one message a line or with
        Content-Length headers, whichever the first message has. Logs go to standard
        error. Ends with its input.

          --log-level LEVEL          error, warning, info or debug (default)
          --log-format FORMAT        text (default), or json: each message is an object as in
                                     a `log` notification
          --collector-panel          clients post their debug information to the development
                                     collector on this machine, unless they say otherwise
          --record                   for tests: keep calls in memory, answer every request
                                     with success, send nothing and write no file; the
                                     methods `record.calls`, `record.expect` and others
                                     show the calls
          --app-name NAME            the program that the host works for (default
                                     "default"): state is kept in
                                     $XDG_STATE_HOME/mobile-tracker/NAME, else in
                                     ~/.local/state/mobile-tracker/NAME
          --storage-dir PATH         where state is kept instead, unless a client says
                                     otherwise; by default MOBILE_TRACKER_STORAGE_DIR
          --max-message-bytes N      refuse longer messages (default \(ConnectionLimits().maxMessageBytes))
          --shutdown-timeout TIME    how long ending may take: 1.5s (default) or 1500ms; a
                                     number without a unit is milliseconds
          --listen PATH              serve all programs that connect to a Unix domain socket at
                                     PATH, until a signal ends it: an agent for a machine.
                                     systemd may pass on the socket instead
          --listen-mode MODE         who may connect: 0600, the same user (default), or 0660,
                                     the socket's group too
          --max-connections N        how many may be connected (default \(SocketServer.Limits().maxConnections))
          --max-lanes N              how many queues may be open at a time (default \(OpenLanes.usualLimit))
          --config PATH              start the clients of a file without a caller, so that what
                                     waits is delivered at once: JSON with the params of init,
                                     analytics.initialize and basic.initialize; mode 0600
          --deliver                  deliver what waits in the clients of --config, print a
                                     report as JSON and exit: 0 if all is delivered, 1 if some
                                     remains, 2 if the server refuses the key or the address
          --timeout TIME             how long --deliver may take: 60s (default) or 500ms; a
                                     number without a unit is seconds
          --metrics-file PATH        keep metrics in a file for Prometheus, such as
                                     /var/lib/node_exporter/tracker.prom; it is replaced at most
                                     every \(Int(MetricsFile.interval / .seconds(1))) s while something changes, and at the end
          --inspect PATH             print what a state folder holds, as JSON, and exit;
                                     nothing in it is changed
          --format FORMAT            print it as json (default), or as openmetrics: text for
                                     Prometheus and its textfile collector
          --list-refused PATH        print what servers have refused of the clients of a state
                                     folder, as JSON, and exit; nothing in it is changed
          --retry-refused PATH       queue it again; the clients find it at their next call,
                                     flush or start
          --drop-refused PATH        remove it
          --filter JSON              which of it, as the param of `refused.list`
          --version                  print the version and that of libcurl, and exit; with
                                     --log-format json as an object
          --help                     print this and exit
        """
}

private enum Option: String, CaseIterable {
    case help = "--help"
    case version = "--version"
    case logLevel = "--log-level"
    case logFormat = "--log-format"
    case config = "--config"
    case deliver = "--deliver"
    case timeout = "--timeout"
    case metricsFile = "--metrics-file"
    case collectorPanel = "--collector-panel"
    case record = "--record"
    case appName = "--app-name"
    case storageDirectory = "--storage-dir"
    case listen = "--listen"
    case listenMode = "--listen-mode"
    case maxConnections = "--max-connections"
    case maxLanes = "--max-lanes"
    case inspect = "--inspect"
    case listRefused = "--list-refused"
    case retryRefused = "--retry-refused"
    case dropRefused = "--drop-refused"
    case filter = "--filter"
    case format = "--format"
    case maxMessageBytes = "--max-message-bytes"
    case shutdownTimeout = "--shutdown-timeout"

    var takesValue: Bool { ![.help, .version, .collectorPanel, .record, .deliver].contains(self) }

    /// The options that say what the host does, if it does not serve its caller. It does one thing.
    static let actions = [deliver, listen, inspect, listRefused, retryRefused, dropRefused]

    /// The options of which it needs one: it means nothing without.
    var companions: [Option] {
        switch self {
        case .deliver: [.config]
        case .timeout: [.deliver]
        case .format: [.inspect]
        case .filter: [.listRefused, .retryRefused, .dropRefused]
        case .listenMode, .maxConnections, .maxLanes: [.listen]
        default: []
        }
    }

    /// What a value must be, as a part of a sentence.
    var expectation: String {
        switch self {
        case .help, .version, .collectorPanel, .record, .deliver: "absent"
        case .storageDirectory, .config, .metricsFile: "a path in which the home folder is written out"
        case .timeout: "a time up to a day, such as 60s or 500ms (60 means seconds)"
        case .logLevel: "error, warning, info or debug"
        case .logFormat: "text or json"
        case .appName: "a name"
        case .listen: "a path in which the home folder is written out"
        case .listenMode: "0600, this user alone, or 0660, the socket's group too"
        case .maxConnections, .maxLanes: "a number up to 65536"
        case .inspect, .listRefused, .retryRefused, .dropRefused: "a path"
        case .filter: "a JSON object"
        case .format: "json or openmetrics"
        case .maxMessageBytes: "a number of bytes up to 1073741824"
        case .shutdownTimeout: "a time up to 10 minutes, such as 1.5s or 1500ms (1500 means milliseconds)"
        }
    }
}

extension Duration {
    /// Reads whole milliseconds (`1500`, `1500ms`) or seconds (`1.5s`).
    init?(argument: String) {
        let isDecimal = { (text: Substring) in text.allSatisfy { $0.isASCII && ($0.isNumber || $0 == ".") } }
        if argument.hasSuffix("ms") || argument.last != "s" {
            let digits = argument.hasSuffix("ms") ? argument.dropLast(2) : argument[...]
            guard isDecimal(digits), let count = Int32(digits) else { return nil }
            self = .milliseconds(count)
        } else {
            guard isDecimal(argument.dropLast()), let seconds = Double(argument.dropLast()), seconds < 1e6 else {
                return nil
            }
            self = .milliseconds(Int((seconds * 1_000).rounded()))
        }
    }
}
