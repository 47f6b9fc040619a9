import TestSupport
import TrackerModels
import TrackerNetworking
import TrackerStorage

@testable import TrackerCore

/// A client of its own, a server for it and a folder that both outlive it.
struct AnalyticsFixture {
    let backend: Backend
    let directory: TemporaryDirectory
    let log = RecordingLog()
    let client: AnalyticsClient

    init(_ rule: @escaping Backend.Rule = { _ in .status(200) }) throws {
        try self.init(Backend(rule), TemporaryDirectory())
    }

    init(_ backend: Backend, _ directory: TemporaryDirectory) {
        self.backend = backend
        self.directory = directory
        client = AnalyticsClient(dependencies: .system(log: log))
    }

    /// The same folder and server as seen by the next process, as far as one process can show it.
    func restarted() -> AnalyticsFixture { AnalyticsFixture(backend, directory) }

    /// Options for the server: retries come soon, and the interval and the time for a request never pass by themselves.
    func options(
        writeKey: String = "wk-test-1234", interval: Int = 3600, flushAt: Int = 20, maxQueueEvents: Int = 2000,
        maxBatchSize: Int = 100,
        maxBatchBytes: Int = 475_000, app: AppInfo = AppInfo(), context: JSONObject = [:],
        whenRefused: InitOptions.WhenRefused = .halt,
        change: (inout DeliveryOptions) -> Void = { _ in }
    ) -> InitOptions {
        var delivery = DeliveryOptions(
            storageDirectory: directory.path("state"), requestTimeout: .seconds(60), retryDelay: .milliseconds(10),
            cooldown: .milliseconds(10), maxCooldown: .milliseconds(20))
        change(&delivery)
        return InitOptions(
            writeKey: writeKey, ingestionHost: backend.url, flushIntervalSeconds: interval,
            maxQueueEvents: maxQueueEvents, flushAt: flushAt, maxBatchSize: maxBatchSize, maxBatchBytes: maxBatchBytes,
            requestTimeout: .seconds(60), app: app, context: context, delivery: delivery,
            whenRefused: whenRefused)
    }

    /// Initialises with these options and waits until that is done.
    func start(_ options: InitOptions? = nil) async {
        await client.initializeAndWait(with: options ?? self.options())
    }

    /// The names of the tracked events that have arrived, in their order.
    var names: [String] { backend.events.compactMap { $0["event"]?.stringValue } }
}

extension AnalyticsClient {
    /// A member of the debug info, by the way to it.
    func info(_ path: String...) -> JSONValue? {
        path.reduce(.object(debugInfo())) { $0?[$1] }
    }

    /// Whether everything that was accepted is accounted for.
    var isBalanced: Bool {
        guard case .object(let account)? = info("account") else { return false }
        let dropped = account["dropped"]?.objectValue?.values.compactMap(\.intValue).reduce(0, +) ?? 0
        let term = { (name: String) in account[name]?.intValue ?? 0 }
        return term("accepted") + term("recovered") + term("requeued") == term("delivered") + term("queued") + dropped
    }
}
