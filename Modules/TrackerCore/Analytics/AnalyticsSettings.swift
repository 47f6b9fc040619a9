import TrackerModels
import TrackerNetworking
import TrackerStorage

/// Options that have been checked.
struct AnalyticsSettings: ClientSettings {
    let options: InitOptions
    let base: BaseURL
    var key: Secret
    var headers: ExtraHeaders
    /// Named by the key that the options have, or by what gives it: a key that changes keeps its lane.
    let lane: LaneIdentity
    let delivery: DeliveryOptions
    let isFolderFromEnvironment: Bool
    /// The member `context` of every event whose call has no options.
    let context: BodyTemplate.Member
    /// The same without the advertising identifier.
    private let commonContext: JSONObject

    /// - Parameter environment: Gives what the options leave out.
    /// - Throws: `invalidConfiguration` with the field and the reason.
    init(_ options: InitOptions, facts: HostFacts, _ environment: inout EnvironmentOptions) throws(TrackerError) {
        var options = options
        var host = options.ingestionHost.nonEmpty
        environment.fill(&host, "ingestionHost", from: .apiURL)
        environment.fill(&options.delivery.storageDirectory, "storageDirectory", from: .storageDirectory)
        options.ingestionHost = host ?? ""
        isFolderFromEnvironment = environment.namesFolder
        key = try environment.key(options.writeKey.nonEmpty, "writeKey", or: options.delivery, or: options.credentials)
        headers = ExtraHeaders(options.delivery.headers)
        if options.delivery.keyFile == nil { options.writeKey = key.reveal() }
        base = try Self.host(options)
        for option in InitOptions.options { try option.check(options) }
        try options.delivery.validate()
        if let reason = options.fault(of: headers) { throw FieldCheck.fault("headers", reason) }
        let source = options.delivery.keyFile.map { "keyFile:\($0)" } ?? (key.isEmpty ? "credentials:" : nil)
        if options.whenRefused == .disable, let option = options.keySource {
            throw FieldCheck.fault("whenRefused", .onlyHalt(with: option))
        }
        lane = LaneIdentity(
            kind: .batch, owner: FNV1a.text((source ?? key.reveal()).utf8),
            origin: base.description)
        commonContext = AnalyticsContext.collect(facts, app: options.app, merging: options.context)
        do throws(JSONSyntaxError) {
            context = .object("context", try AnalyticsContext.template(commonContext))
        } catch {
            throw TrackerError(Self.fault(of: error, in: "context"))
        }
        delivery = Self.delivery(of: options)
        self.options = options
    }

    /// The member `context` of an event whose call has options.
    ///
    /// - Throws: `serialization` if both contexts together cannot be written.
    func context(with own: CallOverrides) throws(Refusal) -> BodyTemplate.Member {
        guard own.namesPerson || own.context != nil else { return context }
        let merged = AnalyticsContext.merge(
            own.context.flatMap { JSONValue($0).objectValue } ?? [:], over: commonContext)
        do throws(JSONSyntaxError) {
            // The advertising identifier is that of the client's own user.
            return .object(
                "context",
                own.namesPerson
                    ? BodyTemplate([.fixed(try JSONText(merged))]) : try AnalyticsContext.template(merged))
        } catch {
            let fault = Self.fault(of: error, in: "options.context")
            throw Refusal(.serialization, fault.reason.word, fault.facts)
        }
    }

    private static func fault(of error: JSONSyntaxError, in option: String) -> OptionFault {
        OptionFault(
            option, error.kind == .tooDeep ? .invalid(.tooDeep, ValueFault.tooDeep.facts) : .invalid(.notFinite))
    }

    var title: String { "AnalyticsClient \(key.masked)" }
    var limits: OutboxLimits { delivery.limits(overflow: .dropOldest) }
    var isVerbose: Bool { options.debug }
    var beforeSend: BeforeSend? { options.beforeSend }

    var credentials: CredentialsProvider? { options.credentials }

    func fault(of headers: ExtraHeaders) -> OptionFault.Reason? { options.fault(of: headers) }

    var laneOptions: [String] {
        [
            options.api.rawValue, options.groupType ?? "", options.whenRefused.rawValue, "\(options.flushAt)",
            "\(options.flushIntervalSeconds)", "\(options.maxBatchSize)", "\(options.maxBatchBytes)",
        ]
    }

    func openingChanges(ids: any IDGenerator) -> [LaneChange] { [.ensure(.anonymousID, ids.uuid())] }

    func succession(to current: AnalyticsSettings) -> Succession { .ignored(hasOthers: options != current.options) }

    func dialect(ids _: any IDGenerator) -> any Dialect {
        GroupDialect.batches(
            host: base, writeKey: key, headers: headers, timeout: delivery.requestTimeout,
            schedule: GroupDialect.Schedule(
                interval: .seconds(options.flushIntervalSeconds), count: options.flushAt),
            maxRecords: options.maxBatchSize, maxBytes: options.maxBatchBytes,
            form: options.api.form(options, key: key, headers: headers), whenRefused: options.whenRefused
        )
    }

    /// The delivery options, bounded by the client's own.
    static func delivery(of options: InitOptions) -> DeliveryOptions {
        var delivery = options.delivery
        delivery.maxQueuedEvents = delivery.queueBound(own: options.maxQueueEvents, inMemory: InitOptions.memoryBound)
        delivery.requestTimeout = min(options.requestTimeout, delivery.requestTimeout)
        return delivery
    }

    private static func host(_ options: InitOptions) throws(TrackerError) -> BaseURL {
        let text = options.ingestionHost.trimmed
        guard !text.isEmpty else {
            throw FieldCheck.fault("ingestionHost", .required(example: "https://in.example.com"))
        }
        do throws(OptionFault.Reason) {
            let base = try BaseURL(text, allowInsecureHTTP: options.delivery.allowInsecureHTTP)
            let paths = options.api.form(options, key: Secret(""), headers: ExtraHeaders())?.paths
            try base.checkThatItIsAbove(
                paths?.map { String($0.prefix { $0 != "?" }) } ?? [GroupDialect.batchPath])
            return base
        } catch {
            throw FieldCheck.fault("ingestionHost", error)
        }
    }
}

extension InitOptions {
    /// Why these header fields cannot be used: the API's own requests set one of them.
    fileprivate func fault(of headers: ExtraHeaders) -> OptionFault.Reason? {
        headers.fault(besides: api.form(self, key: Secret(""), headers: headers)?.headers.map(\.name) ?? [])
    }

    /// The option that gives other keys while the client runs, if there is one.
    fileprivate var keySource: String? {
        delivery.keyFile != nil ? "keyFile" : credentials != nil ? "credentials" : nil
    }

    /// Checks every field. It opens no file: only `initialize` finds out whether `caBundle` can be read. What the
    /// options leave out comes from the environment, as in `initialize`.
    ///
    /// - Throws: ``TrackerError/invalidConfiguration`` naming the first field at fault, and the reason.
    public func validate() throws(TrackerError) {
        var environment = EnvironmentOptions.system
        _ = try environment.naming { (environment) throws(TrackerError) in
            try AnalyticsSettings(self, facts: HostFacts.none, &environment)
        }
    }
}
