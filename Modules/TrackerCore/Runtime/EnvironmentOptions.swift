import TrackerModels
import TrackerStorage

/// Options that a program leaves to the environment it runs in.
///
/// A variable counts only where the program gives nothing itself. One that is empty is as good as unset.
struct EnvironmentOptions: Sendable {
    enum Variable: String, CaseIterable, Sendable {
        /// `apiUrl`, `ingestionHost` or `endpoint`.
        case apiURL = "MOBILE_TRACKER_API_URL"
        /// `xApiKey`, `writeKey` or `apiKey`.
        case key = "MOBILE_TRACKER_KEY"
        case storageDirectory = "MOBILE_TRACKER_STORAGE_DIR"
        case enabled = "MOBILE_TRACKER_ENABLED"
    }

    private let read: @Sendable (String) -> String?
    /// The variables that were made use of, by the options whose values they gave.
    private var used: [String: Variable] = [:]
    /// Whether a program in another language is asked for a key that is not given.
    var isProgramAsked = false

    init(_ read: @escaping @Sendable (String) -> String?) { self.read = read }

    static let system = EnvironmentOptions { StateFolder.environmentVariable($0) }

    /// What a variable says; `nil` if it is not set, or empty.
    func text(_ variable: Variable) -> String? { read(variable.rawValue)?.nonEmpty }

    /// Gives an option that the program left out the value of a variable.
    ///
    /// - Parameter name: What errors call the option.
    mutating func fill(_ option: inout String?, _ name: String, from variable: Variable) {
        guard option == nil, let text = text(variable) else { return }
        option = text
        used[name] = variable
    }

    /// Whether the program is to track; `nil` if the environment does not say.
    ///
    /// - Throws: `invalidConfiguration` naming the variable.
    func isEnabled() throws(TrackerError) -> Bool? {
        guard let text = text(.enabled) else { return nil }
        switch text.lowercased() {
        case "true", "1", "yes", "on": return true
        case "false", "0", "no", "off": return false
        default:
            throw FieldCheck.fault(
                Variable.enabled.rawValue, .invalid(.notBoolean, ["value": .string(String(text.prefix(20)))]))
        }
    }

    /// Whether the state folder comes from the environment.
    var namesFolder: Bool { used.values.contains(.storageDirectory) }

    /// Makes settings; an error about an option that a variable has filled names the variable instead.
    mutating func naming<Settings>(
        _ make: (inout EnvironmentOptions) throws(TrackerError) -> Settings
    ) throws(TrackerError) -> Settings {
        do throws(TrackerError) {
            return try make(&self)
        } catch {
            throw naming(error)
        }
    }

    private func naming(_ error: TrackerError) -> TrackerError {
        if let fault = error.fault, let variable = used[fault.option] {
            return TrackerError(OptionFault(variable.rawValue, fault.reason), error.code, cause: error.cause)
        }
        return error
    }
}

extension ClientSettings {
    /// Why the state folder cannot be used. It names the variable if the folder comes from the environment.
    func fault(_ error: StorageError) -> TrackerError {
        let source = EnvironmentOptions.Variable.storageDirectory.rawValue
        return TrackerError(
            .storage, isFolderFromEnvironment ? "\(error.message) (\(source) names the folder)" : error.message)
    }
}
