import TrackerModels
import TrackerNetworking
import TrackerStorage

/// The dialect of `MobileTracker`: one record a request, each to the session of the generation it was made in.
struct SessionDialect: Dialect {
    /// The device as the request that makes a session describes it.
    struct Device: Hashable, Sendable {
        /// `iOS`, `iPadOS`, `MacOS`, `Linux`, `Windows` or `Android`.
        var osName: String
        /// `Mobile`, `Tablet` or `Desktop`.
        var deviceType: String
    }

    /// What answers have shown.
    struct Memory: Sendable {
        /// Records whose session was lost once already.
        fileprivate var reopened: Set<Record.ID> = []
        /// Records whose identification the server refuses; their profile is sent all the same.
        fileprivate var unidentifiable: Set<Record.ID> = []
        /// The key under which a generation's session is being made; the same on every retry.
        fileprivate var attempt: (generation: Generation, key: String)?
    }

    let requests: SessionRequests
    let device: Device
    let ids: any IDGenerator
    private let secrets: [Secret]
    private var learned = Memory()

    init(requests: SessionRequests, device: Device, ids: any IDGenerator) {
        self.requests = requests
        self.device = device
        self.ids = ids
        secrets = [requests.apiKey] + requests.headers.secrets
    }

    var window: Window { Window.ahead }

    var lacksKey: Bool { requests.apiKey.isEmpty }

    mutating func plan(_ front: Peek, wantedThrough _: Int64, at _: ClockReading) -> Intention {
        guard front.state.consent == .granted else { return .blocked(.noConsent) }
        guard front.state.entry.session != nil else { return planSession(front.state) }
        guard let record = front.records.first else { return .rest }
        let entry = front.entries[record.generation] ?? GenerationEntry()
        let isCurrent = record.generation == front.state.generation
        guard let session = entry.session else {
            // Metadata of an identified user goes out in the profile, which needs no session.
            guard record.route == .metadata, entry.identifyID != nil else {
                return .drop([record], .sessionGone, "its session was never made and its generation has ended")
            }
            let request = requests.profile(record, entry: entry)
            return .send(plan(.records, request, [record], record.generation, nil, isCurrent))
        }
        if record.route == .profile, let user = ProfileBody.user(in: record.body), entry.identifyID != user,
            !learned.unidentifiable.contains(record.id)
        {
            let request = requests.identify(user, in: session, for: record)
            return .send(plan(.identify(user), request, [record], record.generation, session, isCurrent))
        }
        // A reset in another lane of the brand has taken it away.
        if record.route == .link, isCurrent, entry.device == nil { return .change([.ensureDevice]) }
        let request = requests.main(record, entry: entry, session: session)
        return .send(plan(.records, request, [record], record.generation, session, isCurrent))
    }

    func prepare(_ front: Peek) -> Plan? {
        guard front.state.consent == .granted, front.state.entry.session != nil, let record = front.records.first,
            record.route == .event, let entry = front.entries[record.generation], let session = entry.session
        else { return nil }
        let request = requests.main(record, entry: entry, session: session)
        return plan(
            .records, request, [record], record.generation, session, record.generation == front.state.generation)
    }

    func needsSession(_ lane: LaneState) -> Bool { lane.needsSession }

    mutating func judge(_ answer: SortedAnswer, to plan: Plan) -> Verdict {
        guard let response = answer.response else {
            // Only a user id or session id of many kilobytes in the path does that: no server accepts such a URL.
            guard !plan.records.isEmpty else { return .retry(floor: .zero, answer.sentence) }
            forgetRecords(of: plan)
            return .discard(.tooLarge, answer.sentence)
        }
        switch plan.purpose {
        case .session(let generation): return judgeSession(answer, response, generation)
        case .identify(let user): return judgeIdentify(answer, response, user, plan)
        case .records where answer.kind == .success:
            forgetRecords(of: plan)
            return .delivered(changes(of: plan, response))
        case .records: return judgeRecord(answer, plan)
        }
    }

    mutating func forget() {
        learned.reopened = []
        learned.unidentifiable = []
    }

    var memory: DialectMemory { .sessions(learned) }

    mutating func follow(_ memory: DialectMemory) {
        if case .sessions(let learned) = memory { self.learned = learned }
    }

    private func plan(
        _ purpose: Plan.Purpose, _ request: HTTPRequest, _ records: [Record], _ generation: Generation,
        _ session: SessionID?, _ isCurrent: Bool
    ) -> Plan {
        Plan(
            purpose: purpose, request: request, records: records, generation: generation, session: session,
            isCurrent: isCurrent, secrets: secrets
        )
    }

    private mutating func planSession(_ state: LaneState) -> Intention {
        guard let id = state.entry.device else { return .change([.ensureDevice]) }
        let key: String
        if let attempt = learned.attempt, attempt.generation == state.generation {
            key = attempt.key
        } else {
            key = ids.uuid()
            learned.attempt = (state.generation, key)
        }
        let request = requests.create(for: id, on: device, key: key)
        return .send(plan(.session(state.generation), request, [], state.generation, nil, true))
    }

    private mutating func judgeSession(
        _ answer: SortedAnswer, _ response: HTTPResponse, _ generation: Generation
    ) -> Verdict {
        // What was answered is over: under its key a server may repeat the answer.
        learned.attempt = nil
        guard answer.kind == .success else {
            return .halt("No session could be created: \(answer.sentence)", isKeyRefused: answer.isKeyRefused)
        }
        guard let session = SessionAnswer.sessionID(in: response.body) else {
            return .retry(floor: .zero, "No session could be created: \(SessionAnswer.fault(of: response))")
        }
        return .progress([.bindMade(generation, session)])
    }

    private mutating func judgeIdentify(
        _ answer: SortedAnswer, _ response: HTTPResponse, _ user: UserID, _ plan: Plan
    ) -> Verdict {
        switch answer.kind {
        case .success: return .progress(rebinding(plan, response) + [.identify(plan.generation, user)])
        case .unauthorized, .forbidden: return .halt(answer.sentence, isKeyRefused: answer.isKeyRefused)
        case .gone: return sessionLost(plan, answer.sentence)
        case .tooLarge, .refused, .unsendable:
            for record in plan.records { learned.unidentifiable.insert(record.id) }
            return .progress([])
        }
    }

    private mutating func judgeRecord(_ answer: SortedAnswer, _ plan: Plan) -> Verdict {
        switch answer.kind {
        case .unauthorized, .forbidden:
            return .halt(answer.sentence, isKeyRefused: answer.isKeyRefused)
        case .gone where plan.session != nil && !plan.namesMoreThanItsSession:
            return sessionLost(plan, answer.sentence)
        case .tooLarge, .unsendable:
            forgetRecords(of: plan)
            return .discard(.tooLarge, answer.sentence)
        case .refused, .gone, .success:
            forgetRecords(of: plan)
            return .discard(.rejected(answer.status), answer.sentence)
        }
    }

    /// What else a 2xx changes.
    private func changes(of plan: Plan, _ response: HTTPResponse) -> [LaneChange] {
        guard let record = plan.records.first else { return [] }
        switch record.route {
        case .email:
            guard let email = record.body.value(forKey: "email")?.stringValue else { return [] }
            return [.store(.sessionEmail, email, plan.generation)] + rebinding(plan, response)
        case .link:
            return rebinding(plan, response)
        case .event, .profile, .metadata, .location, .batch, .endpoint:
            return []
        }
    }

    /// The change that gives the generation the session that an answer names, if it is another one.
    private func rebinding(_ plan: Plan, _ response: HTTPResponse) -> [LaneChange] {
        guard let session = SessionAnswer.sessionID(in: response.body), session != plan.session else { return [] }
        return [.bind(plan.generation, session)]
    }

    private mutating func sessionLost(_ plan: Plan, _ sentence: String) -> Verdict {
        guard let record = plan.records.first, let session = plan.session, plan.isCurrent,
            learned.reopened.insert(record.id).inserted
        else {
            forgetRecords(of: plan)
            return .discard(.sessionGone, sentence)
        }
        return .progress([.unbind(plan.generation, session, refused: record.id)])
    }

    private mutating func forgetRecords(of plan: Plan) {
        for record in plan.records {
            learned.reopened.remove(record.id)
            learned.unidentifiable.remove(record.id)
        }
    }
}

extension Plan {
    /// Whether a 404 may be about something else that the request names: another session, or an email address.
    ///
    /// Such a 404 must not end a good session. If the session is gone, the next record shows it.
    fileprivate var namesMoreThanItsSession: Bool {
        purpose == .records && records.contains { $0.route == .link || $0.route == .email }
    }
}

/// Reads what the session backend answers.
enum SessionAnswer {
    /// Why there is no session in an answer, as a part of a sentence.
    static func fault(of response: HTTPResponse) -> String {
        response.isBodyWhole
            ? "the answer has no data.id" : "the answer's body was cut short, or larger than is read"
    }

    /// `data.id`: a string, or a number by its decimal text.
    static func sessionID(in body: [UInt8]) -> SessionID? {
        // An answer that is not JSON has no id.
        guard let text = try? JSONText(validating: body), let id = text.value(forKey: "data")?.value(forKey: "id")
        else { return nil }
        if id.kind == .number { return SessionID(id.text) }
        return id.stringValue.flatMap(SessionID.init)
    }
}
