import TrackerJSON

enum Message: Sendable {
    case call(Call)
    /// Several calls that are answered together: where each is in what was parsed.
    case batch([Range<Int>])
}

/// Reads messages, each in one pass and without building a tree.
struct MessageParser: Sendable {
    /// How deep a message may nest.
    static let maxDepth = 1024

    /// How many members and params together a request may have.
    private static let maxItems = 100_000

    /// How many calls a batch may have.
    private let maxBatchCalls: Int
    /// Finds the members and params of a request.
    private var scanner = JSONScanner(maxDepth: maxDepth, maxItems: maxItems, loneSurrogates: .noted)
    /// Finds the calls of a batch, or the members of a request that has too many params.
    private var outerScanner: JSONScanner

    init(maxBatchCalls: Int) {
        self.maxBatchCalls = maxBatchCalls
        outerScanner = JSONScanner(
            maxDepth: Self.maxDepth, outlineDepth: 1, maxItems: max(maxBatchCalls + 2, Self.maxItems),
            loneSurrogates: .noted
        )
    }

    /// How many values there is room for between messages.
    var keptItems: Int { scanner.outline.items.capacity + outerScanner.outline.items.capacity }

    mutating func message(_ bytes: [UInt8], in range: Range<Int>) -> Message {
        guard bytes[range].first(where: { !Blank.contains($0) }) == UInt8(ascii: "[") else {
            return .call(call(bytes, in: range))
        }
        defer { outerScanner.shrink() }
        if let refusal = Self.scan(bytes, in: range, with: &outerScanner) { return .call(refusal) }
        let calls = outerScanner.outline.items.dropFirst().map(\.value)
        guard !calls.isEmpty else { return .call(Call(refused: .invalidRequest("A batch must hold a request."))) }
        guard calls.count <= maxBatchCalls else {
            return .call(Call(refused: .invalidRequest("A batch may hold \(maxBatchCalls) requests at most.")))
        }
        return .batch(calls)
    }

    /// Reads one call: a message, or a member of a batch.
    mutating func call(_ bytes: [UInt8], in range: Range<Int>) -> Call {
        defer { scanner.shrink() }
        if let refusal = Self.scan(bytes, in: range, with: &scanner) { return refusal }
        guard scanner.outline.isCut else { return call(bytes, scanner.outline, in: range) }
        defer { outerScanner.shrink() }
        if let refusal = Self.scan(bytes, in: range, with: &outerScanner) { return refusal }
        guard !outerScanner.outline.isCut else {
            return Call(refused: .invalidRequest("A request has four members."))
        }
        var call = call(bytes, outerScanner.outline, in: range)
        if case .success(let request) = call.request {
            let method = String(request.method.prefix(80))
            call.request = .failure(.invalidParams("\(method): too many params", of: method))
        }
        return call
    }

    /// Looks through a message.
    ///
    /// - Returns: What to answer if it is no JSON.
    private static func scan(_ bytes: [UInt8], in range: Range<Int>, with scanner: inout JSONScanner) -> Call? {
        do {
            try scanner.scan(bytes, in: range)
            return nil
        } catch {
            return refusal(of: bytes, in: range, error)
        }
    }

    /// The answer to a message that is not JSON, under its id if that can be read.
    private static func refusal(of bytes: [UInt8], in range: Range<Int>, _ error: JSONSyntaxError) -> Call {
        let message = BrokenMessage(bytes: bytes, range: range, fault: error.offset)
        let place = JSONSyntaxError(error.kind, at: max(0, error.offset - range.lowerBound))
        return Call(refused: .parseError(place.description + message.hint), id: message.id ?? Call.nullID)
    }

    /// Reads the call that was scanned.
    private func call(_ bytes: [UInt8], _ outline: JSONOutline, in range: Range<Int>) -> Call {
        let members = Members(of: outline, in: bytes)
        if let offset = outline.firstLoneSurrogate,
            members.params.map(outline.hasLoneSurrogate(outsideItemAt:)) ?? true
        {
            return Self.refusal(of: bytes, in: range, JSONSyntaxError(.loneSurrogate, at: offset))
        }
        guard case .object? = outline.root?.kind else {
            return Call(refused: .invalidRequest("A request is an object."))
        }
        return call(bytes, outline, members)
    }

    private func call(_ bytes: [UInt8], _ outline: JSONOutline, _ members: Members) -> Call {
        var id: [UInt8]?
        if let index = members.id {
            let item = outline.items[index]
            // A switch, since `==` of another module's enum is a call through its protocol.
            switch item.kind {
            case .string, .number, .null: id = Array(bytes[item.value])
            case .boolean, .array, .object:
                return Call(refused: .invalidRequest("'id' must be a string, a number or null."))
            }
        }
        func refused(_ detail: String) -> Call { Call(refused: .invalidRequest(detail), id: id ?? Call.nullID) }

        guard let version = members.jsonrpc, outline.isVersion(at: version, in: bytes) else {
            return refused("'jsonrpc' must be \"2.0\".")
        }
        guard let method = members.method.flatMap({ outline.string(at: $0, in: bytes) }) else {
            return refused("'method' must be a string.")
        }
        // Some clients always write params: null stands for none.
        guard let index = members.params else { return Call(Request(method: method), id: id) }
        switch outline.items[index].kind {
        case .null: return Call(Request(method: method), id: id)
        case .array, .object:
            return Call(Request(method: method, params: Params(of: index, in: outline, bytes)), id: id)
        case .string, .number, .boolean: return refused("'params' must be an array or an object.")
        }
    }
}

/// Where the members of a request are in its outline; of several with one name, the last.
private struct Members {
    var jsonrpc: Int?
    var id: Int?
    var method: Int?
    var params: Int?

    init(of outline: JSONOutline, in bytes: [UInt8]) {
        for index in outline.items.indices where outline.items[index].depth == 1 {
            let key = outline.items[index].key
            if Self.isNamed("id", key, bytes) {
                id = index
            } else if Self.isNamed("method", key, bytes) {
                method = index
            } else if Self.isNamed("params", key, bytes) {
                params = index
            } else if Self.isNamed("jsonrpc", key, bytes) {
                jsonrpc = index
            }
        }
    }

    private static func isNamed(_ name: StaticString, _ key: JSONOutline.Key, _ bytes: [UInt8]) -> Bool {
        guard key.hasEscapes else { return key.isSpelled(name, in: bytes) }
        return key.matches(name.description, in: bytes)
    }
}

extension JSONOutline {
    /// The characters of the string at `index`; `nil` if something else is there.
    fileprivate func string(at index: Int, in bytes: [UInt8]) -> String? {
        guard case .string = items[index].kind else { return nil }
        return JSONEscape.string(of: bytes, in: items[index].value)
    }

    /// Whether the value at `index` is the string `2.0`, which may be spelled with escapes.
    fileprivate func isVersion(at index: Int, in bytes: [UInt8]) -> Bool {
        let value = items[index].value
        let isPlain =
            value.count == 5 && bytes[value.lowerBound] == UInt8(ascii: "\"")
            && bytes[value.lowerBound + 1] == UInt8(ascii: "2") && bytes[value.lowerBound + 2] == UInt8(ascii: ".")
            && bytes[value.lowerBound + 3] == UInt8(ascii: "0")
        return isPlain || string(at: index, in: bytes) == "2.0"
    }
}
