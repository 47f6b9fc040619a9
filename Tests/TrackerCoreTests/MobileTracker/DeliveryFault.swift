import Synchronization
import TestSupport
import Testing
import TrackerModels

@testable import TrackerCore
@testable import TrackerStorage

/// A state in which an event is queued and cannot be sent, one for each reason that a flush can give.
enum DeliveryFault: String, CaseIterable, CustomTestStringConvertible {
    case retryWait, breakerOpen, halted, noConsent, noSession, timeout, notInitialized, otherProcess, storage

    var testDescription: String { rawValue }

    var reason: StopReason? { StopReason(rawValue: rawValue) }

    /// How many records wait: the event, and before it the one that another process delivers.
    var remaining: Int { self == .otherProcess ? 2 : 1 }

    /// How long a flush takes that only its own time ends.
    var patience: Duration { self == .timeout || self == .otherProcess ? .seconds(0.2) : .seconds(60) }

    /// What the server answers.
    func answer(_ request: LoopbackRequest) -> LoopbackAnswer? {
        switch self {
        case .retryWait, .breakerOpen: request.isEvent ? .status(503) : nil
        case .halted: request.isEvent ? .status(401) : nil
        case .noSession: .status(500)
        case .timeout, .otherProcess: request.isEvent ? .nothing(then: .stall) : nil
        case .notInitialized: .nothing(then: .stall)
        case .noConsent, .storage: nil
        }
    }

    func config(_ fixture: SessionFixture) -> TrackerConfig {
        var config = fixture.patientConfig
        if self == .breakerOpen { config.delivery.failureThreshold = 1 }
        if self == .noConsent || self == .storage { config.consent = .pending }
        return config
    }

    /// Queues the event E where it is in the way.
    ///
    /// - Returns: What else holds the fault up, to be shut down at the end.
    func queueEvent(in fixture: SessionFixture) async throws -> MobileTracker? {
        let other = self == .otherProcess ? fixture.restarted() : nil
        if let other {
            try await other.start(config(fixture))
            await other.tracker.track(eventName: "OTHER")
            try await fixture.backend.server.requests(atLeast: 2)
        }
        let tracker = fixture.tracker
        if self == .notInitialized {
            tracker.initialize(brandId: "925", config: config(fixture)) { _ in }
            try await fixture.backend.server.requests(atLeast: 1)
        } else {
            _ = await fixture.failure(config(fixture))
        }
        await tracker.track(eventName: "E")
        if self == .storage {
            let outbox = try #require(tracker.lane?.outbox as? SQLiteOutbox)
            try outbox.writer.withLock { (writer) throws(StorageError) in
                try writer.database.lane?.database.connection.execute("PRAGMA query_only=ON")
            }
            // What the disk refuses holds in memory, and nothing is sent before it is written.
            await tracker.setConsent(.granted)
        }
        return other?.tracker
    }
}
