/// What a ``LoopbackServer`` does with a connection before it reads.
public enum LoopbackGreeting: Sendable {
    /// Reads requests and answers them.
    case serve
    /// Sends bytes without reading, then ends the connection that way.
    case send([UInt8], then: LoopbackEnd)
}

/// What becomes of a connection after an answer.
public enum LoopbackEnd: Sendable {
    /// The next request may come.
    case keepAlive
    /// It is closed in good order.
    case close
    /// It is torn down with a reset.
    case reset
    /// Nothing more is read or sent, until the client or the server goes.
    case stall
}

/// What a ``LoopbackServer`` does with a request.
public indirect enum LoopbackAnswer: Sendable {
    /// Sends bytes as they are.
    case raw([UInt8], then: LoopbackEnd)
    /// Sends some bytes, then others again and again until the client goes; with a pause, if one is given, so that
    /// time passes and not memory.
    case endless([UInt8], repeating: [UInt8], pause: Duration = .zero)
    /// Waits for a gate to open, or for the server to stop, and does the rest then.
    case gated(Gate, LoopbackAnswer)

    /// A whole and correct answer.
    public static func status(
        _ status: Int, headers: [(String, String)] = [], body: String = "", then end: LoopbackEnd = .keepAlive
    ) -> LoopbackAnswer {
        let lines = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
        let length = body.utf8.count
        return .text("HTTP/1.1 \(status) Reason\r\n\(lines)Content-Length: \(length)\r\n\r\n\(body)", then: end)
    }

    /// An answer that asks to wait.
    public static func status(_ status: Int, retryAfter: String) -> LoopbackAnswer {
        .status(status, headers: [("Retry-After", retryAfter)])
    }

    /// An answer that leads elsewhere.
    public static func redirect(_ status: Int = 307, to location: String) -> LoopbackAnswer {
        .status(status, headers: [("Location", location)])
    }

    /// Text sent as it is.
    public static func text(_ text: String, then end: LoopbackEnd) -> LoopbackAnswer {
        .raw(Array(text.utf8), then: end)
    }

    /// No answer at all.
    public static func nothing(then end: LoopbackEnd) -> LoopbackAnswer { .raw([], then: end) }

    /// An answer that announces a body of one length and sends another.
    public static func lying(announced: Int, sent: Int, then end: LoopbackEnd = .close) -> LoopbackAnswer {
        let body = String(repeating: "x", count: sent)
        return .text("HTTP/1.1 200 OK\r\nContent-Length: \(announced)\r\n\r\n\(body)", then: end)
    }
}
