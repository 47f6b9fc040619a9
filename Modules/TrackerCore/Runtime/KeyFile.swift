import Synchronization
import TrackerModels
import TrackerNetworking

/// A file whose text is a client's key.
///
/// It is small, and read as a whole each time: whoever replaces it may keep its size and its time.
final class KeyFile: Sendable {
    private struct State {
        var nextLook: MonotonicInstant?
        /// Why it could not be read the last time.
        var fault: OptionFault.Reason?
    }

    let path: String
    private let state = Mutex(State())

    init(_ path: String) { self.path = path }

    /// Whether it is time to look whether the key has changed: once a second.
    func isDue(at now: MonotonicInstant) -> Bool {
        state.withLock { state in
            if let next = state.nextLook, now < next { return false }
            state.nextLook = now.advanced(by: .seconds(1))
            return true
        }
    }

    /// The key as it is now; `nil` if it cannot be read.
    ///
    /// - Parameter report: Called with the reason, unless it was the same the last time.
    func key(else report: (OptionFault.Reason) -> Void) -> Secret? {
        do throws(OptionFault.Reason) {
            let key = try Self.key(at: path)
            state.withLock { $0.fault = nil }
            return key
        } catch {
            let isNews = state.withLock { state in
                defer { state.fault = error }
                return state.fault != error
            }
            if isNews { report(error) }
            return nil
        }
    }

    /// Reads the key at a path.
    ///
    /// - Throws: Why it cannot be used.
    static func key(at path: String) throws(OptionFault.Reason) -> Secret {
        var facts: JSONObject = ["path": .string(path)]
        let bytes: [UInt8]
        do throws(WholeFile.Failure) {
            // One byte more than a key may have.
            bytes = try WholeFile(path, limit: Secret.maxBytes + 1).bytes
        } catch {
            facts["detail"] = .string(error.message)
            throw .invalid(.unreadableFile, facts)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalid(.notUTF8, facts) }
        do throws(OptionFault.Reason) {
            return try Secret(given: text.trimmed)
        } catch {
            guard case .invalid(let word, let limits) = error else { throw .invalid(.emptyKeyFile, facts) }
            facts.merge(limits)
            throw .invalid(word, facts)
        }
    }
}

extension EnvironmentOptions {
    /// The key of a client: the text of the key file if there is one, else its own option or the variable. It is empty if
    /// there is none and the program is asked for it.
    ///
    /// - Parameters:
    ///   - name: What the client calls its own option.
    ///   - provider: The program's function that is asked.
    ///   - code: The code of an error about that option.
    mutating func key(
        _ given: String?, _ name: String, or delivery: DeliveryOptions, or provider: CredentialsProvider?,
        _ code: TrackerError.Code = .invalidConfiguration
    ) throws(TrackerError) -> Secret {
        guard let path = delivery.keyFile else {
            var given = given
            fill(&given, name, from: .key)
            if given == nil, provider != nil || isProgramAsked { return Secret("") }
            do throws(OptionFault.Reason) {
                return try Secret(given: given)
            } catch {
                throw TrackerError(OptionFault(name, error), code)
            }
        }
        guard provider == nil else {
            throw FieldCheck.fault("keyFile", .excluded(by: "credentials"))
        }
        guard given == nil else {
            throw FieldCheck.fault("keyFile", .excluded(by: name))
        }
        do throws(OptionFault.Reason) {
            return try KeyFile.key(at: path)
        } catch {
            throw FieldCheck.fault("keyFile", error)
        }
    }
}
