import CCurl

/// What the loop's thread does: it takes commands from the mailbox, drives libcurl, runs completions and timers, and
/// parks when there is nothing to do.
///
/// It lives on that thread and is seen by no other.
@safe struct CurlDriver: ~Copyable {
    private struct Flight {
        let line: CurlLine
        var exchange: Exchange
        let completion: LoopMailbox.Completion
    }

    private let configuration: TransportConfiguration
    private let mailbox: LoopMailbox
    private let multi: CurlMulti
    private let compressor: GzipCompressor?
    private var policy = CompressionPolicy()
    private var flights: [TransferID: Flight] = [:]
    private var freeLines: [CurlLine] = []
    /// Most requests go to the URL of the one before.
    private var lastAddress: WebAddress?

    init(configuration: TransportConfiguration, mailbox: LoopMailbox, multi: CurlMulti) {
        self.configuration = configuration
        self.mailbox = mailbox
        self.multi = multi
        compressor = configuration.compression == .gzip ? GzipCompressor() : nil
    }

    /// Runs the loop until it is closed.
    ///
    /// - Returns: What is to run when everything is let go of.
    consuming func run() -> [@Sendable () -> Void] {
        var commands: [LoopMailbox.Command] = []
        while true {
            let isClosing = mailbox.take(into: &commands)
            for command in commands { carryOut(command, isClosing: isClosing) }
            commands.removeAll(keepingCapacity: true)
            if isClosing {
                closeFlights()
                if let rest = mailbox.end() { return rest }
                continue
            }
            if !flights.isEmpty { moveOn() }
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
            guard let flight = flights[id] else { return }
            let host = flight.exchange.address.authority
            land(
                id,
                .failure(
                    TransportError(
                        .cancelled, host: host, message: "The request to \(host) was called off while under way.")))
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
                        message: "A request's URL is no absolute http or https URL without user info.")))
        }
        if let fault = request.fault {
            return completion(
                .failure(
                    TransportError(
                        .invalidRequest, host: address.authority,
                        message: "A request to \(address.authority) was not sent. \(fault)")))
        }
        guard let line = freeLines.popLast() ?? CurlLine(configuration) else {
            return completion(.failure(.unavailable(host: address.authority)))
        }
        let exchange = Exchange(
            request: request, address: address, deadline: SystemClock.now.advanced(by: request.timeout),
            compressedBody: compressed(request, to: address))
        line.transfer = id
        flights[id] = Flight(line: line, exchange: exchange, completion: completion)
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

    /// Sends what the exchange wants sent next.
    private mutating func send(_ id: TransferID) {
        guard let flight = flights[id] else { return }
        let exchange = flight.exchange
        let left = SystemClock.now.duration(to: exchange.deadline)
        guard left > .zero else {
            return land(
                id,
                .failure(
                    TransportError(
                        CURLE_OPERATION_TIMEDOUT, at: exchange.address, isOverflown: false, detail: "",
                        timeout: exchange.request.timeout)))
        }
        guard flight.line.prepare(exchange, timeout: left), flight.line.start(on: multi) else {
            return land(id, .failure(.unavailable(host: exchange.address.authority)))
        }
    }

    /// Moves all transfers on and sees to those that have ended.
    private mutating func moveOn() {
        multi.perform()
        while let (line, code) = multi.nextDone() {
            guard let id = line.transfer else { continue }
            settle(id, line, code)
        }
    }

    private mutating func settle(_ id: TransferID, _ line: CurlLine, _ code: CURLcode) {
        guard var exchange = flights[id]?.exchange else { return }
        line.stop(on: multi)
        // An answer that breaks off in its header is as good as none, whatever its status line says.
        let code = code == CURLE_OK && !line.isHeaderWhole ? CURLE_RECV_ERROR : code
        guard code == CURLE_OK else {
            return land(
                id,
                .failure(
                    TransportError(
                        code, at: exchange.address, isOverflown: line.isOverflown, detail: line.detail,
                        timeout: exchange.request.timeout)))
        }
        let step = exchange.advance(after: line.answer, policy: &policy, read: WebAddress.init(reading:))
        flights[id]?.exchange = exchange
        switch step {
        case .send: send(id)
        case .finish(let result): land(id, result)
        }
    }

    /// Ends an exchange.
    ///
    /// Its line is free before the completion runs, for the request that it may submit.
    private mutating func land(_ id: TransferID, _ result: Result<HTTPResponse, TransportError>) {
        guard let flight = flights.removeValue(forKey: id) else { return }
        flight.line.stop(on: multi)
        flight.line.transfer = nil
        flight.line.rest()
        freeLines.append(flight.line)
        flight.completion(result)
    }

    private mutating func closeFlights() {
        for id in flights.keys.sorted(by: { $0.number < $1.number }) {
            guard let host = flights[id]?.exchange.address.authority else { continue }
            land(id, .failure(.closed(host: host)))
        }
    }

    // MARK: Time

    private func runTimers() {
        let now = SystemClock.now
        let limit = mailbox.timerLimit
        while let work = mailbox.popTimer(at: now, below: limit) { work() }
    }

    /// The longest wait that libcurl takes is 24 days, which an idle loop sits through.
    private func wait(until instant: MonotonicInstant?) -> Int32 {
        guard let instant else { return .max }
        let left = SystemClock.now.duration(to: instant)
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
