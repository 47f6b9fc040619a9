import CCurl
import Synchronization
import TrackerPlatform

/// A delivery loop over libcurl: one thread that owns a libcurl multi handle and all its connections.
///
/// Connections are kept and used again. HTTP/2 is used if the server offers it over TLS. Certificates are always
/// verified. An idle thread sleeps, and does not wake by itself.
///
/// A loop ends with ``close()``, or when the last reference to it is released.
public final class CurlLoop: DeliveryLoop {
    private let mailbox: LoopMailbox

    /// Starts a loop.
    ///
    /// - Parameter configuration: The settings of every request of the loop.
    /// - Throws: ``TransportError`` with ``TransportError/Kind/unavailable`` if libcurl cannot be loaded or set up, or no thread
    ///   can be started.
    public init(configuration: TransportConfiguration) throws(TransportError) {
        if let reason = CurlLibrary.load() { throw TransportError(.unavailable, host: "", message: reason) }
        guard let multi = CurlMulti() else {
            throw TransportError(
                .unavailable, host: "",
                message: "libcurl could not be set up. It needs memory and two free file descriptors: if the process "
                    + "is at its limit (ulimit -n), raise that or close files.")
        }
        let mailbox = LoopMailbox(wake: { multi.wake() })
        self.mailbox = mailbox
        let isStarted = LoopThread.start {
            CurlDriver(configuration: configuration, mailbox: mailbox, multi: multi).run()
        }
        guard isStarted else {
            throw TransportError(.unavailable, host: "", message: "The system has no thread for the delivery loop.")
        }
    }

    deinit { close() }

    /// The machine's monotonic time, which goes on while the machine sleeps.
    package var now: MonotonicInstant { MonotonicClock.now }

    /// Runs `work` on the loop, after all work posted before; `false` if the loop is closed.
    @discardableResult
    package func post(_ work: @escaping @Sendable () -> Void) -> Bool { mailbox.post(work) }

    /// Runs `work` on the loop once, at `instant` or soon after.
    @discardableResult
    package func schedule(at instant: MonotonicInstant, _ work: @escaping @Sendable () -> Void) -> TimerID {
        mailbox.schedule(at: instant, work)
    }

    package func cancel(_ timer: TimerID) { mailbox.cancel(timer) }

    /// Sends a request, and runs `completion` on the loop exactly once.
    @discardableResult
    package func submit(
        _ request: HTTPRequest,
        completion: @escaping @Sendable (Result<HTTPResponse, TransportError>) -> Void
    ) -> TransferID {
        let (id, isTaken) = mailbox.submit(request, completion)
        if !isTaken { completion(.failure(.closed(host: WebAddress(reading: request.url)?.authority ?? ""))) }
        return id
    }

    /// Sends a request, and returns the server's answer, whatever its status.
    ///
    /// If the task is cancelled, so is the exchange. The server may have received the request all the same.
    ///
    /// - Throws: Why there is no answer, such as ``TransportError/Kind/timeout`` or ``TransportError/Kind/cancelled``.
    public func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let transfer = Mutex<TransferID?>(nil)
        return try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let id = submit(request) { continuation.resume(returning: $0) }
                transfer.withLock { $0 = id }
                if Task.isCancelled { cancel(id) }
            }
        } onCancel: {
            if let id = transfer.withLock(\.self) { cancel(id) }
        }.get()
    }

    /// Ends an exchange. Its completion gets ``TransportError/Kind/cancelled``, unless it has run already.
    package func cancel(_ transfer: TransferID) { mailbox.cancel(transfer) }

    /// Makes the next request open a new connection, and ends the old ones.
    package func renewConnections() { mailbox.renewConnections() }

    /// Ends the loop, without waiting for that; see ``ended()``.
    public func close() { mailbox.close() }

    /// Waits until a closed loop's thread has closed its connections and run its last completion.
    ///
    /// Call ``close()`` before: otherwise it waits for ever. Cancelling the task does not end the wait. Do not await it
    /// from work that the loop itself runs.
    public func ended() async {
        await withCheckedContinuation { continuation in
            mailbox.whenEnded { continuation.resume() }
        }
    }

    /// How often the thread has gone to sleep so far.
    var parkings: Int { mailbox.parkings }
}

/// A thread for work that blocks.
enum LoopThread {
    /// libcurl, TLS and what an engine does on its loop are content with this; the default is 8 MiB. Without optimisation a
    /// value of 128 levels takes 300 KiB to be written.
    #if DEBUG
        static let stackSize = 1 << 20
    #else
        static let stackSize = 256 * 1024
    #endif

    /// Its name in debuggers and in lists of threads, which else would be that of the thread that started it.
    static let name = "tracker.loop"

    /// What a thread does.
    ///
    /// The closure that it returns runs last, after everything that it held is released.
    typealias Body = @Sendable () -> [@Sendable () -> Void]

    private final class Start: Sendable {
        let body: Body
        init(_ body: @escaping Body) { self.body = body }
    }

    /// Starts a detached thread that runs `body` and ends.
    ///
    /// - Returns: `false` if the system has no thread to give.
    static func start(_ body: @escaping Body) -> Bool {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { unsafe attributes.deallocate() }
        guard unsafe pthread_attr_init(attributes) == 0 else { return false }
        defer { unsafe pthread_attr_destroy(attributes) }
        unsafe pthread_attr_setstacksize(attributes, stackSize)
        unsafe pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))

        let start = unsafe Unmanaged.passRetained(Start(body))
        #if canImport(Darwin)
            var thread: pthread_t?
            let failure = unsafe pthread_create(&thread, attributes, { LoopThread.run($0) }, start.toOpaque())
        #else
            var thread = pthread_t()
            let failure = unsafe pthread_create(&thread, attributes, { unsafe LoopThread.run($0) }, start.toOpaque())
        #endif
        guard failure == 0 else {
            unsafe start.release()
            return false
        }
        return true
    }

    private static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context = unsafe context else { return nil }
        unsafe tracker_name_thread(name)
        // A server that goes away must not end the process: writing to it fails instead.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        for work in unsafe finish(Unmanaged.fromOpaque(context)) { work() }
        return nil
    }

    /// Runs the body and releases it.
    private static func finish(_ start: Unmanaged<Start>) -> [@Sendable () -> Void] {
        defer { unsafe start.release() }
        return unsafe start._withUnsafeGuaranteedRef { $0.body() }
    }
}
