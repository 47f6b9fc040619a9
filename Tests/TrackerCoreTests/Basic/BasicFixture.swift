import TestSupport
import TrackerModels

@testable import TrackerCore

/// A tracker of its own, a server for it and a folder that both outlive it.
struct BasicFixture {
    let backend: Backend
    let directory: TemporaryDirectory
    let log = RecordingLog()
    let tracker: BasicTracker
    private let persistence: DeliveryOptions.Persistence

    init(
        _ persistence: DeliveryOptions.Persistence = .disk, _ rule: @escaping Backend.Rule = { _ in .status(200) }
    ) throws {
        try self.init(Backend(rule), TemporaryDirectory(), persistence)
    }

    private init(
        _ backend: Backend, _ directory: TemporaryDirectory, _ persistence: DeliveryOptions.Persistence
    ) {
        self.backend = backend
        self.persistence = persistence
        self.directory = directory
        tracker = BasicTracker(dependencies: .system(log: log))
    }

    /// The same folder and server as seen by the next process, as far as one process can show it.
    func restarted() -> BasicFixture { BasicFixture(backend, directory, persistence) }

    /// Options with waits short enough to be waited for.
    var options: DeliveryOptions {
        DeliveryOptions(
            storageDirectory: directory.path("state"), persistence: persistence, retryDelay: .milliseconds(10),
            cooldown: .milliseconds(10),
            maxCooldown: .milliseconds(20))
    }

    /// Options under which a request that failed is not sent again by itself.
    var patientOptions: DeliveryOptions {
        DeliveryOptions(
            storageDirectory: directory.path("state"), persistence: persistence, retryDelay: .seconds(3600),
            cooldown: .seconds(3600),
            maxCooldown: .seconds(3600))
    }

    func start(apiKey: String = "key-1234", path: String = "/events", maxQueueSize: Int = 100) throws {
        try tracker.initialize(
            apiKey: apiKey, endpoint: backend.url + path, appVersion: "1.2.3", maxQueueSize: maxQueueSize,
            options: options)
    }

    /// Starts with a server that is down, so that everything stays in the queue.
    func startOffline(maxQueueSize: Int = 100) throws {
        backend.answer { _ in .status(503) }
        try tracker.initialize(
            apiKey: "key-1234", endpoint: backend.url + "/events", maxQueueSize: maxQueueSize, options: patientOptions)
    }

    /// Lets the server take everything, and gives what it took.
    func goOnline() async -> [JSONValue] {
        let taken = backend.takeEverything()
        var report: FlushReport
        repeat {
            // A request that was on the wire may yet fail, and make what follows wait.
            tracker.networkDidChange()
            report = await tracker.flush(timeout: .seconds(60))
        } while report.remaining > 0
        return taken.events
    }
}

extension BasicTracker {
    /// A member of the debug info, by the way to it.
    func info(_ path: String...) -> JSONValue? {
        path.reduce(.object(debugInfo())) { $0?[$1] }
    }

    /// How many events are queued.
    var queueLength: Int { Int(info("queueLength")?.intValue ?? -1) }
}
