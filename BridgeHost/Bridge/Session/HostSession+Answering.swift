import JSONRPC
import TrackerCore
import TrackerModels

/// How the native clients' completions become answers.
extension HostSession {
    /// Answers a call with an object made from a value.
    func answering<Value>(
        _ reply: Reply, _ json: @escaping @Sendable (Value) -> JSONText
    ) -> @Sendable (Value) -> Void {
        completion(of: reply) { .success(json($0)) }
    }

    /// Answers a tracking call with what became of it.
    func answering(_ reply: Reply) -> @Sendable (TrackOutcome) -> Void {
        completion(of: reply) { .success($0.json) }
    }

    /// Answers a call that the disk may refuse.
    func answering<Failure: Error & CustomStringConvertible>(_ reply: Reply) -> @Sendable (Failure?) -> Void {
        completion(of: reply) { failure in
            failure.map { .failure(TrackerError(.storage, $0.description).rpcError) } ?? .success(.done)
        }
    }

    /// Answers a call that may take its time and fail.
    func answeringLate(_ reply: Reply) -> @Sendable (Result<Void, TrackerError>) -> Void {
        completion(of: reply, isLate: true) { $0.map { .done }.mapError(\.rpcError) }
    }

    /// Answers a flush.
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
            case .failure(let error): reply.fail(with: error)
            }
            openCalls.remove(call)
        }
    }
}
