import TrackerModels

/// An object whose last member is `data`: the session's metadata, and over them the call's own. If there are none, the
/// member is left out.
///
/// It is written when the call is made, for a session without metadata, as most have none.
package struct EventBody: Sendable {
    /// The object for a session without metadata.
    package let text: JSONText
    /// Where the members before `data` end.
    let headEnd: Int

    /// - Parameters:
    ///   - head: The members before `data`.
    ///   - first: Members of `data`.
    ///   - second: More of them, which win.
    package init(_ head: consuming JSONObjectWriter, data first: JSONText?, _ second: JSONText? = nil) {
        var writer = head
        headEnd = writer.byteCount
        switch (first?.withMembers, second?.withMembers) {
        case (let first?, let second?): writer.append("data", merging: first, second)
        case (let own?, nil), (nil, let own?): writer.append("data", JSONText.merging([own]))
        case (nil, nil): break
        }
        text = writer.finish()
    }

    /// Takes up a body that was written before.
    init(_ text: JSONText, headEnd: Int) { (self.text, self.headEnd) = (text, headEnd) }

    /// The object for a session with these metadata, if it has any.
    func text(with metadata: JSONText?) -> JSONText {
        guard let metadata = metadata?.withMembers else { return text }
        var writer = JSONObjectWriter(
            resuming: text, after: headEnd, reservingCapacity: text.byteCount + metadata.byteCount + 16)
        let end = text.byteCount - 1
        if headEnd == end {
            writer.append("data", metadata)
        } else {
            let start = headEnd + #","data":"#.utf8.count
            writer.append("data", merging: metadata, JSONText(accepted: text.bytes[start..<end]))
        }
        return writer.finish()
    }
}

extension JSONText {
    /// This object, if it has members.
    fileprivate var withMembers: JSONText? { hasMembers ? self : nil }
}
