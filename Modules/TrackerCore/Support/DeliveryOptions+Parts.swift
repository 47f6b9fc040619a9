import TrackerModels
import TrackerNetworking
import TrackerStorage

/// The options, as the parts of the engine take them.
extension DeliveryOptions {
    /// The state folder that a program uses when a configuration names none.
    ///
    /// - Parameter program: The program's name, for a process that keeps the state of another, as the host does.
    /// - Returns: `nil` if the environment names the folder, or if there is no home folder, as a client finds out itself.
    package static func usualDirectory(ofProgram program: String) -> String? {
        if EnvironmentOptions.system.text(.storageDirectory) != nil { return nil }
        return StateFolder.standard(program: program)?.path
    }

    /// The state folder; `nil` for memory.
    var folder: String? {
        switch persistence {
        case .memory: nil
        case .disk: storageDirectory ?? (StateFolder.standard()?.path ?? "")
        }
    }

    /// The bounds of a client's queue.
    ///
    /// - Parameter standard: What the client does when the queue is full, unless the options say otherwise.
    func limits(overflow standard: Overflow, maxPendingRecords: Int? = nil) -> OutboxLimits {
        var limits = OutboxLimits(
            maxRecords: maxQueuedEvents, maxBytes: maxQueuedBytes, overflow: overflow ?? standard,
            maxRecordBytes: maxEventBytes
        )
        limits.maxPendingRecords = maxPendingRecords
        // What is under way is not too old: it was sent in time, and a second later than its answer it is recorded.
        limits.maxAge = eventTTL.map { $0 + requestTimeout + .seconds(1) }
        return limits
    }

    /// How many events a client's queue holds at most: on disk what the options say, in memory no more than the
    /// documents allow.
    ///
    /// - Parameters:
    ///   - own: The client's own option.
    ///   - inMemory: The default of that in memory.
    func queueBound(own: Int?, inMemory: Int) -> Int {
        min(own ?? (persistence == .memory ? inMemory : maxQueuedEvents), maxQueuedEvents)
    }

    var transport: TransportConfiguration {
        TransportConfiguration(
            userAgent: SystemDescription.userAgent, compression: compression,
            compressionThreshold: compressionThreshold, caBundle: caBundle,
            clientCertificate: clientCertificate, clientKey: clientKey, proxy: proxy)
    }

    package var breaker: CircuitBreaker.Policy {
        CircuitBreaker.Policy(
            retryDelay: retryDelay, failureThreshold: failureThreshold, cooldown: cooldown, maxCooldown: maxCooldown,
            jitter: jitter
        )
    }
}
