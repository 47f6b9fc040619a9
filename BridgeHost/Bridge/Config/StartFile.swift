import JSONRPC
import TrackerCore
import TrackerModels

/// The clients that a host starts by itself: a file of the calls by which callers would initialise them.
///
/// It is a JSON object. Its keys are methods that set a client up, and their values are the params, by position or by
/// name. It may hold keys, so nobody else may read it.
package struct StartFile: Sendable {
    /// A longer file is not one of these.
    private static let limit = 1 << 20

    /// The rows that set a client up.
    private static let rows = BridgedMethod.all.filter { $0.restores?.isSetup == true }

    /// What errors call the file.
    let title: String
    /// The calls, in the order of the method table.
    let calls: [Request]

    /// - Throws: What is wrong with it, naming the key. Values are checked when the calls are made.
    package init(path: String) throws(CommandFailure) {
        title = "--config \(path)"
        do throws(CommandFailure) {
            let file: WholeFile
            do throws(WholeFile.Failure) {
                file = try WholeFile(path, limit: Self.limit + 1)
            } catch {
                throw CommandFailure(message: error.message)
            }
            guard file.isOwn else {
                throw CommandFailure(message: "The file must belong to you or root, and belongs to another user.")
            }
            guard file.mode & 0o077 == 0 else {
                throw CommandFailure(
                    message: "Others may use the file, which may hold keys: its mode is "
                        + "0\(String(file.mode, radix: 8)) and must be 0600. Run: chmod 600 '\(path)'")
            }
            guard file.bytes.count <= Self.limit else {
                throw CommandFailure(message: "The file is longer than \(Self.limit) bytes.")
            }
            calls = try Self.calls(in: file.bytes)
        } catch {
            throw CommandFailure(message: "\(title): \(error.message)")
        }
    }

    /// Reads the text of a file.
    static func calls(in bytes: [UInt8]) throws(CommandFailure) -> [Request] {
        let text: JSONText
        do {
            text = try JSONText(validating: bytes)
        } catch {
            throw CommandFailure(message: "The file is no JSON: \(error)")
        }
        let names = rows.map(\.method.name)
        let known = names.map { "'\($0)'" }.joined(separator: ", ")
        guard text.kind == .object, !text.members.isEmpty else {
            throw CommandFailure(message: "The file must be a JSON object with at least one of the keys \(known).")
        }
        if let (twice, isMethod) = firstRepeatedKey(in: text) {
            let advice =
                isMethod
                ? ": a file starts one client of a kind. Start another host with a file of its own."
                : " in one object: only one of the two would count."
            throw CommandFailure(message: "'\(twice.prefix(80))' is there twice\(advice)")
        }
        var params: [String: Params] = [:]
        for member in text.members {
            guard names.contains(member.key) else {
                let near = SpellingSuggestion.nearest(to: member.key, among: names)
                throw CommandFailure(
                    message: "'\(member.key.prefix(80))' is unknown. "
                        + (near.map { "Did you mean '\($0)'?" } ?? "Known are \(known)."))
            }
            guard let value = Params(member.value) else {
                throw CommandFailure(
                    message: "'\(member.key)' must be the params of the method: an array or an object.")
            }
            params[member.key] = value
        }
        return rows.compactMap { row in
            params[row.method.name].map {
                Request(method: row.method.name, params: row.restores?.withoutCaller($0) ?? $0)
            }
        }
    }

    /// The first key that an object of the file has twice, at any depth, and whether that object is the file itself.
    private static func firstRepeatedKey(in text: JSONText) -> (key: String, isMethod: Bool)? {
        var seen: [Int: Set<ArraySlice<UInt8>>] = [:]
        for item in text.outline(depth: .max).items where !item.key.range.isEmpty {
            let key = item.key.characters(in: text.bytes)
            guard !seen[item.parent, default: []].insert(key).inserted else { continue }
            return (String(decoding: key, as: UTF8.self), item.depth == 1)
        }
        return nil
    }
}

extension Restoration {
    fileprivate var isSetup: Bool { if case .setup = self { true } else { false } }

    /// The params of a setup for which nobody waits: the configuration says what it says when the setup is restored.
    fileprivate func withoutCaller(_ params: Params) -> Params {
        guard case .setup(_, let again, _) = self, !again.isEmpty, let text = params.text else { return params }
        var value = JSONValue(text)
        value.mergeIntoConfig(again)
        // What was read is not nested too deeply.
        return (try? JSONText(value)).flatMap { Params($0) } ?? params
    }
}

extension JSONValue {
    /// Sets members of the configuration in the params of `init`, in whichever form they are.
    fileprivate mutating func mergeIntoConfig(_ members: [String: String]) {
        switch self {
        case .array(var elements):
            // By position it follows the brand; an object alone is the form of the React Native package.
            let index = elements.first?.objectValue == nil ? 1 : 0
            if index == elements.count { elements.append(.null) }
            guard elements.indices.contains(index) else { return }
            elements[index].set(members)
            self = .array(elements)
        case .object(var object) where InitArguments.parameters.contains { object[$0.name] != nil }:
            var config = object["config"] ?? .null
            config.set(members)
            object["config"] = config
            self = .object(object)
        default: set(members)
        }
    }

    /// What is neither an object nor `null` stays as it is, and so does a member that is no word of its option: both are
    /// refused later.
    private mutating func set(_ members: [String: String]) {
        guard var object = self == .null ? JSONObject() : objectValue else { return }
        for (name, value) in members where object[name]?.isWord(of: name) != false { object[name] = .string(value) }
        self = .object(object)
    }

    /// Whether it is `null`, or one of the words of an option of `init`.
    private func isWord(of name: String) -> Bool {
        guard self != .null else { return true }
        guard case .words(let words)? = TrackerConfig.options.first(where: { $0.key == name })?.range else {
            return false
        }
        return stringValue.map(words.contains) == true
    }
}
