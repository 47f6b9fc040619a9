import JSONRPC
import TrackerModels
import TrackerTesting

extension BridgedMethod {
    /// The calls of a test, in a host that records them.
    package static let record: [BridgedMethod] = [
        recorded(
            "record.calls", result: "RecordedCalls",
            "The calls so far, of all clients, in the order in which they were made. As the others here only in a host "
                + "that was started with `--record`."
        ) { calls, _ in
            ["calls": calls.json]
        },
        recorded(
            "record.expect", expectation + [.optional("count", .integer, "How many calls; by default at least one.")],
            result: "ExpectedCalls", "Looks for calls, and says in words what is wrong with those that came.",
            example: #"["Order Completed", {"total": 149.99}, {"userId": "user-1"}, 1]"#
        ) { calls, arguments in
            var expectation = try CallExpectation(arguments)
            expectation.count = arguments.integer(3).map { Int(clamping: $0) }
            return [
                "calls": expectation.matches(in: calls).json,
                "failure": expectation.failure(in: calls).map { .string($0) } ?? .null,
            ]
        },
        recorded(
            "record.find", expectation, result: "RecordedCalls", "The calls that have a name and some values.",
            example: #"["Order Completed"]"#
        ) { calls, arguments in
            ["calls": try CallExpectation(arguments).matches(in: calls).json]
        },
        BridgedMethod(
            "record.fail",
            [
                .optional(
                    "reason", .string, "The reason; without one calls are taken again.", schema: "DropReason")
            ],
            effect: .counts,
            "Drops valid calls for a reason from now on, as the product would.", example: #"["STORAGE_ERROR"]"#
        ) { host, arguments, reply in
            try host.recorder().fail(arguments.value(0).map { _ in try arguments.word(0) })
            reply.succeed(with: .done)
        },
        BridgedMethod(
            "record.clear", [], effect: .counts,
            "Forgets the calls so far, and takes calls again. The clients stay as they are."
        ) { host, _, reply in
            try host.recorder().clear()
            reply.succeed(with: .done)
        },
        BridgedMethod(
            "record.shutdown", [],
            "Ends the clients, as `host.shutdown` does. The calls so far stay, and the host goes on."
        ) { host, _, reply in
            _ = try host.recorder()
            host.shutDownClients(within: .seconds(1.5)) { reply.succeed(with: .done) }
        },
    ]

    /// What a call is found by.
    private static let expectation: [Parameter] = [
        .required("name", .string, "The name of the event, screen or page; of other calls the method."),
        .optional(
            "properties", .object,
            "Values that the call has, among others. Objects are compared member by member, lists as a whole."),
        .optional(
            "call", .object,
            "What else the call has, such as `userId` or `client`. A dropped call is found by its `outcome` alone."),
    ]

    /// A question about the calls that were made before it.
    private static func recorded(
        _ name: String, _ parameters: [Parameter] = [], result: String, _ summary: String, example: String = "[]",
        answer: @escaping @Sendable ([RecordedCall], Arguments) throws -> JSONObject
    ) -> BridgedMethod {
        BridgedMethod(name, parameters, result: result, summary, example: example) { host, arguments, reply in
            let recorder = try host.recorder()
            // What is wrong with the params is said at once.
            _ = try answer([], arguments)
            let done = host.answering(reply) { JSONText(tree: $0) }
            host.order.beginQuestion(changedBy: .counts)
            recorder.calls { calls in
                // They are right, as was just seen.
                done((try? answer(calls, arguments)) ?? [:])
                host.order.endQuestion(changedBy: .counts, on: host)
            }
        }
    }
}

extension HostSession {
    /// What records the calls.
    ///
    /// - Throws: METHOD_NOT_FOUND if the host was not started for a test.
    fileprivate func recorder() throws(RPCError) -> TestTracker {
        guard let test else { throw .notRecording }
        return test
    }
}

extension RPCError {
    fileprivate static let notRecording = RPCError(
        .methodNotFound, code: "METHOD_NOT_FOUND",
        message: "This host records no calls: start it with --record.")
}

extension CallExpectation {
    fileprivate init(_ arguments: Arguments) throws(RPCError) {
        var members = arguments.value(2).flatMap { JSONValue($0).objectValue } ?? [:]
        // A filter that no call can have would let every test pass that expects no call.
        for (name, _) in members where !RecordedCall.members.contains(name) {
            let nearest = SpellingSuggestion.nearest(to: name, among: RecordedCall.members)
            let known = nearest == nil ? RecordedCall.members : []
            throw arguments.fault(
                2, at: "call.\(name.prefix(80))", .unknown(suggestion: nearest, others: [], known: known))
        }
        for name in ["userId", "anonymousId", "groupId", "advertisingId", "sourceSessionId"] {
            guard let given = members[name] else { continue }
            // A whole number is its digits.
            guard let text = (try? JSONText(given))?.idText else {
                throw arguments.fault(2, at: "call.\(name)", .wrongKind(.id))
            }
            members[name] = .string(text)
        }
        func check(_ given: JSONValue?, _ name: String, _ words: [String]) throws(RPCError) {
            guard let given, !words.contains(where: { .string($0) == given }) else { return }
            throw arguments.fault(2, at: "call.\(name)", .otherWord(of: words, (try? JSONText(given)) ?? .null))
        }
        try check(members["method"], "method", Self.methods)
        try check(members["client"], "client", ClientName.allCases.map(\.rawValue))
        if let outcome = members["outcome"] {
            try check(outcome["status"] ?? .null, "outcome.status", ["queued", "pending", "dropped"])
            try check(outcome["reason"], "outcome.reason", RefusalReason.allCases.map(\.rawValue))
        }
        self.init(
            try arguments.string(0), arguments.value(1).flatMap { JSONValue($0).objectValue } ?? [:], members: members)
    }

    /// The calls that are recorded, without the client's name.
    private static let methods = Set(BridgedMethod.all.compactMap(\.recordedAs)).sorted()
}

extension [RecordedCall] {
    fileprivate var json: JSONValue { .array(map { .object($0.json) }) }
}
