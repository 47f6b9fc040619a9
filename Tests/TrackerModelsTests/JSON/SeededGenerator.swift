import Foundation

/// Random numbers that come again from the same seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Whether something that happens once in `times` happens.
    mutating func once(in times: Int) -> Bool {
        Int.random(in: 0..<times, using: &self) == 0
    }

    /// One of some things.
    ///
    /// - Parameter choices: At least one.
    mutating func pick<Choices: Collection>(_ choices: Choices) -> Choices.Element {
        choices[choices.index(choices.startIndex, offsetBy: Int.random(in: 0..<choices.count, using: &self))]
    }

    /// A seed for a test: the one in the environment's `TEST_SEED`, else a new one.
    ///
    /// It is printed.
    static func seed(for test: String = #function) -> UInt64 {
        let given = ProcessInfo.processInfo.environment["TEST_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("\(test): TEST_SEED=\(seed)")
        return seed
    }
}
