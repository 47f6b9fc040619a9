import TrackerCore
import TrackerModels

/// What the host prints of a state folder, without serving.
package struct InspectCommand: Sendable {
    package enum Format: String, CaseIterable, Sendable {
        case json
        /// Text that Prometheus and its textfile collector read.
        case openmetrics
    }

    private let folder: String
    private let format: Format

    /// - Parameter folder: The path of the state folder; nothing in it is changed.
    package init(folder: String, format: Format) {
        self.folder = folder
        self.format = format
    }

    /// - Returns: What is to be printed.
    /// - Throws: Why there is nothing to print: there is no such folder. With metrics also if the folder's database cannot
    ///   be read; the JSON says that itself.
    package func run() throws(CommandFailure) -> String {
        try CommandFailure.unlessFolder(folder)
        guard format == .openmetrics else { return StateReport.describe(folder: folder).description + "\n" }
        do throws(TrackerError) {
            return MetricsText(try ClientMetrics.inFolder(folder)).text
        } catch {
            throw CommandFailure(message: error.message)
        }
    }
}
