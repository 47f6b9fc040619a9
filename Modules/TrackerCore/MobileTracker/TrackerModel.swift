import TrackerModels
import TrackerStorage

/// What a session tracker remembers between its calls, and how they become changes of its lane.
struct TrackerModel: ClientModel {
    static let name = "MobileTracker"
    static let policy = ClientPolicy(
        afterFailure: .isIdle, shutdownCode: .sessionCreationFailed)

    let locationProvider: (any LocationProvider)?
    var shown = ShownScreen()
    /// The keys of calls that have shown a screen.
    private var showings = RecentIDs()
    /// Whose screens they are.
    private var brand: BrandID?
    /// The last decision.
    var decided: Consent?
    /// The lane's session, as listeners know it.
    var reportedSession: SessionID?

    init(locationProvider: (any LocationProvider)? = nil) { self.locationProvider = locationProvider }

    mutating func change(
        for content: CallContent, _ stamp: CallStamp, under settings: TrackerSettings
    ) throws(Refusal) -> LaneChange {
        if content.continues != nil, !settings.config.crossSiteCookie { throw .value(.crossSiteCookie) }
        var refusal: RefusalReason?
        // The outbox answers a key that was used before as it did then: other screens may have been shown since.
        let isRepeated = stamp.hasCallerKey && showings.contains(stamp.messageID)
        if let url = content.shownURL, !isRepeated {
            if settings.brand != brand { shown = ShownScreen() }
            brand = settings.brand
            if !shown.show(url, by: stamp.number) {
                guard stamp.hasCallerKey else { throw .repeatedScreen }
                refusal = .repeatedScreen
            } else if stamp.hasCallerKey {
                showings.insert(stamp.messageID)
            }
        }
        let draft = Draft(stamp, content.record, isNoted: content.shownURL != nil, refusal: refusal)
        return content.continues.map { .continueSession($0, link: draft) } ?? .append(draft)
    }

    mutating func opened(_ found: LaneState) -> [ModelEffect<TrackerCall>] {
        reportedSession = found.entry.session
        return []
    }

    func started(under settings: TrackerSettings) -> [ModelEffect<TrackerCall>] {
        settings.config.initialScreen.map { [.call(.screenDidAppear($0.name, url: $0.url))] } ?? []
    }

    static let followsCommits = true
    static let pendingNote: String? = "Missing session ID - queuing event"

    mutating func committed(
        _ call: Int, in session: SessionID?, of generation: Generation
    ) -> [ModelEffect<TrackerCall>] {
        shown.committed(call, in: generation)
        return report(session)
    }

    mutating func refused(_ call: Int, _ messageID: MessageID) {
        shown.takeBack(call)
        showings.remove(messageID)
    }

    mutating func observed(_ event: DeliveryEvent) -> [ModelEffect<TrackerCall>] {
        switch event {
        case .sessionMade(let session):
            let location = locationProvider.map { ModelEffect.locate($0) { TrackerCall.updateLocation($0) } }
            return report(session) + [location].compactMap { $0 }
        case .sessionChanged(let session): return report(session)
        case .retried, .dropped, .unidentified, .unauthorized, .halted, .disabled, .resumed, .deliversHere, .grows,
            .idle:
            return []
        }
    }

    /// Reports the lane's session, if listeners know another one. The outbox and the engine tell of it in the order of
    /// the changes.
    mutating func report(_ session: SessionID?) -> [ModelEffect<TrackerCall>] {
        guard reportedSession != session else { return [] }
        reportedSession = session
        return [.report(.session(session))]
    }

    static func describe(_ snapshot: ClientSnapshot<TrackerModel>, in info: inout JSONObject) {
        guard let run = snapshot.run else { return }
        for (name, key) in [("brandId", StoredKey.brandID), ("sessionId", .sessionID), ("deviceId", .deviceID)] {
            info[name] = snapshot.stored(key)
        }
        info["config"] = .object(run.settings.debugInfo)
    }
}

extension TrackerSettings {
    /// The options, and what has no option of its own: addresses, keys and objects.
    fileprivate var debugInfo: JSONObject {
        var info: JSONObject = ["apiUrl": .string(base.description), "xApiKey": .string(key.masked)]
        info.merge(DebugInfo.describe(config, TrackerConfig.options))
        info["cookieDomain"] = config.cookieDomain.map(JSONValue.string) ?? .null
        info["device"] = ["osName": .string(device.osName), "deviceType": .string(device.deviceType)]
        info["initialScreen"] =
            config.initialScreen.map { screen in
                ["name": .string(screen.name), "url": .string(screen.url ?? screen.name)]
            } ?? .null
        info["delivery"] = .object(DebugInfo.describe(config.delivery))
        return info
    }
}
