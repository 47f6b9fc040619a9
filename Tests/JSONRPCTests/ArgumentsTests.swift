import JSONRPC
import Testing
import TrackerJSON

@Suite("Arguments")
struct ArgumentsTests {
    static let parameters: [Parameter] = [
        .required("eventName", .string), .optional("attributes", .object), .optional("count", .integer),
        .optional("ratio", .number), .optional("isNew", .boolean), .optional("tags", .array),
        .optional("other", .object), .named("messageId", .string),
    ]

    @Test(
        "takes a string or the digits of a whole number as an id",
        arguments: [
            (#""u 1""#, "u 1"), ("7", "7"), ("-12", "-12"),
            ("123456789012345678901234567890", "123456789012345678901234567890"),
            (#""""#, ""),
        ])
    func ids(_ json: String, _ id: String) throws {
        let params = try #require(Params(JSONText(validating: "[\(json)]")))

        let arguments = try Arguments(params, for: "identify", taking: [.required("userId", .id)])

        #expect(try arguments.id(0) == id)
    }

    @Test("refuses any other value as an id", arguments: ["7.0", "1e3", "true", "{}", "[1]"])
    func wrongIDs(_ json: String) throws {
        let params = try #require(Params(JSONText(validating: "[\(json)]")))

        let error = #expect(throws: RPCError.self) {
            try Arguments(params, for: "identify", taking: [.required("userId", .id)])
        }

        #expect(error?.message == "identify: 'userId' must be a string or a whole number")
    }

    @Test(
        "gives the same values by position and by name",
        arguments: [
            #"["PURCHASE",{"a":1},1e3,0.5,true,[1],{"b":2}]"#,
            #"{"other":{"b":2},"tags":[1],"isNew":true,"ratio":0.5,"count":1e3,"attributes":{"a":1},"#
                + #""eventName":"PURCHASE"}"#,
        ]
    )
    func givesValues(_ params: String) throws {
        let arguments = try arguments(params)

        #expect(try arguments.string(0) == "PURCHASE")
        #expect(arguments.value(1)?.text == #"{"a":1}"#)
        #expect(arguments.integer(2) == 1_000)
        #expect(try arguments.number(3) == 0.5)
        #expect(arguments.bool(4) == true)
        #expect(arguments.value(5)?.text == "[1]")
        #expect(try arguments.text(6).text == #"{"b":2}"#)
        #expect(arguments.optionalString(7) == nil)
    }

    @Test(
        "takes null for absent", arguments: [#"["x",null,null]"#, #"{"eventName":"x","attributes":null}"#, #"["x"]"#])
    func takesNull(_ params: String) throws {
        let arguments = try arguments(params)

        #expect(arguments.value(1) == nil)
        #expect(arguments.integer(2) == nil)
    }

    @Test("takes a value that has only a name by its name")
    func takesNamedOnly() throws {
        #expect(try arguments(#"{"eventName":"x","messageId":"m1"}"#).optionalString(7) == "m1")
    }

    @Test("takes the last of values with the same name")
    func takesLast() throws {
        #expect(try arguments(#"{"eventName":"x","eventName":"y"}"#).string(0) == "y")
    }

    @Test(
        "says what is wrong with params",
        arguments: [
            (nil, "track: 'eventName' is required and must be a string"),
            ("[]", "track: 'eventName' is required and must be a string"),
            ("[null]", "track: 'eventName' is required and must be a string"),
            ("{}", "track: 'eventName' is required and must be a string"),
            ("[1]", "track: 'eventName' must be a string"),
            (#"["x",[]]"#, "track: 'attributes' must be an object"),
            (#"["x",{},1.5]"#, "track: 'count' must be an integer"),
            (#"["x",{},"1"]"#, "track: 'count' must be an integer"),
            (#"["x",{},1,true]"#, "track: 'ratio' must be a number"),
            (#"["x",{},1,1,0]"#, "track: 'isNew' must be a boolean"),
            (#"["x",{},1,1,true,{}]"#, "track: 'tags' must be an array"),
            (#"["x",{},1,1,true,[],{},"m"]"#, "track: got 8 params, takes 7 at most"),
            (#"{"eventName":"x","attribute":{}}"#, "track: 'attribute' is not known; did you mean 'attributes'?"),
            (#"{"event_name":"x"}"#, "track: 'event_name' is not known; did you mean 'eventName'?"),
            (
                #"{"eventName":"x","zzzzzz":{}}"#,
                "track: 'zzzzzz' is not known. There are: eventName, attributes, count, ratio, isNew, tags, other, messageId."
            ),
            (#"{"eventName":"x","messageId":1}"#, "track: 'messageId' must be a string"),
        ] as [(String?, String)]
    )
    func explains(_ params: String?, _ message: String) throws {
        let error = #expect(throws: RPCError.self) { try arguments(params) }

        #expect(error?.number == .invalidParams)
        #expect(error?.message == message)
        #expect(error?.namesMethod == true)
        if message.contains("is not known") {
            let name = message.split(separator: "'")[1]
            #expect(error?.details.contains(RPCError.Detail("param", String(name))) == true)
        }
    }

    @Test("refuses a number that no double comes near where one is needed")
    func refusesHugeNumbers() throws {
        let arguments = try arguments(#"{"eventName":"x","ratio":1e999}"#)

        let error = #expect(throws: RPCError.self) { try arguments.number(3) }

        #expect(error?.message == "track: 'ratio' must be a number")
        #expect(
            error?.details.map { [$0.name, $0.value.text] } == [
                ["method", #""track""#], ["param", #""ratio""#],
                ["fault", #"{"reason":"wrongKind","option":"ratio","expected":"number"}"#],
            ])
    }

    @Test("answers the absence of a value with the parameter's own error")
    func usesOwnError() {
        let own = RPCError(.init(rawValue: 1001), code: "INVALID_BRAND_ID", message: "Brand ID is required")

        let error = #expect(throws: RPCError.self) {
            try Arguments(.none, for: "init", taking: [.required("brandId", .string, else: own)])
        }

        #expect(error == own)
    }

    @Test(
        "refuses params that cannot be passed on, and says why",
        arguments: [
            (.loneSurrogate, "m: 'params' holds half a surrogate pair, which is no character"),
            (.tooDeep, "m: 'params' is nested more than 128 deep"),
        ] as [(ValueFault, String)])
    func refusesNotSerializable(_ fault: ValueFault, _ message: String) {
        let error = #expect(throws: RPCError.self) { try Arguments(.notSerializable(fault), for: "m", taking: []) }

        #expect(error?.number == .invalidParams)
        #expect(error?.message == message)
    }

    @Test("leaves params alone where the method asks for that")
    func leavesAlone() throws {
        let params = try #require(Params(JSONText(validating: #"{"eventName":1,"unknown":2}"#)))

        let arguments = try Arguments(unchecked: params, for: "track", taking: Self.parameters)

        #expect(arguments.value(0)?.text == "1")
        #expect(arguments.text?.text == #"{"eventName":1,"unknown":2}"#)
    }

    @discardableResult
    private func arguments(_ params: String?) throws -> Arguments {
        let params = try params.map { try #require(Params(JSONText(validating: $0))) } ?? .none
        return try Arguments(params, for: "track", taking: Self.parameters)
    }
}

@Suite("SpellingSuggestion")
struct SpellingSuggestionTests {
    static let known = ["track", "setMetadata", "identify", "analytics.track"]

    @Test(
        "finds what a name is the beginning of",
        arguments: [
            ("iden", "identify"), ("SET_META", "setMetadata"), ("set", nil), ("identifyMe", nil),
            ("analytics", "analytics.track"),
        ] as [(String, String?)])
    func completes(_ name: String, _ completion: String?) {
        #expect(SpellingSuggestion.completion(of: name, among: Self.known) == completion)
    }

    @Test(
        "finds what a name was meant to be",
        arguments: [
            ("trakc", "track"), ("Track", "track"), ("set_metadata", "setMetadata"), ("indentify", "identify"),
            ("analyticsTrack", "analytics.track"), ("", nil), ("flush", nil),
            (String(repeating: "x", count: 1_000_000), nil),
        ] as [(String, String?)]
    )
    func finds(_ name: String, _ nearest: String?) {
        #expect(SpellingSuggestion.nearest(to: name, among: Self.known) == nearest)
    }
}
