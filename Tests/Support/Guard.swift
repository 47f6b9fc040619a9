import Foundation

/// How many times longer everything may take: `make test-swift` and `make sanitize` say it in the environment.
public let guardFactor = max(1, ProcessInfo.processInfo.environment["GUARD_FACTOR"].flatMap { Int($0) } ?? 1)

/// Whether a sanitizer watches: everything is slower then, and takes more memory.
public let isSanitized = ["TSAN_OPTIONS", "ASAN_OPTIONS", "LSAN_OPTIONS"].contains {
    ProcessInfo.processInfo.environment[$0] != nil
}

/// Nothing came of it in time.
public struct GuardTimeout: Error, CustomStringConvertible {
    /// What was awaited, and for how long.
    public let description: String
}

/// Awaits something that is certain to happen, and fails if it does not.
///
/// The time is no measure: it only keeps a broken test from waiting for ever. `operation` must end when its task is
/// cancelled.
///
/// - Throws: ``GuardTimeout`` when the time has passed, and what `operation` throws.
public func withGuard<Value: Sendable>(
    seconds: Int = 60,
    _ what: String = "something",
    operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let seconds = seconds * guardFactor
    return try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try await Task.sleep(for: .seconds(seconds))
            throw GuardTimeout(description: "\(what) did not happen within \(seconds) s")
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw CancellationError() }
        return value
    }
}

/// Runs blocking code on a thread of its own, so that it does not block the test pool.
public func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}
