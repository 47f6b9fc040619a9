import JSONRPC
import TrackerCore
import TrackerModels

/// Which refused events of which clients.
struct RefusedSelection: Sendable {
    /// `nil`: all clients.
    var client: ClientName?
    var filter = RefusedFilter()
}

/// The members of a filter of refused events.
enum RefusedFields {
    /// A `null` is refused: a program that has found nothing must not drop all.
    static let table = ConfigTable<RefusedSelection>(fields.map(\.readingNull))

    private static let fields: [ConfigField<RefusedSelection>] = [
        ConfigField(
            "client", .choice(ClientName.allCases.map(\.rawValue)), "Whose; by default all.",
            read: { value, path, selection throws(TrackerError) in selection.client = try word(value, path) }),
        list("messageIds", "Their ids.") { value, path, selection throws(TrackerError) in
            guard let id = value.stringValue.flatMap(MessageID.init) else {
                throw FieldCheck.fault(path, .wrongKind(.messageIDs))
            }
            selection.filter.messageIDs.insert(id)
        },
        list("events", "Names of events, screens or pages.") { value, path, selection throws(TrackerError) in
            guard let name = value.stringValue else {
                throw FieldCheck.fault(path, .wrongKind(.strings))
            }
            selection.filter.names.insert(name)
        },
        list(
            "reasons", of: .choice(RefusedEvent.Reason.allCases.map(\.rawValue)), "Why the server would not have them."
        ) { value, path, selection throws(TrackerError) in
            selection.filter.reasons.insert(try word(value, path))
        },
        list("statuses", of: .integer, "What the server answered.") { value, path, selection throws(TrackerError) in
            guard let status = value.intValue else { throw FieldCheck.fault(path, .wrongKind(.statuses)) }
            selection.filter.statuses.insert(Int(status))
        },
        time("since", \.filter.since, "Refused then or later."),
        time("until", \.filter.until, "Refused before."),
    ]

    /// The selection that a filter makes.
    ///
    /// - Throws: What is wrong with the member at fault.
    static func selection(_ object: JSONText) throws(TrackerError) -> RefusedSelection {
        var selection = RefusedSelection()
        try table.read(object, at: "filter", into: &selection)
        return selection
    }

    private static func list(
        _ name: String, of element: Schema = .string, _ summary: String,
        read: @escaping ConfigField<RefusedSelection>.Reading
    ) -> ConfigField<RefusedSelection> {
        ConfigField(
            name, .array(of: element), summary,
            read: { value, path, selection throws(TrackerError) in
                guard value.kind == .array else { throw FieldCheck.fault(path, .wrongKind(.array)) }
                // A program that has found none to drop must not drop all.
                guard !value.elements.isEmpty else {
                    throw FieldCheck.fault(path, .invalid(.emptyList))
                }
                for element in value.elements { try read(element, path, &selection) }
            })
    }

    private static func time(
        _ name: String, _ member: ConfigField<RefusedSelection>.OptionPath<Timestamp?>, _ summary: String
    ) -> ConfigField<RefusedSelection> {
        ConfigField(
            name, .reference("Timestamp"), summary,
            read: { value, path, selection throws(TrackerError) in
                guard let time = value.stringValue.flatMap({ Timestamp($0) }) else {
                    throw FieldCheck.fault(path, .wrongKind(.timestamp))
                }
                selection[keyPath: member] = time
            })
    }

    private static func word<Word: RawRepresentable<String> & CaseIterable>(
        _ value: JSONText, _ path: String
    ) throws(TrackerError) -> Word {
        guard let word = value.stringValue.flatMap(Word.init(rawValue:)) else {
            throw FieldCheck.fault(path, .otherWord(of: Word.allCases.map(\.rawValue), value))
        }
        return word
    }
}
