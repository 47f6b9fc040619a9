import Foundation

extension [Duration] {
    /// The median, the 99th percentile and the largest, in milliseconds.
    var figures: String {
        let sorted = sorted()
        func at(_ part: Double) -> String {
            guard !sorted.isEmpty else { return "-" }
            return sorted[Swift.min(sorted.count - 1, Int(Double(sorted.count) * part))].milliseconds
        }
        return "p50 \(at(0.5)) ms, p99 \(at(0.99)) ms, max \(at(1)) ms"
    }
}

extension Duration {
    /// In milliseconds, to the hundredth.
    var milliseconds: String {
        let hundredths = Int((self / .milliseconds(1) * 100).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }

    /// How many a second, if so many take this long.
    func rate(of count: Int) -> Int { Int(Double(count) / (self / .seconds(1))) }
}

/// Prints at once, also into a pipe.
func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
}

/// Runs blocking code on a thread of its own.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
}
