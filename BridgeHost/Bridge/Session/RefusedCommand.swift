import JSONRPC
package import TrackerCore
import TrackerModels

/// What the host does with the refused events of a state folder, without serving.
package struct RefusedCommand: Sendable {
    package enum Action: Hashable, Sendable {
        case list
        case change(RefusedAction)
    }

    private let action: Action
    private let folder: RefusedFolder
    private let selection: RefusedSelection

    /// - Parameters:
    ///   - folder: The path of the state folder.
    ///   - filter: Which events, as the methods take it; `nil`: all.
    /// - Throws: What is wrong with the filter.
    package init(_ action: Action, folder: String, filter: String?) throws(CommandFailure) {
        self.action = action
        self.folder = RefusedFolder(path: folder)
        do {
            selection =
                try filter.map { try RefusedFields.selection(JSONText(validating: Array($0.utf8))) }
                ?? RefusedSelection()
        } catch let error as JSONSyntaxError {
            throw CommandFailure(message: "--filter is no JSON: \(error)")
        } catch {
            let fault = (error as? TrackerError)?.fault
            throw CommandFailure(message: "--filter: \(fault.map { $0.sentence(naming: $0.key) } ?? "\(error)")")
        }
    }

    /// - Returns: The answer, in the form of the method with that name.
    /// - Throws: Why the folder cannot be read or written: there is none, for one.
    package func run() throws(CommandFailure) -> JSONText {
        try CommandFailure.unlessFolder(folder.path)
        do throws(TrackerError) {
            switch action {
            case .list:
                let events = try folder.events(of: selection.client, matching: selection.filter)
                return JSONText(tree: [
                    "events": .array(
                        events.map { client, origin, event in
                            var members = event.json(of: client)
                            members["origin"] = .string(origin)
                            return .object(members)
                        })
                ])
            case .change(let change):
                let count = try folder.change(of: selection.client, matching: selection.filter, change)
                return JSONText(tree: [change == .retry ? "requeued" : "dropped": JSONValue(count)])
            }
        } catch {
            throw CommandFailure(message: error.message)
        }
    }
}
