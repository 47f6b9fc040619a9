import Synchronization
import Testing

@testable import TrackerStorage

/// Closes the outboxes that a test has opened, so that nothing is written to its folder once that is removed.
struct ClosingOutboxes: SuiteTrait, TestTrait, TestScoping {
    /// The outboxes of the current test.
    @TaskLocal static var registry: OutboxRegistry?

    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let registry = OutboxRegistry()
        do {
            try await Self.$registry.withValue(registry, operation: function)
        } catch {
            await registry.close()
            throw error
        }
        await registry.close()
    }
}

extension Trait where Self == ClosingOutboxes {
    /// Closes the outboxes that a test has opened.
    static var closingOutboxes: Self { ClosingOutboxes() }
}

/// Outboxes to close.
final class OutboxRegistry: Sendable {
    private let outboxes = Mutex<[SQLiteOutbox]>([])

    func withLock(_ body: (inout [SQLiteOutbox]) -> Void) {
        outboxes.withLock { body(&$0) }
    }

    func close() async {
        for outbox in outboxes.withLock({ $0 }) { await outbox.close() }
        outboxes.withLock { $0 = [] }
    }
}
