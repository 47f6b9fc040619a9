// A test needs the clients and the values too, so one import gives all.
@_exported public import TrackerCore
public import TrackerModels
import TrackerStorage

/// The three clients, for the tests of a program: they check, store and deliver as always, but in memory, and a recorder
/// takes the place of the server.
///
/// ```swift
/// let test = TestTracker()
/// test.analytics.track("Order Completed", properties: ["total": 149.99], options: CallOptions(userId: "user-1"))
/// try await test.expect("Order Completed", ["total": 149.99], userId: "user-1")
/// ```
///
/// Make one for each test. Nothing of it is on disk or leaves the process, and the environment has no effect on it. A
/// client that your program does not initialise itself is initialised by its first call; if your program does so later,
/// its configuration holds from then on. Requests are answered at once: sessions are called `session-1`, `session-2` and so
/// on, and nothing remains after a flush. No time passes for delivery, so nothing is sent at intervals.
public final class TestTracker: Sendable {
    /// A `MobileTracker`, for code that takes one or `any MobileTrackerInterface`.
    public let tracker: MobileTracker
    /// An `AnalyticsClient`, for code that takes one or `any AnalyticsInterface`.
    public let analytics: AnalyticsClient
    /// A `BasicTracker`, for code that takes one.
    public let basic: BasicTracker
    private let log = CallLog()

    /// Makes a test tracker.
    ///
    /// - Parameters:
    ///   - config: What `tracker` is initialised with unless your program does that, such as its `beforeSend`.
    ///   - options: The same of `analytics`.
    ///   - basicOptions: The same of `basic`.
    ///   - log: Where log messages go.
    public convenience init(
        config: TrackerConfig = TrackerConfig(), options: InitOptions = InitOptions(),
        basicOptions: DeliveryOptions = DeliveryOptions(), log: any TrackerLog = StandardErrorLog()
    ) {
        self.init(config, options, basicOptions) { _ in .system(log: log) }
    }

    /// Makes a test tracker whose clients have these dependencies besides disk and network.
    package init(
        _ config: TrackerConfig = TrackerConfig(), _ options: InitOptions = InitOptions(),
        _ basicOptions: DeliveryOptions = DeliveryOptions(),
        dependencies: (RecordedCall.Client) -> Dependencies
    ) {
        let recorders = RecordedCall.Client.allCases.map { [log] in ClientRecorder($0, in: log) }
        let sessions = SessionNames()
        let parts = RecordedCall.Client.allCases.indices.map { index in
            dependencies(RecordedCall.Client.allCases[index]).recording(by: recorders[index], naming: sessions)
        }
        tracker = MobileTracker(dependencies: parts[0])
        analytics = AnalyticsClient(dependencies: parts[1])
        basic = BasicTracker(dependencies: parts[2])
        recorders[0].initialize { [weak tracker] in
            tracker?.initialize(brandId: "1", config: config.completed, completion: { _ in })
        }
        recorders[1].initialize { [weak analytics] in analytics?.initialize(with: options.completed) }
        recorders[2].initialize { [weak basic] in
            basic?.initialize(
                apiKey: Self.key, endpoint: "\(Self.address)/events", appVersion: nil,
                options: BasicOptions(delivery: basicOptions))
        }
    }

    // RFC 2606 keeps the name: it leads nowhere.
    fileprivate static let address = "https://recorder.invalid"
    fileprivate static let key = "recorder"

    /// The calls so far, of all clients, in the order in which they were made.
    public var calls: [RecordedCall] {
        get async {
            await withCheckedContinuation { continuation in
                whenAnswered { [log] in continuation.resume(returning: log.calls) }
            }
        }
    }

    /// The calls so far, once those before this one have their outcomes.
    package func calls(_ completion: @escaping @Sendable ([RecordedCall]) -> Void) {
        whenAnswered { [log] in completion(log.calls) }
    }

    /// The calls that have a name and some values.
    ///
    /// - Parameters:
    ///   - name: The name of the event, screen or page; of other calls the method, such as `identify`.
    ///   - properties: Values that the calls have, among others: properties, attributes with metadata, or traits.
    ///     Objects are compared member by member, lists as a whole, and numbers by their value.
    ///   - userId: The user of the calls; `nil`: any.
    ///   - anonymousId: The visitor of the calls; `nil`: any.
    ///   - groupId: The group of the calls; `nil`: any.
    ///   - client: Whose calls they are; `nil`: any.
    ///   - reason: Why they were dropped; `nil`: calls that were not dropped.
    /// - Returns: The calls, in their order.
    public func find(
        _ name: String, _ properties: JSONObject = [:], userId: String? = nil, anonymousId: String? = nil,
        groupId: String? = nil, client: RecordedCall.Client? = nil, droppedAs reason: RefusalReason? = nil
    ) async -> [RecordedCall] {
        let members = Self.members(userId, anonymousId, groupId, client, reason)
        return CallExpectation(name, properties, members: members).matches(in: await calls)
    }

    /// Fails unless there are such calls.
    ///
    /// - Parameters:
    ///   - name: The name of the event, screen or page; of other calls the method, such as `identify`.
    ///   - properties: Values that the calls have, among others, compared as `find` compares them.
    ///   - userId: The user of the calls; `nil`: any.
    ///   - anonymousId: The visitor of the calls; `nil`: any.
    ///   - groupId: The group of the calls; `nil`: any.
    ///   - client: Whose calls they are; `nil`: any.
    ///   - reason: Why they were dropped; `nil`: calls that were not dropped.
    ///   - count: How many; `nil`: at least one. With 0 there must be none.
    /// - Returns: The calls, in their order.
    /// - Throws: ``UnexpectedCalls``, which says what was expected, which call came nearest, and what of it differs.
    @discardableResult
    public func expect(
        _ name: String, _ properties: JSONObject = [:], userId: String? = nil, anonymousId: String? = nil,
        groupId: String? = nil, client: RecordedCall.Client? = nil, droppedAs reason: RefusalReason? = nil,
        count: Int? = nil
    ) async throws(UnexpectedCalls) -> [RecordedCall] {
        let members = Self.members(userId, anonymousId, groupId, client, reason)
        let expectation = CallExpectation(name, properties, members: members, count: count)
        let calls = await calls
        if let failure = expectation.failure(in: calls) { throw UnexpectedCalls(description: failure) }
        return expectation.matches(in: calls)
    }

    /// Drops valid calls for this reason from now on, as the product would: on a full disk with `.storage`, say.
    ///
    /// - Parameter reason: The reason; `nil` takes calls again.
    public func fail(_ reason: RefusalReason?) { log.refusal = reason }

    /// Forgets the calls so far, and takes calls again. The clients stay as they are.
    public func clear() { log.clear() }

    private static func members(
        _ userId: String?, _ anonymousId: String?, _ groupId: String?, _ client: RecordedCall.Client?,
        _ reason: RefusalReason?
    ) -> JSONObject {
        var members: JSONObject = [:]
        for (name, text) in [
            ("userId", userId), ("anonymousId", anonymousId), ("groupId", groupId), ("client", client?.rawValue),
        ] {
            members[name] = text.map { .string($0) }
        }
        members["outcome"] = reason.map { ["status": "dropped", "reason": .string($0.rawValue)] }
        return members
    }

    /// Runs `body` once the calls before have their outcomes.
    private func whenAnswered(_ body: @escaping @Sendable () -> Void) {
        tracker.control.afterEarlierCalls { [analytics, basic] in
            analytics.control.afterEarlierCalls { basic.control.afterEarlierCalls(body) }
        }
    }
}

extension Dependencies {
    /// The same, with memory in place of the disk and a recorder in place of the network.
    fileprivate func recording(by recorder: ClientRecorder, naming sessions: SessionNames) -> Dependencies {
        var dependencies = self
        dependencies.recorder = recorder
        dependencies.environment = { _ in nil }
        dependencies.sharing = nil
        dependencies.makeLoop = { _ in RecorderLoop(naming: sessions) }
        dependencies.makeOutbox = { configuration in
            var configuration = configuration
            configuration.location = .memory(MemoryDatabase())
            configuration.onQueued = { [recorder] id, event in recorder.queued(event, as: id) }
            let outbox = SQLiteOutbox(configuration)
            // Without a session the first calls would be pending or not, as threads happen to run.
            if configuration.bindsSessions, configuration.initialConsent == .granted {
                outbox.stage(.ensureDevice) { _ in }
                outbox.stage(.store(.sessionID, sessions.next(), nil)) { _ in }
            }
            return outbox
        }
        return dependencies
    }
}

extension TrackerConfig {
    /// The configuration with what it cannot do without.
    fileprivate var completed: TrackerConfig {
        var config = self
        config.apiUrl = apiUrl ?? TestTracker.address
        config.xApiKey = xApiKey ?? TestTracker.key
        return config
    }
}

extension InitOptions {
    /// The options with what they cannot do without.
    fileprivate var completed: InitOptions {
        var options = self
        if writeKey.isEmpty { options.writeKey = TestTracker.key }
        if ingestionHost.isEmpty { options.ingestionHost = TestTracker.address }
        return options
    }
}
