import TestSupport
import Testing
import TrackerJSON

@Suite("JSONScanner")
struct JSONScannerTests {
    /// Scans bytes that lie exactly from `offset` to the end of an allocation, where a sanitizer sees any step beyond.
    private func fault(of bytes: [UInt8], at offset: Int = 0) -> JSONSyntaxError? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: offset + bytes.count, alignment: 16)
        defer { unsafe buffer.deallocate() }
        unsafe buffer.copyBytes(from: Array(repeating: 0x22, count: offset) + bytes)
        var scanner = JSONScanner(maxDepth: 8)
        do throws(JSONSyntaxError) {
            unsafe try scanner.scan(UnsafeRawBufferPointer(buffer), in: offset..<buffer.count)
            return nil
        } catch {
            return error
        }
    }

    @Test("finds a byte that is no plain character wherever it stands among plain ones", arguments: 0..<8)
    func alignments(offset: Int) {
        let suspects: [(byte: UInt8, kind: JSONSyntaxError.Kind?)] = [
            (0x00, .controlCharacter), (0x1F, .controlCharacter), (0x20, nil), (0x21, nil), (0x22, .syntax),
            (0x23, nil),
            (0x5B, nil), (0x5C, .invalidEscape), (0x5D, nil), (0x61, nil), (0x7E, nil), (0x7F, nil),
            (0x80, .invalidUTF8),
            (0xA2, .invalidUTF8), (0xDC, .invalidUTF8), (0xFF, .invalidUTF8),
        ]
        for length in 1...20 {
            for place in 0..<length {
                for (byte, kind) in suspects {
                    var bytes = Array(repeating: UInt8(ascii: "x"), count: length)
                    bytes[place] = byte
                    // A quote ends the string: what is wrong is what follows it.
                    let place = byte == 0x22 ? place + 1 : place
                    let expected = kind.map { JSONSyntaxError($0, at: offset + 1 + place) }

                    let fault = fault(of: [0x22] + bytes + [UInt8(ascii: "x"), 0x22], at: offset)

                    if fault != expected { Issue.record("\(bytes) at \(offset): \(String(describing: fault))") }
                }
            }
        }
    }

    @Test("sees that a text ends too early, wherever it is cut", arguments: 0..<8)
    func prefixes(offset: Int) {
        let text = #"{"a":[1.5e+3,-0,true,false,null,"\ud83d\ude00\n€😀"],"bcdefghijklmnop":{"q":[[],{}]}}"#
        let bytes = Array(text.utf8)

        #expect(fault(of: bytes, at: offset) == nil)
        for length in bytes.indices {
            let fault = fault(of: Array(bytes[..<length]), at: offset)
            let isInsideCharacter = bytes[length] & 0xC0 == 0x80
            #expect(fault?.kind == (isInsideCharacter ? .invalidUTF8 : .unexpectedEnd), "cut at \(length)")
        }
    }

    @Test("records every value up to the depth it is given, and its place in a larger buffer")
    func outline() throws {
        let buffer = Array(#"??{"id" : 7, "params":["n",{"a":[0]}] ,"\u0061":null}??"#.utf8)
        var scanner = JSONScanner(maxDepth: 1024)

        let value = try scanner.scan(buffer, in: 2..<buffer.count - 2)

        let items = scanner.outline.items
        let texts = items.map { String(decoding: buffer[$0.value], as: UTF8.self) }
        #expect(value == 2..<buffer.count - 2)
        #expect(texts[1...] == ["7", #"["n",{"a":[0]}]"#, #""n""#, #"{"a":[0]}"#, "null"])
        #expect(items.map(\.depth) == [0, 1, 1, 2, 2, 1])
        #expect(items.map(\.parent) == [-1, 0, 0, 2, 2, 0])
        #expect(items.map(\.kind) == [.object, .number, .array, .string, .object, .null])
        #expect(
            items.map { String(decoding: buffer[$0.key.range], as: UTF8.self) } == [
                "", #""id""#, #""params""#, "", "", #""\u0061""#,
            ])
        #expect(items.map(\.key.hasEscapes) == [false, false, false, false, false, true])
        #expect(scanner.outline.member("a", of: 0, in: buffer) == 5)
        #expect(scanner.outline.member("b", of: 0, in: buffer) == nil)
        #expect(try scanner.outline.text(at: 4, in: buffer).text == #"{"a":[0]}"#)
    }

    @Test("keeps no more values than its limit, and says so", arguments: 1...8)
    func boundsOutline(maxItems: Int) throws {
        let bytes = Array(#"[1,[2,3],[],{"a":4},5]"#.utf8)
        var whole = JSONScanner(maxDepth: 1024)
        var scanner = JSONScanner(maxDepth: 1024, maxItems: maxItems)

        for _ in 1...2 {
            try whole.scan(bytes)
            try scanner.scan(bytes)

            #expect(whole.outline.items.count == 9)
            #expect(!whole.outline.isCut)
            #expect(scanner.outline.items == Array(whole.outline.items.prefix(maxItems)))
            #expect(scanner.outline.isCut)
        }
        try scanner.scan(Array("1".utf8))
        #expect(!scanner.outline.isCut)
    }

    @Test("finds the last of several members of one name")
    func repeatedMembers() throws {
        let bytes = Array(#"{"id":1,"x":{"id":2},"\u0069d":3}"#.utf8)
        var scanner = JSONScanner(maxDepth: 1024)

        try scanner.scan(bytes)

        let found = try #require(scanner.outline.member("id", of: 0, in: bytes))
        #expect(bytes[scanner.outline.items[found].value] == [UInt8(ascii: "3")])
    }

    @Test("keeps an outline that has all there is to know about a text, at any depth", arguments: [0, 1, 2, 3, .max])
    func agreesWithTree(depth: Int) throws {
        let seed = Seeds.base()
        var random = RandomJSON(seed: seed)
        var scanner = JSONScanner(maxDepth: 1024, outlineDepth: depth)
        for _ in 0..<300 {
            let bytes = Array(random.text().utf8)

            try scanner.scan(bytes)

            let outline = scanner.outline
            for index in outline.items.indices where outline.items[index].depth < depth {
                let item = outline.items[index]
                let children = outline.items.filter { $0.parent == index }
                let values = try children.map { JSONValue(try JSONText(validating: bytes[$0.value])) }
                let keys = children.map { String(decoding: $0.key.characters(in: bytes), as: UTF8.self) }
                switch JSONValue(try JSONText(validating: bytes[item.value])) {
                case .array(let elements): #expect(elements == values, "seed \(seed)")
                case .object(let object): #expect(object == JSONObject(zip(keys, values)), "seed \(seed)")
                default: #expect(children.isEmpty, "seed \(seed)")
                }
            }
        }
    }

    @Test("forgets the text before, also after a fault")
    func reuse() throws {
        var scanner = JSONScanner(maxDepth: 8, loneSurrogates: .noted)

        try scanner.scan(Array(#"["\ud800",[[[[[[[1]]]]]]]]"#.utf8))
        #expect(throws: JSONSyntaxError(.syntax, at: 2)) { try scanner.scan(Array("[1}".utf8)) }

        #expect(scanner.outline.items.isEmpty && scanner.outline.firstLoneSurrogate == nil)
        try scanner.scan(Array("[2]".utf8))
        #expect(scanner.outline.items.count == 2 && scanner.outline.firstLoneSurrogate == nil)
    }

    @Test("does not recurse, however deep a text nests")
    func deepNesting() throws {
        let openings = Array(String(repeating: "[", count: 5_000_000).utf8)
        var scanner = JSONScanner(maxDepth: .max)
        var limited = JSONScanner(maxDepth: 1024)

        #expect(throws: JSONSyntaxError(.unexpectedEnd, at: openings.count)) { try scanner.scan(openings) }
        #expect(throws: JSONSyntaxError(.tooDeep, at: 1024)) { try limited.scan(openings) }
    }

    @Test("finds its way out of a hundred thousand levels", arguments: ["[]", #"{"":}"#])
    func deepClosings(level: String) throws {
        let levels = 100_000
        let openings = String(repeating: String(level.dropLast()), count: levels) + "0"
        let closings = String(repeating: String(level.suffix(1)), count: levels)
        let text = Array((openings + closings).utf8)
        var scanner = JSONScanner(maxDepth: .max)

        try scanner.scan(text)

        #expect(scanner.outline.items.count == 3)
        #expect(throws: JSONSyntaxError(.syntax, at: text.count)) { try scanner.scan(text + closings.utf8) }
    }

    @Test("remembers what is open across every 64 levels", arguments: [63, 64, 65, 127, 128, 129, 1000])
    func mixedNesting(depth: Int) throws {
        let isObject = (0..<depth).map { $0 % 3 == 0 || $0 % 7 == 2 }
        let openings = isObject.map { $0 ? #"{"k":"# : "[" }.joined()
        let closings = isObject.reversed().map { $0 ? ",\"l\":1}" : ",1]" }.joined()
        var scanner = JSONScanner(maxDepth: .max)

        try scanner.scan(Array((openings + "0" + closings).utf8))

        let wrong = isObject.reversed().map { $0 ? "]" : "}" }.joined()
        #expect(throws: JSONSyntaxError.self) { try scanner.scan(Array((openings + "0" + wrong).utf8)) }
    }

    @Test("keeps a message's own parts to the rules for texts")
    func textsOfItems() throws {
        let deep = String(repeating: "[", count: 129) + String(repeating: "]", count: 129)
        let bytes = Array(#"{"deep":\#(deep),"lone":["\udead"],"fine":[[1]]}"#.utf8)
        var scanner = JSONScanner(maxDepth: 1024, outlineDepth: 1, loneSurrogates: .noted)

        try scanner.scan(bytes)

        let outline = scanner.outline
        #expect(throws: JSONSyntaxError(.tooDeep, at: 128)) { try outline.text(at: 1, in: bytes) }
        #expect(throws: JSONSyntaxError(.loneSurrogate, at: 2)) { try outline.text(at: 2, in: bytes) }
        #expect(try outline.text(at: 3, in: bytes).text == "[[1]]")
    }

    @Test(
        "knows whether half a surrogate pair stands outside one member's value",
        arguments: [
            (#"{"id":1,"params":["\ud800"]}"#, 19, false),
            (#"{"id":1,"params":{"\udc00":1,"a":["\udc00"]}}"#, 19, false),
            (#"{"id":"\ud800","params":[1]}"#, 7, true),
            (#"{"id":"\ud800","params":["\ud800"]}"#, 7, true),
            (#"{"params":["\ud800"],"id":"\ud800"}"#, 12, true),
            (#"{"params":["\ud800"],"i\ud800":2}"#, 12, true),
            (#"{"params":["\ud800"],"x":[[["\ud800"]]]}"#, 12, true),
        ]
    )
    func loneSurrogates(text: String, offset: Int, isOutside: Bool) throws {
        let bytes = Array(text.utf8)
        var scanner = JSONScanner(maxDepth: 1024, loneSurrogates: .noted)

        try scanner.scan(bytes)

        let outline = scanner.outline
        let params = try #require(outline.member("params", of: 0, in: bytes))
        #expect(outline.firstLoneSurrogate == offset)
        #expect(outline.hasLoneSurrogate(outsideItemAt: params) == isOutside)
    }

    @Test("has nothing to note in whole pairs")
    func wholePairs() throws {
        let bytes = Array(#"{"params":["\ud83d\ude00"]}"#.utf8)
        var scanner = JSONScanner(maxDepth: 1024, loneSurrogates: .noted)

        try scanner.scan(bytes)

        #expect(scanner.outline.firstLoneSurrogate == nil)
        #expect(scanner.outline.hasLoneSurrogate(outsideItemAt: 1) == false)
    }
}
