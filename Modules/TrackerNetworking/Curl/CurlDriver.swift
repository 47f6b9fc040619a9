import CCurl
import TrackerModels
import TrackerPlatform

/// What the loop's thread does: it takes commands from the mailbox, drives libcurl, runs completions and timers, and
/// parks when there is nothing to do.
///
/// Only that thread uses it.
@safe struct CurlDriver: ~Copyable {
    private final class InFlight {
        let transfer: CurlTransfer
        var exchange: Exchange
        /// How often connections had been retired when it was last sent.
        var retirements = 0
        let completion: LoopMailbox.Completion

        init(transfer: CurlTransfer, exchange: Exchange, completion: @escaping LoopMailbox.Completion) {
            self.transfer = transfer
            self.exchange = exchange
            self.completion = completion
        }
    }

    private let configuration: TransportConfiguration
    private let mailbox: LoopMailbox
    private let multi: CurlMulti
    private let compressor: GzipCompressor?
    private var policy = CompressionPolicy()
    private var inFlight: [TransferID: InFlight] = [:]
    private var freeTransfers: [CurlTransfer] = []
    /// Most requests go to the URL of the one before.
    private var lastAddress: WebAddress?
    private var retirements = 0
    /// Whether retired connections are still open, for requests that are under way on them.
    private var isRetiring = false
    /// Whether the next request must have a new connection.
    private var isFreshNeeded = false

    init(configuration: TransportConfiguration, mailbox: LoopMailbox, multi: CurlMulti) {
        self.configuration = configuration
        self.mailbox = mailbox
        self.multi = multi
        compressor = configuration.compression == .gzip ? GzipCompressor() : nil
    }

    /// Runs the loop until it is closed.
    ///
    /// - Returns: What is to run when everything is released.
    consuming func run() -> [@Sendable () -> Void] {
        var commands: [LoopMailbox.Command] = []
        while true {
            let isClosing = mailbox.take(into: &commands)
            for command in commands { carryOut(command, isClosing: isClosing) }
            commands.removeAll(keepingCapacity: true)
            if isClosing {
                closeInFlight()
                if let rest = mailbox.end() { return rest }
                continue
            }
            // Also with nothing under way: newer versions end a connection that the server closes here, and until then its
            // socket would end each wait at once.
            moveOn()
            runTimers()
            if case .until(let instant) = mailbox.park() {
                multi.poll(milliseconds: wait(until: instant))
                mailbox.unpark()
            }
        }
    }

    // MARK: Commands

    private mutating func carryOut(_ command: LoopMailbox.Command, isClosing: Bool) {
        switch command {
        case .work(let work): work()
        case .submit(_, let request, let completion) where isClosing:
            completion(.failure(.closed(host: WebAddress(reading: request.url)?.authority ?? "")))
        case .submit(let id, let request, let completion): begin(id, request, completion)
        case .cancel(let id):
            guard let entry = inFlight[id] else { return }
            let host = entry.exchange.address.authority
            finish(
                id,
                .failure(
                    TransportError(
                        .cancelled, host: host, message: "The request to \(host) was called off while under way.")))
        case .renewConnections:
            retireConnections()
            endRetired()
        }
    }

    private mutating func begin(
        _ id: TransferID, _ request: HTTPRequest, _ completion: @escaping LoopMailbox.Completion
    ) {
        guard let address = read(request.url), !address.hasUserInfo else {
            return completion(
                .failure(
                    TransportError(
                        .invalidRequest, host: "",
                        message: "The URL of a request (\(request.url.utf8.count) bytes) cannot be used. It must be "
                            + "absolute, with http or https, without user info, and not megabytes long.")))
        }
        if let fault = request.fault {
            return completion(
                .failure(
                    TransportError(
                        .invalidRequest, host: address.authority,
                        message: "A request to \(address.authority) was not sent. \(fault)")))
        }
        guard let transfer = freeTransfers.popLast() ?? CurlTransfer(configuration, sockets: multi.sockets) else {
            return completion(.failure(.unavailable(host: address.authority)))
        }
        let exchange = Exchange(
            request: request, address: address, deadline: MonotonicClock.now.advanced(by: request.timeout),
            compressedBody: compressed(request, to: address))
        transfer.id = id
        inFlight[id] = InFlight(transfer: transfer, exchange: exchange, completion: completion)
        send(id)
    }

    private mutating func read(_ url: String) -> WebAddress? {
        if let lastAddress, lastAddress.text == url { return lastAddress }
        lastAddress = WebAddress(reading: url)
        return lastAddress
    }

    private func compressed(_ request: HTTPRequest, to address: WebAddress) -> [UInt8]? {
        guard request.isCompressible, let body = request.body, body.count >= configuration.compressionThreshold,
            request.headers["Content-Encoding"] == nil, policy.allows(address.origin)
        else { return nil }
        // A copy of an optional that cannot be copied would be needed to call through it with `?`.
        switch compressor {
        case .some(let compressor): return compressor.compress(body)
        case .none: return nil
        }
    }

    // MARK: Transfers

    /// Sends the next request of the exchange.
    private mutating func send(_ id: TransferID) {
        guard let entry = inFlight[id] else { return }
        let exchange = entry.exchange
        let left = MonotonicClock.now.duration(to: exchange.deadline)
        guard left > .zero else {
            return finish(
                id,
                .failure(
                    TransportError(
                        CURLE_OPERATION_TIMEDOUT, at: exchange.address, isOverflown: false, detail: "", proxy: nil,
                        timeout: exchange.request.timeout)))
        }
        let isStarted =
            entry.transfer.prepare(exchange, timeout: left, isFresh: isFreshNeeded) && entry.transfer.start(on: multi)
        guard isStarted else { return finish(id, .failure(.unavailable(host: exchange.address.authority))) }
        entry.retirements = retirements
        // As long as a retired connection is open, libcurl would use it.
        isFreshNeeded = isRetiring
    }

    /// Moves all transfers on, and finishes those that have ended.
    private mutating func moveOn() {
        multi.perform()
        while let (transfer, code) = multi.nextDone() {
            guard let id = transfer.id else { continue }
            finishTransfer(id, transfer, code)
        }
    }

    private mutating func finishTransfer(_ id: TransferID, _ transfer: CurlTransfer, _ code: CURLcode) {
        guard let entry = inFlight[id] else { return }
        transfer.stop(on: multi)
        // The connection may be dead, and HTTP/2 would go on using it until TCP gives up.
        if code == CURLE_OPERATION_TIMEDOUT { retireConnections() }
        // An answer with a whole header counts, even if its body broke off.
        guard let answer = transfer.answer(isWhole: code == CURLE_OK) else {
            if Self.isOfHTTP2(code) && !entry.exchange.isRenewed {
                // A server that reloads ends its connections (GOAWAY). The next one is the new server's.
                entry.exchange.isRenewed = true
                isFreshNeeded = true
                return send(id)
            }
            return finish(id, .failure(error(code, of: entry.exchange, on: transfer)))
        }
        guard answer.status != 407 else {
            return finish(id, .failure(refusal(by: 407, of: entry.exchange.address, headers: answer.headers)))
        }
        let step = entry.exchange.advance(
            after: answer, leadingTo: transfer.location, policy: &policy, read: WebAddress.init(reading:))
        switch step {
        case .send: send(id)
        case .finish(let result): finish(id, result)
        }
    }

    /// Whether HTTP/2 ended a stream or its connection before a header was whole. HTTP/1.1 fails with other codes.
    private static func isOfHTTP2(_ code: CURLcode) -> Bool {
        code == CURLE_HTTP2 || code == CURLE_HTTP2_STREAM || code == CURLE_PARTIAL_FILE
    }

    private func error(_ code: CURLcode, of exchange: Exchange, on transfer: CurlTransfer) -> TransportError {
        if let status = transfer.proxyRefusal { return refusal(by: status, of: exchange.address) }
        return TransportError(
            code == CURLE_OK ? CURLE_RECV_ERROR : code, at: exchange.address, isOverflown: transfer.isOverflown,
            detail: transfer.detail, proxy: proxy(for: exchange.address), timeout: exchange.request.timeout)
    }

    private func refusal(by status: Int, of address: WebAddress, headers: HTTPHeaders? = nil) -> TransportError {
        TransportError(refusedBy: proxy(for: address)?.name, status: status, at: address, headers: headers)
    }

    private func proxy(for address: WebAddress) -> ProxyURL? {
        ProxyURL.find(configuration.proxy, isSecure: address.isSecure) { name in
            unsafe getenv(name).map { unsafe String(cString: $0) }
        }
    }

    /// Retires the connections that are open now: no further request is sent on them.
    private mutating func retireConnections() {
        multi.sockets.retire()
        retirements += 1
        isRetiring = true
        isFreshNeeded = true
    }

    /// Ends retired connections, once nothing is under way on them.
    private mutating func endRetired() {
        guard isRetiring, inFlight.values.allSatisfy({ $0.retirements == retirements }) else { return }
        multi.sockets.shutDownRetired()
        isRetiring = false
    }

    /// An exchange's transfer is free before the completion runs, so that the completion may submit the next request on it.
    private mutating func finish(_ id: TransferID, _ result: Result<HTTPResponse, TransportError>) {
        guard let entry = inFlight.removeValue(forKey: id) else { return }
        entry.transfer.stop(on: multi)
        entry.transfer.id = nil
        entry.transfer.rest()
        freeTransfers.append(entry.transfer)
        endRetired()
        entry.completion(result)
    }

    private mutating func closeInFlight() {
        for id in inFlight.keys.sorted(by: { $0.number < $1.number }) {
            guard let host = inFlight[id]?.exchange.address.authority else { continue }
            finish(id, .failure(.closed(host: host)))
        }
    }

    // MARK: Time

    private func runTimers() {
        let now = MonotonicClock.now
        let limit = mailbox.timerLimit
        while let work = mailbox.popTimer(at: now, below: limit) { work() }
    }

    /// The longest wait that libcurl takes is 24 days; an idle loop then waits again.
    private func wait(until instant: MonotonicInstant?) -> Int32 {
        guard let instant else { return .max }
        let left = MonotonicClock.now.duration(to: instant)
        return left > .zero ? Int32(left.ceilingMilliseconds) : 0
    }
}

extension TransportError {
    /// The loop was closed under an exchange.
    static func closed(host: String) -> TransportError {
        TransportError(.closed, host: host, message: "The transport was closed before \(host) had answered.")
    }

    fileprivate static func unavailable(host: String) -> TransportError {
        TransportError(
            .unavailable, host: host,
            message: "No request to \(host) could be made: libcurl has no memory, or lacks an option it needs.")
    }
}
