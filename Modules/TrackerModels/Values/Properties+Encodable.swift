// Codable and Foundation's types come together: a program without them, such as the bridge's host, takes texts alone.
#if FoundationURL
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    extension Properties {
        /// Takes a value of the program's own type, such as a struct that is `Encodable`.
        ///
        /// Members stand in the order in which the type encodes them, those of a dictionary in the order of their keys.
        /// `Date` becomes ISO 8601 with milliseconds in UTC, `URL` and `UUID` their text, `Decimal` its exact number,
        /// `Data` its Base64.
        ///
        /// This throws nothing. If the value cannot be encoded, the call that you give it to is dropped as
        /// ``RefusalReason/serialization``, and the log names the key path. ``json()`` throws the error.
        ///
        /// - Parameter value: A value that encodes as an object: a struct, a class, or a dictionary whose keys are
        ///   strings.
        public init(encoding value: some Encodable) {
            do {
                let node = ValueNode()
                try node.encode(value, at: [])
                switch node.value {
                case .object(let object): self.init(object)
                case let other: self.init(failure: JSONConversionError(keyPath: "", reason: .notAnObject(other.kind)))
                }
            } catch {
                let other = JSONConversionError(keyPath: "", reason: .encoding("\(type(of: error))"))
                self.init(failure: error as? JSONConversionError ?? other)
            }
        }
    }

    /// A place in the value that is being written.
    private final class ValueNode {
        private enum Content {
            case single(JSONValue)
            case object([String: Int], [(String, ValueNode)])
            case array([ValueNode])
        }

        /// A type that encodes nothing is an empty object.
        private var content = Content.object([:], [])

        var value: JSONValue {
            switch content {
            case .single(let value): value
            case .object(_, let members): .object(JSONObject(members.map { ($0.0, $0.1.value) }))
            case .array(let elements): .array(elements.map(\.value))
            }
        }

        var count: Int { if case .array(let elements) = content { elements.count } else { 0 } }

        func beginObject() { if case .object = content {} else { content = .object([:], []) } }
        func beginArray() { if case .array = content {} else { content = .array([]) } }
        func set(_ value: JSONValue) { content = .single(value) }

        /// The node of a key; one that comes twice keeps its first place.
        func member(_ key: String) -> ValueNode {
            beginObject()
            guard case .object(var places, var members) = content else { return self }
            if let place = places[key] { return members[place].1 }
            content = .single(.null)
            places[key] = members.count
            members.append((key, ValueNode()))
            content = .object(places, members)
            return members[members.count - 1].1
        }

        func element() -> ValueNode {
            beginArray()
            guard case .array(var elements) = content else { return self }
            content = .single(.null)
            elements.append(ValueNode())
            content = .array(elements)
            return elements[elements.count - 1]
        }

        func encode(_ value: some Encodable, at path: [any CodingKey]) throws {
            switch value {
            case let value as String: set(.string(value))
            case let value as Bool: set(.bool(value))
            case let value as any BinaryInteger: set(.number(JSONNumber(value)))
            case let value as Double: set(JSONValue(value))
            case let value as Float: set(JSONNumber(value).map(JSONValue.number) ?? JSONValue(Double(value)))
            case let value as Date: set(.string(try Self.text(of: value, at: path)))
            case let value as URL: set(.string(value.absoluteString))
            case let value as UUID: set(.string(value.uuidString))
            case let value as Decimal: set(value.isNaN ? JSONValue(Double.nan) : try Self.number(value, at: path))
            case let value as Data: set(.string(value.base64EncodedString()))
            case let value as [String: any Encodable]:
                beginObject()
                for key in value.keys.sorted() {
                    guard let element = value[key] else { continue }
                    try member(key).encode(element, at: path + [PathKey(stringValue: key)])
                }
            default:
                guard path.count < JSONText.maxDepth else { throw Self.fault(.tooDeep, at: path) }
                do {
                    try value.encode(to: ValueEncoder(node: self, codingPath: path))
                } catch let error as JSONConversionError {
                    throw error
                } catch EncodingError.invalidValue(let invalid, let context) {
                    // The error's own text may hold the value.
                    throw Self.fault(.encoding("\(type(of: invalid)) is not valid"), at: context.codingPath)
                } catch {
                    // What another error says may be personal.
                    throw Self.fault(.encoding("\(type(of: error))"), at: path)
                }
            }
        }

        private static func text(of date: Date, at path: [any CodingKey]) throws -> String {
            let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
            guard let whole = Int64(exactly: milliseconds) else { throw fault(.unsupportedType("Date"), at: path) }
            return Timestamp(milliseconds: whole).description
        }

        private static func number(_ value: Decimal, at path: [any CodingKey]) throws -> JSONValue {
            guard let number = JSONNumber("\(value)") else { throw fault(.unsupportedType("Decimal"), at: path) }
            return .number(number)
        }

        private static func fault(_ reason: JSONConversionError.Reason, at path: [any CodingKey]) -> JSONConversionError
        {
            let keyPath = path.reduce(into: "") { text, key in
                if let index = key.intValue {
                    text += "[\(index)]"
                } else {
                    text += text.isEmpty ? key.stringValue : ".\(key.stringValue)"
                }
            }
            return JSONConversionError(keyPath: keyPath, reason: reason)
        }
    }

    /// The key of a dictionary, or the place in an array.
    private struct PathKey: CodingKey {
        var stringValue: String
        var intValue: Int?

        init(stringValue: String) { self.stringValue = stringValue }
        init(intValue: Int) { (stringValue, self.intValue) = ("\(intValue)", intValue) }
    }

    private struct ValueEncoder: Encoder, SingleValueEncodingContainer {
        let node: ValueNode
        let codingPath: [any CodingKey]
        var userInfo: [CodingUserInfoKey: Any] { [:] }

        func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
            node.beginObject()
            return KeyedEncodingContainer(KeyedValues<Key>(node: node, codingPath: codingPath))
        }

        func unkeyedContainer() -> any UnkeyedEncodingContainer {
            node.beginArray()
            return ListedValues(node: node, codingPath: codingPath)
        }

        func singleValueContainer() -> any SingleValueEncodingContainer { self }
        func encodeNil() { node.set(.null) }
        func encode(_ value: some Encodable) throws { try node.encode(value, at: codingPath) }
    }

    private struct KeyedValues<Key: CodingKey>: KeyedEncodingContainerProtocol {
        let node: ValueNode
        let codingPath: [any CodingKey]

        func encodeNil(forKey key: Key) { node.member(key.stringValue).set(.null) }

        func encode(_ value: some Encodable, forKey key: Key) throws {
            try node.member(key.stringValue).encode(value, at: codingPath + [key])
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type, forKey key: Key
        ) -> KeyedEncodingContainer<Nested> { superEncoder(forKey: key).container(keyedBy: type) }

        func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
            superEncoder(forKey: key).unkeyedContainer()
        }

        func superEncoder() -> any Encoder {
            ValueEncoder(node: node.member("super"), codingPath: codingPath + [PathKey(stringValue: "super")])
        }

        func superEncoder(forKey key: Key) -> any Encoder {
            ValueEncoder(node: node.member(key.stringValue), codingPath: codingPath + [key])
        }
    }

    private struct ListedValues: UnkeyedEncodingContainer {
        let node: ValueNode
        let codingPath: [any CodingKey]
        var count: Int { node.count }

        func encodeNil() { node.element().set(.null) }

        func encode(_ value: some Encodable) throws {
            let path = codingPath + [PathKey(intValue: count)]
            try node.element().encode(value, at: path)
        }

        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
            superEncoder().container(keyedBy: type)
        }

        func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { superEncoder().unkeyedContainer() }

        func superEncoder() -> any Encoder {
            let path = codingPath + [PathKey(intValue: count)]
            return ValueEncoder(node: node.element(), codingPath: path)
        }
    }
#endif
