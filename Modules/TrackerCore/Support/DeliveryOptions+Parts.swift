import TrackerModels
import TrackerNetworking
import TrackerStorage

/// The options, as the parts of the engine take them.
extension DeliveryOptions {
    /// The state folder that a program uses when a configuration names none; empty if there is no home folder.
    ///
    /// - Parameter program: The program's name, for a process that keeps the state of another, as the host does.
    package static func standardDirectory(ofProgram program: String) -> String {
        StateFolder.standard(program: program)?.path ?? ""
    }

    var location: OutboxConfiguration.Location {
        switch persistence {
        case .memory: .memory
        case .disk: .folder(storageDirectory ?? (StateFolder.standard()?.path ?? ""))
        }
    }

    var outboxDurability: OutboxConfiguration.Durability {
        switch durability {
        case .process: .process
        case .full: .full
        }
    }

    func limits(maxPendingRecords: Int? = nil) -> OutboxLimits {
        OutboxLimits(
            maxRecords: maxQueuedEvents, maxBytes: maxQueuedBytes, maxRecordBytes: maxEventBytes,
            maxPendingRecords: maxPendingRecords
        )
    }

    var transport: TransportConfiguration {
        TransportConfiguration(
            userAgent: SystemDescription.userAgent, compression: compression == .gzip ? .gzip : .none,
            compressionThreshold: compressionThreshold, caBundle: caBundle, proxy: proxy
        )
    }

    var breaker: CircuitBreaker.Policy {
        CircuitBreaker.Policy(
            retryDelay: retryDelay, failureThreshold: failureThreshold, cooldown: cooldown, maxCooldown: maxCooldown,
            jitter: jitter
        )
    }
}
