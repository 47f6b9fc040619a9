package import JSONRPC
import Synchronization
package import TrackerCore
import TrackerModels
import TrackerPlatform
import TrackerTesting

/// One connection to the host: the native clients that its calls reach, and its subscriptions.
///
/// It answers the calls of a connection by the method table. Calls take effect in the order in which they come. `init`
/// and `flush` may answer late, and other calls do not wait for them.
package final class HostSession: Responder {
    /// The share of the time for ending that an `init` or a flush under way may still take.
    private static let graceShare = 0.4
    /// The share of it after which the host no longer waits for the disk.
    private static let closingShare = 0.8

    let tracker: MobileTracker
    let analytics: AnalyticsClient
    let basic: BasicTracker
    /// What records the calls, if the host was started for a test.
    let test: TestTracker?
    let publisher: NotificationPublisher
    /// What the host was started with.
    let settings: HostSettings
    let openCalls = OpenCalls()
    let order = CallOrder()
    /// The calls that have asked for the end. They are answered last: a client that has their answer has every other.
    /// `nil`: the session has ended.
    private let endings = Mutex<[Reply]?>([])
    /// Those of the process, this session's clients among them.
    package let metrics: HostMetrics
    /// Whether other sessions go on after this one.
    private let isOneOfMany: Bool
    private let stop: @Sendable () -> Void
    private let after: @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

    /// - Parameters:
    ///   - settings: What the host was started with.
    ///   - log: Where log messages go besides the client.
    ///   - metrics: Where the figures of the session's clients are shown.
    ///   - notify: Sends the client a notification; must return at once.
    ///   - together: Sends the answers that a closure gives in one write.
    ///   - lanes: The lanes that its clients share with those of other sessions; `nil`: they have their own.
    ///   - after: Runs something after a while.
    ///   - stop: Ends the connection; must return at once.
    package init(
        settings: HostSettings, log: HostLog, metrics: HostMetrics = HostMetrics(),
        notify: @escaping @Sendable (JSONRPC.Notification) -> Void,
        together: @escaping @Sendable (() -> Void) -> Void = { $0() }, lanes: OpenLanes? = nil,
        after: @escaping @Sendable (Duration, @escaping @Sendable () -> Void) -> Void = { Alarm(after: $0, $1) },
        stop: @escaping @Sendable () -> Void
    ) {
        self.stop = stop
        self.after = after
        isOneOfMany = lanes != nil
        self.settings = settings
        self.metrics = metrics
        publisher = NotificationPublisher(notify)
        let names = [("", "init()"), ("analytics: ", "analytics.initialize()"), ("basic: ", "basic.initialize()")]
        let dependencies = names.map { [publisher] prefix, initializer in
            func shared(_ log: HostLog?, _ publisher: NotificationPublisher?) -> SharedLog {
                SharedLog(log: log, publisher: publisher, prefix: prefix, initializer: initializer)
            }
            var dependencies = Dependencies.system(log: shared(log, publisher))
            // Whatever a lane keeps changes in a transaction, and each is answered.
            dependencies.answering = { [metrics] answers in
                together(answers)
                metrics.change()
            }
            dependencies.sharing = lanes.map {
                ClientSharing($0, log: shared(log, nil), listener: shared(nil, publisher))
            }
            return dependencies
        }
        test = settings.isRecording ? TestTracker { dependencies[$0 == .tracker ? 0 : $0 == .analytics ? 1 : 2] } : nil
        tracker = test?.tracker ?? MobileTracker(dependencies: dependencies[0])
        analytics = test?.analytics ?? AnalyticsClient(dependencies: dependencies[1])
        basic = test?.basic ?? BasicTracker(dependencies: dependencies[2])
        for (name, client) in clients {
            client.control.observe { [publisher, metrics] in
                publisher.report($0, from: name)
                metrics.change()
            }
        }
        metrics.add(self)
    }

    package func respond(to request: Request, reply: Reply) {
        order.take(CallOrder.Call(request: request, reply: reply), on: self)
    }

    /// Ensures that every call has ended before the deadline, even if the disk stalls.
    package func willShutDown(by deadline: ContinuousClock.Instant, isServers: Bool) {
        if isServers { openCalls.cutOff() }
        after(Self.rest(until: deadline) * Self.closingShare) { [self] in
            openCalls.close()
            order.close { [openCalls] in openCalls.cut($0) }
            answerEndings()
        }
    }

    /// Sends what can be sent, and closes the clients.
    package func shutdown(by deadline: ContinuousClock.Instant, completion: @escaping @Sendable () -> Void) {
        let isBegun = Atomic(false)
        let begin: @Sendable () -> Void = { [self] in
            guard !isBegun.exchange(true, ordering: .acquiringAndReleasing) else { return }
            if !isOneOfMany { metrics.willEnd() }
            // A client that is closed would answer them as if they had taken effect.
            order.endWaiting(openCalls.cut)
            let complete: @Sendable () -> Void = { [self] in
                answerEndings()
                completion()
            }
            // A test has read what was recorded; nobody would see what is delivered now.
            if settings.isRecording, !isOneOfMany { return complete() }
            shutDownClients(within: Self.rest(until: deadline)) { [self] in
                if isOneOfMany { metrics.remove(self) }
                complete()
            }
        }
        // The last call may be an `init`: a client may write its calls, close its side, and have them performed.
        after(Self.rest(until: deadline) * Self.graceShare, begin)
        // What was read behind a query takes effect too; one of these calls may be such an `init`.
        order.whenNoneWaits { [openCalls] in openCalls.whenNoneIsLate(begin) }
    }

    /// Has every client send what it can, and close.
    func shutDownClients(within timeout: Duration, completion: @escaping @Sendable () -> Void) {
        let missing = Atomic(clients.count)
        for (_, client) in clients {
            client.control.shutDown(within: timeout) {
                guard missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
                completion()
            }
        }
    }

    /// The clients, by the names that notifications give them.
    var clients: [(name: ClientName, client: any ControlledClient)] {
        [(.tracker, tracker), (.analytics, analytics), (.basic, basic)]
    }

    /// Runs `body` once every call that these clients were given before has taken effect.
    ///
    /// - Parameter effect: The least effect of a call that waits for it.
    func afterEarlierCalls(
        to clients: [any ControlledClient], changedBy effect: CallEffect, _ body: @escaping @Sendable () -> Void
    ) {
        order.beginQuestion(changedBy: effect)
        let missing = Atomic(clients.count)
        for client in clients {
            client.control.afterEarlierCalls { [self] in
                guard missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
                body()
                order.endQuestion(changedBy: effect, on: self)
            }
        }
    }

    /// Makes every client that waits try again at once.
    func networkDidChange() {
        tracker.networkDidChange()
        analytics.networkDidChange()
        basic.networkDidChange()
    }

    /// Has every client report what the server takes.
    func observeDeliveries() {
        tracker.control.observeDeliveries()
        analytics.control.observeDeliveries()
        basic.control.observeDeliveries()
    }

    /// Has every client ask the program for credentials.
    func askForCredentials() {
        for (name, client) in clients {
            client.control.askForCredentials { [publisher] in publisher.askForCredentials(of: name, after: $0) }
        }
    }

    /// Ends the connection, as the end of its input would, and answers the call that asks for it when all is done.
    func end(answering reply: Reply) {
        let isLast = endings.withLock { replies in
            replies?.append(reply)
            return replies == nil
        }
        if isLast { reply.succeed(with: .done) }
        stop()
    }

    private func answerEndings() {
        let replies = endings.withLock { replies in
            defer { replies = nil }
            return replies
        }
        // Whoever has this answer has every other.
        for reply in replies ?? [] {
            openCalls.answer(reply, isCut: openCalls.hasGivenUp) { reply.succeed(with: .done) }
        }
    }

    private static func rest(until deadline: ContinuousClock.Instant) -> Duration {
        max(.zero, ContinuousClock.now.duration(to: deadline))
    }
}

/// How the native clients' completions become answers.
extension HostSession {
    /// Answers a call with an object made from a value.
    func answering<Value>(
        _ reply: Reply, _ json: @escaping @Sendable (Value) -> JSONText
    ) -> @Sendable (Value) -> Void {
        completion(of: reply) { .success(json($0)) }
    }

    /// Answers a call that the disk may refuse.
    func answering<Failure: Error & CustomStringConvertible>(_ reply: Reply) -> @Sendable (Failure?) -> Void {
        completion(of: reply) { failure in
            failure.map { .failure(TrackerError(.storage, $0.description).rpcError) } ?? .success(.done)
        }
    }

    /// Answers a call that the disk may refuse with an object made from a value.
    func answeringOrFailing<Value>(
        _ reply: Reply, _ json: @escaping @Sendable (Value) -> JSONText
    ) -> @Sendable (Result<Value, TrackerError>) -> Void {
        completion(of: reply) { $0.map(json).mapError(\.rpcError) }
    }

    /// Answers an initialization, which may take its time and fail.
    ///
    /// - Returns: What to call if its arguments are ignored, and with its end.
    func answeringInitialization(
        _ reply: Reply
    ) -> (whenIgnored: @Sendable () -> Void, completion: @Sendable (Result<Void, TrackerError>) -> Void) {
        let isIgnored = Atomic(false)
        let completion = completion(of: reply, isLate: true) { (result: Result<Void, TrackerError>) in
            result.map { isIgnored.load(ordering: .acquiring) ? .object("ignored", true) : .done }.mapError(\.rpcError)
        }
        return ({ isIgnored.store(true, ordering: .releasing) }, completion)
    }

    func answeringLate(_ reply: Reply) -> @Sendable (FlushReport) -> Void {
        completion(of: reply, isLate: true) { .success($0.json) }
    }

    /// - Parameter isLate: Whether the client's further calls must not wait for this one.
    private func completion<Value>(
        of reply: Reply, isLate: Bool = false,
        _ answer: @escaping @Sendable (Value) -> Result<JSONText, RPCError>
    ) -> @Sendable (Value) -> Void {
        if isLate { reply.mayBeLate() }
        let call = openCalls.add(reply, isLate: isLate)
        return { [openCalls] value in
            switch answer(value) {
            case .success(let json): reply.succeed(with: json)
            case .failure(let error): openCalls.answer(reply, isCut: error.isCut) { reply.fail(with: error) }
            }
            openCalls.remove(call)
        }
    }
}
