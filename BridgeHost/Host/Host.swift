import Bridge
import JSONRPC
import Synchronization
import TrackerCore
import TrackerModels
import TrackerPlatform

/// The process: its streams, its signals and its end.
struct Host {
    /// The part of the time for ending that is kept for the metrics file.
    static let metricsShare = 10

    let options: HostOptions

    func run() {
        // Serving moves them, and has to know which were closed.
        if case .serve = options.action {} else { StandardStreams.openMissing() }
        switch options.action {
        case .help: print(HostOptions.help)
        case .version: print(Self.version(as: options.logFormat))
        case .inspect(let folder):
            printing { () throws(CommandFailure) in
                try InspectCommand(folder: folder, format: options.format).run()
            }
        case .refused(let action, let folder):
            let command: RefusedCommand
            do throws(CommandFailure) {
                command = try RefusedCommand(action, folder: folder, filter: options.filter)
            } catch {
                complain(of: error)
                exit(UsageError.exitCode)
            }
            printing { () throws(CommandFailure) in "\(try command.run().text)\n" }
        case .serve: serve()
        case .listen(let path): listen(at: path)
        case .deliver(let timeout): deliver(within: timeout)
        }
    }

    /// The host's version and that of libcurl, or why libcurl cannot be loaded.
    private static func version(as format: HostLog.Format) -> String {
        let (name, version) = (ProductVersion.product, ProductVersion.current)
        let libcurl = Dependencies.prepare()
        guard format == .json else { return "\(name) \(version)\n\(libcurl.text)" }
        var object: JSONObject = ["name": .string(name), "version": .string(version)]
        switch libcurl {
        case .version(let version): object["libcurl"] = .string(version)
        case .problem(let sentence): object["problem"] = .string(sentence)
        }
        return JSONValue.object(object).description
    }

    /// Prints what a command has to say, or ends with its failure.
    private func printing(_ command: () throws(CommandFailure) -> String) {
        do throws(CommandFailure) {
            print(try command(), terminator: "")
        } catch {
            complain(of: error)
            exit(1)
        }
    }

    /// Says why a command has failed, in the format of the log.
    private func complain(of failure: CommandFailure) {
        guard options.logFormat == .json else { return Self.complain("BridgeHost: \(failure.message)") }
        HostLog(descriptor: STDERR_FILENO, least: .error, format: .json).log(.error, failure.message)
    }

    private func serve() -> Never {
        let streams = StandardStreams()
        let connection = Connection(input: streams.input, output: streams.output, limits: options.limits)
        let isStarting = Atomic(options.startFile != nil)
        ProcessSignals.watch([SIGTERM, SIGINT]) { _ in
            // A disk that stalls would keep it from ending, and nothing was read yet.
            if isStarting.load(ordering: .acquiring) { _exit(0) }
            connection.stop()
        }
        let (log, metrics) = logAndMetrics()
        let session = HostSession(
            settings: settings, log: log, metrics: metrics, notify: { connection.notify($0) },
            together: { answers in connection.together(answers) }, stop: { connection.stop() })
        // It takes longer than the first answer, and is not needed before the first `init`.
        if !options.isRecording { Alarm(after: .zero) { Dependencies.prepare() } }
        start(session)
        isStarting.store(false, ordering: .releasing)
        metrics.end(by: connection.run(session))
        // The handlers that `exit` calls race the threads that still run, those of OpenSSL above all.
        _exit(0)
    }

    /// Delivers what waits in the clients of the file, and ends.
    private func deliver(within timeout: Duration) -> Never {
        let command = DeliverCommand()
        let isStarting = Atomic(true)
        ProcessSignals.watch([SIGTERM, SIGINT]) { _ in
            if isStarting.load(ordering: .acquiring) { _exit(DeliverCommand.someRemain) }
            command.cut()
        }
        let begin = ContinuousClock.now
        let patience = timeout + options.limits.shutdownTimeout
        Alarm(after: patience) {
            guard isStarting.load(ordering: .acquiring) else { return }
            Self.complain(
                "BridgeHost: --deliver has not begun: the clients of --config are not set up after \(patience), since "
                    + "the disk or another process keeps the state folder. Nothing was sent, and what waits is kept.")
            _exit(DeliverCommand.someRemain)
        }
        let (log, metrics) = logAndMetrics()
        let session = HostSession(
            settings: settings, log: log, metrics: metrics, notify: { _ in }, stop: {})
        start(session)
        isStarting.store(false, ordering: .releasing)
        let (report, remarks, exitCode) = command.run(session, within: max(.zero, timeout - (.now - begin)))
        let deadline = ContinuousClock.now + options.limits.shutdownTimeout
        let closing = deadline - options.limits.shutdownTimeout / Self.metricsShare
        ThreadWait.answer { done in session.shutdown(by: closing) { done(()) } }
        metrics.end(by: deadline)
        Self.write("\(report)\n", to: STDOUT_FILENO)
        for remark in remarks { Self.complain("BridgeHost: \(remark)") }
        _exit(exitCode)
    }

    private func listen(at path: String) -> Never {
        // Each connection is one, and each queue ten.
        raiseDescriptorLimit()
        let lanes = OpenLanes(limit: options.maxLanes)
        let (log, metrics) = logAndMetrics(lanes)
        do throws(AgentFault) {
            let agent = try Agent(
                path: path, options: options, settings: settings, log: log, metrics: metrics, lanes: lanes)
            let isStarting = Atomic(options.startFile != nil)
            ProcessSignals.watch([SIGTERM, SIGINT]) { _ in
                if isStarting.load(ordering: .acquiring) {
                    agent.removeSocket()
                    _exit(0)
                }
                agent.stop()
            }
            Alarm(after: .zero) { Dependencies.prepare() }
            // It has clients of its own where there is a file: their lanes are delivered although nobody connects.
            let own = agent.session()
            start(own) { agent.removeSocket() }
            isStarting.store(false, ordering: .releasing)
            metrics.end(by: agent.run())
            withExtendedLifetime(own) {}
        } catch {
            Self.complain("BridgeHost: \(error.message)")
            exit(error.isPassing ? Self.lacksSomething : Self.wrongConfiguration)
        }
        _exit(0)
    }

    private var settings: HostSettings {
        HostSettings(
            appName: options.appName, storageDirectory: options.storageDirectory,
            collectorPanel: options.collectorPanel, maxMessageBytes: options.limits.maxMessageBytes,
            isRecording: options.isRecording)
    }

    private func logAndMetrics(_ lanes: OpenLanes? = nil) -> (HostLog, HostMetrics) {
        let log = HostLog(descriptor: STDERR_FILENO, least: options.logLevel, format: options.logFormat)
        for doubt in options.doubts { log.log(.warning, doubt) }
        return (log, HostMetrics(file: options.metricsFile.map { MetricsFile($0, log: log) }, lanes: lanes))
    }

    /// Starts the clients of the file, if there is one. Where they cannot be started as it says, the host ends: nobody
    /// would see that they are missing.
    ///
    /// - Parameter cleanUp: What is done before that.
    private func start(_ session: HostSession, orEndAfter cleanUp: () -> Void = {}) {
        session.metrics.begin()
        guard let path = options.startFile else { return }
        do throws(CommandFailure) {
            try session.start(StartFile(path: path))
        } catch {
            Self.complain("BridgeHost: \(error.message)")
            cleanUp()
            _exit(error.isPassing ? Self.lacksSomething : Self.wrongConfiguration)
        }
    }

    /// The exit code of a host that may start later as it is.
    private static let lacksSomething: Int32 = 1

    /// The exit code of a command whose configuration is wrong (sysexits.h, EX_CONFIG): another start would fail as well.
    private static let wrongConfiguration: Int32 = 78

    static func complain(_ message: String) {
        write("\(message)\n", to: STDERR_FILENO)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
            // There is nowhere else to say that even this fails.
            guard count > 0 || errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}

/// `write(2)`, whose name a method above has.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}
