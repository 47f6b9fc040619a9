#if FoundationURL
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif
#endif

/// Writes values of unknown type as text, and knows where it is in them.
struct JSONBridge {
    private(set) var bytes: [UInt8] = []
    private var path: [JSONStep] = []

    mutating func append(_ dictionary: [String: Any]) throws(JSONConversionError) {
        guard path.count < JSONText.maxDepth else { throw error(.tooDeep) }
        bytes.append(UInt8(ascii: "{"))
        for (index, key) in dictionary.keys.sorted().enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONEscape.append(key, to: &bytes)
            bytes.append(UInt8(ascii: ":"))
            path.append(.key(key))
            if let value = dictionary[key] { try append(any: value) }
            path.removeLast()
        }
        bytes.append(UInt8(ascii: "}"))
    }

    private mutating func append(_ array: [Any]) throws(JSONConversionError) {
        guard path.count < JSONText.maxDepth else { throw error(.tooDeep) }
        bytes.append(UInt8(ascii: "["))
        for (index, element) in array.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            path.append(.index(index))
            try append(any: element)
            path.removeLast()
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func append(any value: Any) throws(JSONConversionError) {
        // An object of a class, such as an `NSNumber`, passes for several of the types below, and so does an optional one.
        let type = type(of: value)
        if type is AnyClass { return try append(object: value) }
        let isPlain = type == String.self || type == Int.self || type == Double.self || type == Bool.self
        if !isPlain, let optional = value as? any OptionalValue {
            if let wrapped = optional.wrapped { try append(any: wrapped) } else { bytes += "null".utf8 }
            return
        }
        switch value {
        case let value as String: JSONEscape.append(value, to: &bytes)
        case let value as Bool: bytes += value.description.utf8
        case let value as Int: bytes += value.description.utf8
        case let value as Double: try append(value)
        case let value as [String: Any]: try append(value)
        case let value as [Any]: try append(value)
        case let value as Substring: JSONEscape.append(value, to: &bytes)
        case let value as Character: JSONEscape.append(String(value), to: &bytes)
        case let value as any BinaryInteger: try append(spelled: value)
        case let value as any BinaryFloatingPoint: try append(value)
        case let value as JSONValue: try append(tree: value)
        case let value as JSONObject: try append(tree: .object(value))
        case let value as JSONText: try append(value)
        case let value as Properties: try append(properties: value)
        default: try append(foundation: value)
        }
    }

    private mutating func append(_ value: some BinaryFloatingPoint) throws(JSONConversionError) {
        guard value.isFinite else {
            throw error(.notFinite(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity"))
        }
        try append(spelled: value)
    }

    /// Appends a number whose description should be its JSON spelling.
    ///
    /// A foreign type may describe itself otherwise.
    private mutating func append(spelled value: some Numeric) throws(JSONConversionError) {
        guard let number = JSONNumber("\(value)") else { throw unsupported(value) }
        bytes += number.text.utf8
    }

    mutating func append(tree: JSONValue) throws(JSONConversionError) {
        do throws(JSONTreeFault) {
            try JSONTreeWriter.append(tree, depth: path.count, to: &bytes)
        } catch {
            path += error.path
            switch error.reason {
            case .tooDeep: throw self.error(.tooDeep)
            case .notFinite(let number): throw self.error(.notFinite(number.text))
            }
        }
    }

    private mutating func append(properties: Properties) throws(JSONConversionError) {
        switch properties.content {
        case .success(let text): try append(text)
        case .failure(let inner):
            let outer = error(inner.reason).keyPath
            let keyPath = outer + (outer.isEmpty || inner.keyPath.isEmpty ? "" : ".") + inner.keyPath
            throw JSONConversionError(keyPath: keyPath, reason: inner.reason)
        }
    }

    /// Appends an object of a class; Foundation need not be there for it.
    private mutating func append(object: Any) throws(JSONConversionError) {
        switch String(describing: type(of: object)) {
        case "NSNull": bytes += "null".utf8
        case "__NSCFBoolean": bytes += ((object as? Bool) == true ? "true" : "false").utf8
        case "NSNumber", "__NSCFNumber", "NSDecimalNumber", "NSDecimalNumberPlaceholder":
            if let number = JSONNumber(String(describing: object)) {
                bytes += number.text.utf8
            } else if let double = object as? Double {
                try append(double)
            } else {
                throw unsupported(object)
            }
        default:
            if let string = object as? String {
                JSONEscape.append(string, to: &bytes)
            } else if let dictionary = object as? [String: Any] {
                try append(dictionary)
            } else if let array = object as? [Any] {
                try append(array)
            } else {
                try append(foundation: object)
            }
        }
    }

    /// Appends a value of one of Foundation's types, if the package was built with them.
    private mutating func append(foundation value: Any) throws(JSONConversionError) {
        #if FoundationURL
            switch value {
            case let value as Date:
                let milliseconds = (value.timeIntervalSince1970 * 1000).rounded()
                guard let whole = Int64(exactly: milliseconds) else { throw unsupported(value) }
                JSONEscape.append(Timestamp(milliseconds: whole).description, to: &bytes)
            case let value as URL: JSONEscape.append(value.absoluteString, to: &bytes)
            case let value as UUID: JSONEscape.append(value.uuidString, to: &bytes)
            case let value as Decimal:
                guard !value.isNaN else { throw error(.notFinite("NaN")) }
                try append(spelled: value)
            default: throw unsupported(value)
            }
        #else
            throw unsupported(value)
        #endif
    }

    private mutating func append(_ text: JSONText) throws(JSONConversionError) {
        var scanner = JSONScanner(maxDepth: JSONText.maxDepth - path.count, outlineDepth: -1)
        do throws(JSONSyntaxError) {
            try scanner.scan(text.bytes)
        } catch {
            throw self.error(.tooDeep)
        }
        bytes += text.bytes
    }

    private func unsupported(_ value: Any) -> JSONConversionError {
        error(.unsupportedType(String(describing: type(of: value))))
    }

    private func error(_ reason: JSONConversionError.Reason) -> JSONConversionError {
        let keyPath = path.reduce(into: "") { text, step in
            switch step {
            case .key(let key): text += text.isEmpty ? key : ".\(key)"
            case .index(let index): text += "[\(index)]"
            }
        }
        return JSONConversionError(keyPath: keyPath, reason: reason)
    }
}

/// An optional of any type, told apart from what it wraps.
private protocol OptionalValue {
    var wrapped: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate var wrapped: Any? { self }
}

extension JSONText {
    /// Writes a `[String: Any]` as an object.
    ///
    /// ``Properties`` says what it may hold.
    ///
    /// - Throws: ``JSONConversionError``, which names the first value that cannot be written, by its key path.
    package init(bridging dictionary: [String: Any]) throws(JSONConversionError) {
        var bridge = JSONBridge()
        try bridge.append(dictionary)
        self.init(accepted: bridge.bytes)
    }
}
