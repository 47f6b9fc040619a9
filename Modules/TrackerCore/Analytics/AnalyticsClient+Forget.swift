public import TrackerModels
import TrackerStorage

/// Persons who are to be forgotten.
extension AnalyticsClient {
    /// Erases the events of a person that wait or were refused, and drops their later ones until ``unforget(userId:anonymousId:)``.
    ///
    /// It concerns all queues of the state folder, of all clients and processes. An event is the person's if it names one of
    /// the ids given. Of a `MobileTracker`, all of a session is that was identified as the user. If the client's own user has
    /// one of the ids, the client forgets that user, as a reset does, and has a new anonymous id. When this returns, no
    /// file of the folder holds what was erased. A request that is on its way cannot be called back.
    ///
    /// Later calls of the person are dropped as ``RefusalReason/forgotten``, also after a restart. Of the ids only hashes
    /// are kept, with a random number of the folder's own: whoever has the folder can try an id, but not read one.
    ///
    /// - Parameters:
    ///   - userId: The application's name for the user. One of the two ids is required.
    ///   - anonymousId: The client's name for the visitor.
    /// - Returns: How many events were erased. A client that is turned off reports none.
    /// - Throws: ``TrackerError/invalidValue`` if no id is given, or one is `nil`, blank or longer than 1,024 bytes;
    ///   ``TrackerError/notInitialized``; ``TrackerError/listFull`` if more than 10,000 ids would be forgotten, and nothing
    ///   has changed; ``TrackerError/storage`` if the disk refuses it: then nothing is sent until it is done, by itself.
    @discardableResult
    public func forget(
        userId: some IDGiven = IDOption.leftOut, anonymousId: some IDGiven = IDOption.leftOut
    ) async throws(TrackerError) -> ForgetReport {
        let ids = PersonIDs(user: userId.idOption, visitor: anonymousId.idOption)
        return try await Self.answer { forget(ids, completion: $0) }
    }

    /// Takes calls again of a person who was forgotten. What was erased does not come back.
    ///
    /// - Parameters:
    ///   - userId: The application's name for the user, if that was forgotten.
    ///   - anonymousId: The client's name for the visitor, if that was forgotten.
    /// - Throws: As ``forget(userId:anonymousId:)`` does. If the disk refuses it, the person stays forgotten.
    public func unforget(
        userId: some IDGiven = IDOption.leftOut, anonymousId: some IDGiven = IDOption.leftOut
    ) async throws(TrackerError) {
        let ids = PersonIDs(user: userId.idOption, visitor: anonymousId.idOption)
        try await Self.answer { unforget(ids, completion: $0) }
    }

    /// Forgets a person; later calls take effect after it.
    ///
    /// - Parameter completion: Called once it is on disk, or with the reason why it is not. Must not block.
    package func forget(
        _ ids: PersonIDs, completion: @escaping @Sendable (Result<ForgetReport, TrackerError>) -> Void
    ) {
        submit(ids, LaneChange.forget) { result in
            completion(result.map { ForgetReport(erased: $0?.count ?? 0, deliveredOfAnyone: $0?.delivered ?? 0) })
        }
    }

    /// Takes calls of a person again; later calls take effect after it.
    ///
    /// - Parameter completion: Called once it is on disk, or with the reason why it is not. Must not block.
    package func unforget(_ ids: PersonIDs, completion: @escaping @Sendable (Result<Void, TrackerError>) -> Void) {
        submit(ids, LaneChange.unforget) { result in completion(result.map { _ in }) }
    }

    private typealias Change = (count: Int, delivered: Int)

    /// - Parameter completion: Called with what has changed; `nil` in a client that is turned off.
    private func submit(
        _ ids: PersonIDs, _ change: ([Person]) -> LaneChange,
        completion: @escaping @Sendable (Result<Change?, TrackerError>) -> Void
    ) {
        let persons: [Person]
        do throws(TrackerError) {
            persons = try ids.persons()
        } catch {
            return completion(.failure(error))
        }
        runtime.submit(
            PendingForget(change: change(persons)) { outcome in
                completion(Result { () throws(TrackerError) in try outcome.change })
            })
    }

    /// Waits for the answer, even if the task is cancelled: what was begun is finished.
    private static func answer<Value: Sendable>(
        _ begin: (@escaping @Sendable (Result<Value, TrackerError>) -> Void) -> Void
    ) async throws(TrackerError) -> Value {
        try await withCheckedContinuation { continuation in begin { continuation.resume(returning: $0) } }.get()
    }
}

extension PendingForget.Outcome {
    /// What has changed; `nil` in a client that is turned off.
    fileprivate var change: (count: Int, delivered: Int)? {
        get throws(TrackerError) {
            switch self {
            case .taken(let result): return try result.forgotten
            case .isOff: return nil
            case .notInitialized: throw .notInitialized
            }
        }
    }
}

extension ChangeResult {
    /// What a change of the list of persons has changed, and how many records the lane had delivered by then.
    fileprivate var forgotten: (count: Int, delivered: Int) {
        get throws(TrackerError) {
            switch effect {
            case .changed(let count): return (count, lane?.deliveredRecords ?? 0)
            case .refused(.queueFull):
                throw TrackerError(
                    .listFull,
                    "Nobody is forgotten: the list would hold more than 10,000 ids. Take some off it by `unforget`.")
            case .failed(let error):
                throw TrackerError(
                    .storage, "The disk has not taken it yet, and nothing is sent until it has: \(error.message)")
            case .done, .queued, .pending, .repeated, .refused:
                throw TrackerError(.storage, "The disk did not take it.")
            }
        }
    }
}

extension PersonIDs {
    /// The persons that the ids name.
    fileprivate func persons() throws(TrackerError) -> [Person] {
        let user = try id(user, "userId"), visitor = try id(visitor, "anonymousId")
        let persons = [user.map(Person.user), visitor.map(Person.anonymous)].compactMap(\.self)
        guard !persons.isEmpty else {
            throw TrackerError(.invalidValue, "Name a person, by 'userId' or by 'anonymousId'.")
        }
        return persons
    }

    private func id(_ option: IDOption, _ name: String) throws(TrackerError) -> String? {
        guard case .given(let given) = option else { return nil }
        do throws(Refusal) {
            return try CallOverrides.checked(given, as: name)
        } catch {
            throw TrackerError(.invalidValue, error.sentence("initialize"))
        }
    }
}
