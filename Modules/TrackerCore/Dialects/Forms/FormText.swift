import TrackerModels
import TrackerNetworking

extension HTTPHeaders.Field {
    /// A user name with an empty password (RFC 7617).
    static func basicAuthorization(user: Secret) -> HTTPHeaders.Field {
        HTTPHeaders.Field(name: "Authorization", value: "Basic " + Base64.text(Array(user.reveal().utf8) + [0x3A]))
    }

    /// A bearer token (RFC 6750).
    static func bearerAuthorization(_ token: Secret) -> HTTPHeaders.Field {
        HTTPHeaders.Field(name: "Authorization", value: "Bearer " + token.reveal())
    }
}

/// Bytes as letters, digits, `+` and `/` (RFC 4648, 4).
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func text(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0..<4 {
                text.append(
                    place <= group.count ? alphabet[bits >> (18 - 6 * place) & 0x3F] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension HTTPResponse {
    var json: JSONText? {
        // What cannot be read says no more than the status.
        isBodyWhole ? try? JSONText(validating: body) : nil
    }
}

extension JSONText {
    static func object(_ key: String, _ value: JSONText) -> JSONText {
        var text = JSONObjectWriter(reservingCapacity: key.utf8.count + value.byteCount + 8)
        text.append(key, value)
        return text.finish()
    }

    /// The whole numbers of an array, such as places of events.
    var places: [Int] { elements.compactMap { $0.intValue.map { Int($0) } } }

    /// A string of at most so many code points.
    func clipped(to length: Int) -> JSONText {
        guard byteCount > length + 2, let text = stringValue, text.unicodeScalars.count > length else { return self }
        return JSONText(String(String.UnicodeScalarView(text.unicodeScalars.prefix(length))))
    }
}

extension StoredEvent {
    /// The user, else the anonymous id.
    func person() throws(Inexpressible) -> JSONText {
        guard let person = userID ?? anonymousID else { throw Inexpressible(reason: "the event names nobody") }
        return person
    }

    /// Copies facts of the context, as `device.model`, to their names in a form, as far as there are any.
    func copy(_ names: [(path: String, name: String)], to text: inout JSONObjectWriter) {
        var groups: [Substring: [JSONText.Member]] = [:]
        let members = context.members
        for (path, name) in names {
            let steps = path.split(separator: ".")
            guard let outer = members.first(where: { $0.key == steps[0] })?.value else { continue }
            guard steps.count > 1 else {
                text.append(name, outer)
                continue
            }
            let inner = groups[steps[0]] ?? outer.members
            groups[steps[0]] = inner
            if let value = inner.first(where: { $0.key == steps[1] })?.value { text.append(name, value) }
        }
    }

    /// The message id where it is short enough, else its UUID: clipped, two ids could become one.
    func id(atMost length: Int) -> String {
        messageID.text.utf8.count <= length ? messageID.text : messageID.uuid
    }
}
