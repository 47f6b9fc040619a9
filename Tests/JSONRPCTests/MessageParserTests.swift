import Testing
import TrackerJSON

@testable import JSONRPC

@Suite("MessageParser")
struct MessageParserTests {
    @Test(
        "keeps the spelling of ids",
        arguments: [
            "1", "1.0", "1e3", "-0", "9007199254740993", "123456789012345678901234567890", "0.10", "null", #""""#,
            #""a""#, #""\u0061""#, #""é""#, #""\ud83d\ude00""#, #""\"\\\/""#,
        ]
    )
    func keepsIDs(_ id: String) {
        let call = parse(#" {"id" : \#(id) ,"jsonrpc":"2.0","method":"m"} "#)

        #expect(call?.id == Array(id.utf8))
        #expect(call?.request.isSuccess == true)
    }

    @Test("keeps little of a message with many params, or of a large batch", arguments: [true, false])
    func givesBack(isBatch: Bool) {
        let call = #"{"jsonrpc":"2.0","method":"m","params":[]}"#
        let params = Array(repeating: "0", count: 100_000).joined(separator: ",")
        let text =
            isBatch
            ? "[\(Array(repeating: call, count: 10_000).joined(separator: ","))]"
            : #"{"jsonrpc":"2.0","method":"m","params":[\#(params)]}"#
        var parser = MessageParser(maxBatchCalls: 10_000)
        let bytes = Array(text.utf8)

        guard case .batch(let calls) = parser.message(bytes, in: 0..<bytes.count) else {
            #expect(!isBatch && parser.keptItems <= 1024)
            return
        }

        #expect(isBatch && calls.count == 10_000 && parser.keptItems <= 1024)
    }

    @Test("takes a call without an id for a notification")
    func knowsNotifications() throws {
        let call = try #require(parse(#"{"jsonrpc":"2.0","method":"m"}"#))

        #expect(call.id == nil)
        #expect(call.id == nil)
        #expect(try call.request.get().params.form == .none)
    }

    @Test("gives positional params")
    func givesPositional() throws {
        let request = try #require(parse(#"{"params": [ "a" ,{"b":[1]}, null],"jsonrpc":"2.0","method":"m"}"#)).request
            .get()

        #expect(request.params.form == .positional)
        #expect(
            (0..<request.params.count).map { request.params.value(at: $0).text } == [#""a""#, #"{"b":[1]}"#, "null"])
        #expect(request.params.text?.text == #"["a",{"b":[1]},null]"#)
    }

    @Test("gives named params, by the characters of their names")
    func givesNamed() throws {
        let request = try #require(
            parse(#"{"jsonrpc":"2.0","method":"m","params":{"a":1,"\u0062":2,"é":3,"e\u0301":4,"a":5}}"#)
        ).request.get()

        #expect(request.params.form == .named)
        #expect((0..<request.params.count).map(request.params.name(at:)) == ["a", "b", "é", "e\u{301}", "a"])
        #expect(request.params.position(of: "a") == 4)
        #expect(request.params.position(of: "b") == 1)
        #expect(request.params.position(of: "\u{E9}") == 2)
        #expect(request.params.position(of: "e\u{301}") == 3)
        #expect(request.params.position(of: "c") == nil)
    }

    @Test("knows the members of a request by their characters, and takes the last of each")
    func readsEscapedMembers() throws {
        let call = try #require(
            parse(#"{"\u006asonrpc":"2\u002e0","m\u0065thod":"\u006d\u00e9","id":1,"id":2,"x":[]}"#))

        #expect(call.id == Array("2".utf8))
        #expect(try call.request.get().method == "mé")
    }

    @Test(
        "refuses what is no request, under its id if it has one",
        arguments: [
            ("1", "null"), ("null", "null"), (#""x""#, "null"), ("{}", "null"), (#"{"foo":"boo"}"#, "null"),
            (#"{"jsonrpc":"2.0"}"#, "null"), (#"{"jsonrpc":"2.0","id":7}"#, "7"),
            (#"{"method":"m","id":7}"#, "7"), (#"{"jsonrpc":"1.0","method":"m","id":"7"}"#, #""7""#),
            (#"{"jsonrpc":2.0,"method":"m","id":7}"#, "7"), (#"{"jsonrpc":[2.0],"method":"m","id":7}"#, "7"),
            (#"{"jsonrpc":12.05,"method":"m","id":7}"#, "7"), (#"{"jsonrpc":"2.0","method":1,"id":7}"#, "7"),
            (#"{"jsonrpc":"2.0","method":null}"#, "null"), (#"{"jsonrpc":"2.0","method":"m","params":1,"id":7}"#, "7"),
            (#"{"jsonrpc":"2.0","method":"m","params":"x"}"#, "null"),
            (#"{"jsonrpc":"2.0","method":"m","id":true}"#, "null"),
            (#"{"jsonrpc":"2.0","method":"m","id":{}}"#, "null"),
            (#"{"jsonrpc":"2.0","method":"m","id":[1]}"#, "null"), (#"{"jsonrpc":"2.0","result":{},"id":7}"#, "7"),
            ("[]", "null"),
        ]
    )
    func refusesInvalid(_ text: String, _ id: String) {
        let call = parse(text)

        #expect(call?.id == Array(id.utf8))
        #expect(call?.request.failure?.number == .invalidRequest)
    }

    @Test(
        "refuses what is no JSON, and says where",
        arguments: [
            ("", 0), ("  ", 2), ("{", 1), (#"{"jsonrpc":"2.0","method":"m","id":1}x"#, 37), ("{'a':1}", 1),
            ("{\"a\":\"\u{0}\"}", 6), ("\u{0}", 0), ("[1,]", 3), (#"{"a":"\ud800"}"#, 6), ("NaN", 0),
            (#"{"jsonrpc":"2.0","method":"m","id":"\udc00"}"#, 36),
            (#""\ud800""#, 1),
            (#"{"jsonrpc":"2.0","method":"m","params":["\ud800"],"id":"\ud800"}"#, 41),
            (#"{"jsonrpc":"2.0","method":"m","params":["\ud800"],"params":[]}"#, 41),
        ]
    )
    func refusesNonsense(_ text: String, _ offset: Int) throws {
        let call = parse(text)

        let error = try #require(call?.request.failure)
        #expect(call?.id == Call.nullID)
        #expect(error.number == .parseError)
        #expect(error.details.first?.value.stringValue?.contains("at byte \(offset).") == true, "\(error)")
    }

    @Test(
        "answers what is no JSON under its id, if that can be read",
        arguments: [
            (#"{"jsonrpc":"2.0","id":7,"method":"m","params":["A",{"v":NaN}]}"#, "7"),
            (#"{"jsonrpc":"2.0","method":"m","params":{"v":[-Infinity,{"id":1}]},"id":"a\"b"}"#, #""a\"b""#),
            (#" { "id" : -1.50 , "params": [1,] } "#, "-1.50"), (#"{"id":7,"params":{"a":01}}"#, "7"),
            (#"{"jsonrpc":"2.0","id":7,"method":"m","params":["cut of"#, "7"),
            (#"{"jsonrpc":"2.0","method":"\ud800","id":1}"#, "1"),
            (#"{"jsonrpc":"2.0","method":"m","id":1,"\ud800":1}"#, "1"), ("{\"id\":7,\"method\":\"a\tb\"}", "7"),
            // Not to be told, or not without doubt:
            (#"{"params":["cut of"#, "null"), (#"{"params":[NaN],"id":7"#, "null"),
            (#"{"params":[NaN,"id":7}"#, "null"),
            (#"{"id":7,"params":[NaN],"id":8}"#, "null"), (#"{"id":7} {"id":8}"#, "null"), (#"{"id":7,}x"#, "null"),
            (#"{"params":NaN,"id":{"id":7}}"#, "null"), (#"{"params":NaN,"id":01}"#, "null"), (#"{"id":NaN}"#, "null"),
            (#"{"params":NaN,"id":null}"#, "null"), (#"[{"id":7,"params":[NaN]}]"#, "null"), (#"{"id":7"#, "null"),
            (#"{"params":NaN,"a":{"id":7},"b":"id","c":["id"]}"#, "null"), (#"{"params":[NaN],"id""#, "null"),
        ]
    )
    func readsIDsOfNonsense(_ text: String, _ id: String) throws {
        let call = try #require(parse(text))

        #expect(call.id == Array(id.utf8))
        #expect(call.request.failure?.number == .parseError)
    }

    @Test(
        "says what JSON has no word for",
        arguments: [(#"{"id":1,"params":[NaN]}"#, 18), (#"{"a":Infinity}"#, 5), (#"{"a":-Infinity}"#, 6)])
    func explainsNaN(_ text: String, _ offset: Int) throws {
        let detail = try #require(parse(text)?.request.failure?.details.first?.value.stringValue)

        #expect(detail.contains("NaN") && detail.contains("at byte"), "\(detail)")
    }

    @Test("takes params that are null for none")
    func takesNullParams() throws {
        let call = try #require(parse(#"{"jsonrpc":"2.0","method":"m","params":null,"id":7}"#))

        #expect(call.id == Array("7".utf8))
        #expect(try call.request.get().params.form == .none)
    }

    @Test("refuses bytes that are not UTF-8", arguments: [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF8], [0xC3]])
    func refusesNonUTF8(_ bytes: [UInt8]) {
        let call = parse(Array(#"{"jsonrpc":"2.0","method":"m","params":[""#.utf8) + bytes + Array(#""],"id":1}"#.utf8))

        #expect(call?.request.failure?.number == .parseError)
    }

    @Test(
        "hands on params with half a surrogate pair as what they are",
        arguments: [#"["\ud800"]"#, #"{"a":{"\udc00":[]}}"#, #"[["\udc00\ud800"]]"#, #"{"\ud800":1}"#]
    )
    func handsOnLoneSurrogates(_ params: String) throws {
        let call = try #require(parse(#"{"jsonrpc":"2.0","method":"m","params":\#(params),"id":7}"#))

        #expect(call.id == Array("7".utf8))
        #expect(try call.request.get().params.form == .notSerializable(.loneSurrogate))
        #expect(try call.request.get().params.text == nil)
    }

    @Test("takes 1,024 levels and no more, and passes on params of up to 128")
    func boundsDepth() throws {
        func nested(_ depth: Int) -> String {
            let levels = depth - 2
            let param = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
            return #"{"jsonrpc":"2.0","method":"m","id":1,"params":[\#(param)]}"#
        }

        #expect(try parse(nested(130))?.request.get().params.form == .positional)
        #expect(try parse(nested(131))?.request.get().params.form == .notSerializable(.tooDeep))
        #expect(try parse(nested(1_024))?.request.get().params.form == .notSerializable(.tooDeep))
        #expect(parse(nested(1_025))?.request.failure?.number == .parseError)
    }

    @Test("refuses more params than any method has, under the id of the call")
    func boundsParams() throws {
        let params = "[\(Array(repeating: "1", count: 200_000).joined(separator: ","))]"

        let call = try #require(parse(#"{"jsonrpc":"2.0","method":"m","params":\#(params),"id":7}"#))
        let notification = try #require(parse(#"{"jsonrpc":"2.0","method":"m","params":\#(params)}"#))

        #expect(call.id == Array("7".utf8))
        #expect(call.request.failure?.message == "m: too many params")
        #expect(notification.id == nil)
    }

    @Test("refuses more members than any request has")
    func boundsMembers() {
        let members = Array(repeating: #""a":1"#, count: 200_000).joined(separator: ",")

        let call = parse(#"{\#(members),"jsonrpc":"2.0","method":"m","id":7}"#)

        #expect(call?.id == Call.nullID)
        #expect(call?.request.failure?.number == .invalidRequest)
    }

    @Test("takes the members of a batch one by one")
    func readsBatches() throws {
        let bytes = Array(
            #"xx [ {"jsonrpc":"2.0","method":"m","id":1},2, [3] ,{"jsonrpc":"2.0","method":"\ud800"}]xx"#.utf8)
        var parser = MessageParser(maxBatchCalls: 4)

        guard case .batch(let ranges) = parser.message(bytes, in: 2..<bytes.count - 2) else {
            Issue.record("no batch")
            return
        }
        let calls = ranges.map { parser.call(bytes, in: $0) }

        #expect(calls.map(\.id) == ["1", "null", "null", "null"].map { Array($0.utf8) })
        #expect(calls.map(\.request.failure?.number) == [nil, .invalidRequest, .invalidRequest, .parseError])
    }

    @Test("refuses a batch of too many calls as a whole")
    func boundsBatches() {
        #expect(parse("[1,2,3]", maxBatchCalls: 2)?.request.failure?.number == .invalidRequest)
    }

    private func parse(_ text: String, maxBatchCalls: Int = 100) -> Call? {
        parse(Array(text.utf8), maxBatchCalls: maxBatchCalls)
    }

    private func parse(_ bytes: [UInt8], maxBatchCalls: Int = 100) -> Call? {
        var parser = MessageParser(maxBatchCalls: maxBatchCalls)
        guard case .call(let call) = parser.message(bytes, in: 0..<bytes.count) else { return nil }
        return call
    }
}

extension Result {
    var isSuccess: Bool { (try? get()) != nil }

    var failure: Failure? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}
