import TrackerModels
import TrackerNetworking
import TrackerStorage

extension DeliveryEngine {
    /// Makes the lane's session, or finds that there is one or that none may be made. Nothing else is sent.
    ///
    /// The first answer decides. If a reset or a decision comes meanwhile, the answer does not count, and another session
    /// is made, if it may be. The completion is not called after
    /// ``goWithoutSession()`` or ``close(by:completion:)``.
    ///
    /// - Parameters:
    ///   - again: Whether also after ``goWithoutSession()``.
    ///   - completion: Called on the loop. Call ``start(again:)`` or ``goWithoutSession()`` then.
    func makeFirstSession(
        again: Bool = false, completion: @escaping @Sendable (Result<Void, TrackerError>) -> Void
    ) {
        perform { state in
            state.delivery.makeFirstSession(again: again)
            state.firstSession = completion
        }
    }

    /// Sends nothing from now on, and cancels what is under way: `initialize` has ended without a session.
    func goWithoutSession() {
        perform { state in
            state.delivery.goWithoutSession()
            state.firstSession = nil
        }
        cancelSessions()
    }

    /// Cancels the sessions that are being made; on the loop.
    ///
    /// - Parameter generation: Only those of the generations before this one; `nil`: all.
    func cancelSessions(before generation: Generation? = nil) {
        parts.loop.post { [self] in
            onLoop { state in
                for (token, transfer) in state.transfers {
                    guard case .session(let made)? = state.delivery.inFlight[token]?.purpose else { continue }
                    let isOver = generation.map { made.number < $0.number } ?? (state.delivery.extent == .nothing)
                    if isOver { parts.loop.cancel(transfer) }
                }
            }
        }
    }
}

extension LaneState {
    /// Whether a session is to be made: there is none, and consent allows one.
    var needsSession: Bool { entry.session == nil && consent == .granted }
}

extension TrackerError {
    /// `initialize` has ended without a session, since the backend gave this answer.
    static func noSession(_ answer: Answer, from url: String) -> TrackerError {
        switch answer {
        case .failure(let error):
            // The transport's messages are whole sentences.
            TrackerError(
                noSession: error.message, .inBackground,
                cause: error.kind == .timeout ? .timeout : .network(error.message))
        case .success(let response) where !(200..<300).contains(response.status):
            TrackerError(
                noSession: "\(AnswerTable.sentence(response.status, from: url)).", advice(on: response.status),
                cause: .status(response.status))
        case .success(let response):
            TrackerError(noSession: "\(SessionAnswer.fault(of: response)).", .inBackground, cause: .unreadableAnswer)
        }
    }

    /// `initialize` has ended without a session, since delivery has halted.
    static func noSession(_ halt: DeliveryState.Halt) -> TrackerError {
        guard let status = halt.status else {
            return TrackerError(noSession: "\(halt.reason).", .inBackground, cause: .network(halt.reason))
        }
        return TrackerError(noSession: "\(halt.reason).", advice(on: status), cause: .status(status))
    }

    /// `initialize` has taken longer than it may.
    ///
    /// - Parameters:
    ///   - limit: How long it may take.
    ///   - address: The backend's address.
    static func initTimeout(after limit: Duration, at address: String) -> TrackerError {
        let reason = OptionFault.Reason.exceeded(
            most: .duration(limit), address: address, advice: .inBackground)
        return TrackerError(
            OptionFault("initTimeout", key: "initTimeoutMs", reason), .sessionCreationFailed, cause: .timeout)
    }

    /// What to do when the backend makes no session. A session in the background would be refused like this one.
    private static func advice(on status: Int) -> FaultWord {
        switch status {
        case 401, 403: .checkKey
        case 404, 410: .checkAddress
        default: .inBackground
        }
    }
}
