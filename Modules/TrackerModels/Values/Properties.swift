// Values are JSON: a file that imports the models has `JSONValue`, `JSONObject` and `JSONText` as well.
@_exported public import TrackerJSON

/// The values of a call, such as the attributes of an event: one JSON object.
///
/// ```swift
/// let price = 149.99
/// let properties: Properties = ["total": JSONValue(price), "items": [["sku": "A-1"], nil], "is_gift": true]
/// await MobileTracker.shared.track(eventName: "PURCHASE", attributes: properties)
/// ```
///
/// They are made from a dictionary literal, which keeps its order, a JSON tree, validated JSON text or a `[String: Any]`.
/// Making them throws nothing: if a value is one that JSON cannot hold, such as NaN or an object of another type, the
/// call that you give them to is dropped as ``RefusalReason/serialization``, and the log names the key path.
public struct Properties: Hashable, Sendable {
    /// The object, or what keeps it from being one.
    package let content: Result<JSONText, JSONConversionError>

    /// Takes a JSON tree.
    public init(_ object: JSONObject) {
        content = Self.attempt { bridge throws(JSONConversionError) in try bridge.append(tree: .object(object)) }
    }

    /// Takes validated JSON text, which is sent as it is. It must be an object.
    public init(_ text: JSONText) {
        guard text.kind == .object else {
            content = .failure(JSONConversionError(keyPath: "", reason: .notAnObject(text.kind)))
            return
        }
        do throws(JSONSyntaxError) {
            // Text may have been validated with a greater depth.
            content = .success(try JSONText(validating: text.bytes))
        } catch {
            content = .failure(JSONConversionError(keyPath: "", reason: .tooDeep))
        }
    }

    /// Takes what one pass has found to be JSON that nests no deeper than ``JSONText/maxDepth``.
    package init(accepted text: JSONText) {
        content =
            text.kind == .object
            ? .success(text) : .failure(JSONConversionError(keyPath: "", reason: .notAnObject(text.kind)))
    }

    init(failure: JSONConversionError) { content = .failure(failure) }

    /// Takes a `[String: Any]`.
    ///
    /// What it may hold: `String`, `Substring`, `Character`, `Bool`, integers and floating-point numbers of every
    /// size, optionals (`nil` as `null`), arrays, dictionaries with string keys, ``JSONValue``, ``JSONObject``,
    /// ``JSONText`` and ``Properties``. Of Foundation's types: `NSNull` as `null`, `NSNumber` as the truth value or the
    /// number that it is, `Date` as ISO 8601 with milliseconds in UTC, `URL` and `UUID` as their text, `Decimal` as its
    /// exact number. Floating-point numbers take the shortest form that reads back the same. A dictionary has no order:
    /// its members are sorted by key, so that equal dictionaries give equal text.
    public init(_ dictionary: [String: Any]) {
        content = Self.attempt { bridge throws(JSONConversionError) in try bridge.append(dictionary) }
    }

    /// The object as text.
    ///
    /// - Throws: ``JSONConversionError``, which names the value that JSON cannot hold, by its key path.
    public func json() throws(JSONConversionError) -> JSONText { try content.get() }

    /// The object as text.
    ///
    /// - Parameter option: The option of the call that it is, if it is one.
    /// - Throws: Why JSON cannot hold it, with the way to the value.
    package func checked(as option: String? = nil) throws(Refusal) -> JSONText {
        switch content {
        case .success(let text): return text
        case .failure(let error): throw Refusal(error, in: option)
        }
    }

    /// How long the text is, in bytes.
    package var byteCount: Int {
        switch content {
        case .success(let text): text.byteCount
        case .failure: 0
        }
    }

    private static func attempt(
        _ write: (inout JSONBridge) throws(JSONConversionError) -> Void
    ) -> Result<JSONText, JSONConversionError> {
        var bridge = JSONBridge()
        do throws(JSONConversionError) {
            try write(&bridge)
            return .success(JSONText(accepted: bridge.bytes))
        } catch {
            return .failure(error)
        }
    }
}

extension Properties: ExpressibleByDictionaryLiteral {
    /// Makes an object.
    ///
    /// A key that comes twice keeps its first place and takes its last value.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        self.init(JSONObject(members))
    }
}
