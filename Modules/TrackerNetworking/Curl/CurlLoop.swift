import Synchronization

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
