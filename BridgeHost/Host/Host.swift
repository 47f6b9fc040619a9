import Bridge
import JSONRPC
import TrackerCore
import TrackerModels
import TrackerPlatform

/// The process: its streams, its signals and its end.
struct Host {
    let options: HostOptions

    func run() {
        switch options.action {
        case .help: print(HostOptions.help)
        case .version: print("\(ProductVersion.product) \(ProductVersion.current)\n\(Dependencies.prepare())")
        case .inspect(let folder): print(StateReport.describe(folder: folder))
        case .refused(let action, let folder):
            do throws(CommandFailure) {
                print(try RefusedCommand(action, folder: folder, filter: options.filter).run())
            } catch {
                Self.complain("BridgeHost: \(error.message)")
                exit(1)
            }
        case .serve: serve()
        }
    }

    private func serve() -> Never {
        let streams = StandardStreams()
        let connection = Connection(input: streams.input, output: streams.output, limits: options.limits)
        ProcessSignals.watch([SIGTERM, SIGINT]) { _ in connection.stop() }
        let session = HostSession(
            settings: HostSettings(
                appName: options.appName, storageDirectory: options.storageDirectory,
                collectorPanel: options.collectorPanel, maxMessageBytes: options.limits.maxMessageBytes),
            log: HostLog(
                descriptor: STDERR_FILENO, least: options.logLevel, format: options.logFormat),
            notify: { connection.notify($0) }, together: { answers in connection.together(answers) },
            stop: { connection.stop() })
        // It takes longer than the first answer, and is not needed before the first `init`.
        Alarm(after: .zero) { Dependencies.prepare() }
        connection.run(session)
        // The handlers that `exit` calls race the threads that still run, those of OpenSSL above all.
        _exit(0)
    }

    static func complain(_ message: String) {
        let bytes = Array("\(message)\n".utf8)
        // There is nowhere else to say that even this fails.
        _ = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
}
