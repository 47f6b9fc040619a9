package import TrackerModels
package import TrackerNetworking
import TrackerPlatform
package import TrackerStorage

/// What a client works with besides its configuration: the system's own parts, or test doubles.
package struct Dependencies: Sendable {
    package var clock: any TrackerClock
    package var ids: any IDGenerator
    package var log: any TrackerLog
    package var jitter: any RandomNumberGenerator & Sendable
    package var makeLoop: @Sendable (TransportConfiguration) throws(TransportError) -> any DeliveryLoop
    package var makeOutbox: @Sendable (OutboxConfiguration) -> any LaneOutbox
    /// Runs the closures that answer the calls of one transaction. The host wraps them, to write all answers at once.
    package var answering: @Sendable (_ answers: () -> Void) -> Void = { $0() }
    /// How clients share the lanes of the process; `nil`: each has its own.
    package var sharing: ClientSharing?
    /// Sees every call, in the tests of a program.
    package var recorder: (any CallRecorder)?
    /// The variables of the process's environment, by their names.
    package var environment: @Sendable (String) -> String? = { StateFolder.environmentVariable($0) }

    /// The system's clocks and randomness, libcurl and SQLite.
    package static func system(log: any TrackerLog = StandardErrorLog()) -> Dependencies {
        Dependencies(
            clock: SystemClock(), ids: RandomIDGenerator(), log: log, jitter: SystemRandomNumberGenerator(),
            makeLoop: { (configuration) throws(TransportError) in try CurlLoop(configuration: configuration) },
            makeOutbox: { SQLiteOutbox($0) }
        )
    }

    /// Loads what takes a while to load, ahead of the first client that needs it. It may be called on any thread.
    ///
    /// - Returns: The libcurl that was loaded, or why none can be.
    @discardableResult
    package static func prepare() -> Libcurl {
        if let problem = CurlLibrary.load() { .problem(problem) } else { .version(CurlLibrary.version) }
    }

    /// What there is of libcurl.
    package enum Libcurl: Hashable, Sendable {
        case version(String)
        /// A sentence that says why it cannot be loaded, and what to install.
        case problem(String)

        package var text: String {
            switch self {
            case .version(let version): "libcurl \(version)"
            case .problem(let sentence): sentence
            }
        }
    }

    /// Starts the transport that options describe.
    ///
    /// - Throws: `invalidConfiguration` if a file that they name cannot be read or used, `initializationFailed` if the
    ///   transport cannot start.
    func startLoop(_ delivery: DeliveryOptions) throws(TrackerError) -> any DeliveryLoop {
        if let fault = delivery.transport.fileFault ?? delivery.transport.identityFault {
            throw TrackerError(fault)
        }
        do {
            return try makeLoop(delivery.transport)
        } catch {
            var failure = TrackerError(.initializationFailed, "The transport cannot start: \(error.message)")
            // With a usable libcurl all that lacks is memory, descriptors or a thread.
            failure.isPassing = CurlLibrary.load() == nil
            throw failure
        }
    }
}
