import Foundation

/// Random numbers that come again from the same seed (SplitMix64).
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts from a seed.
    public init(seed: UInt64) { state = seed }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Whether something that happens once in `times` happens.
    public mutating func once(in times: Int) -> Bool { Int.random(in: 0..<times, using: &self) == 0 }

    /// One of some things.
    ///
    /// - Parameter choices: At least one.
    public mutating func pick<Choices: Collection>(_ choices: Choices) -> Choices.Element {
        choices[choices.index(choices.startIndex, offsetBy: Int.random(in: 0..<choices.count, using: &self))]
    }
}

/// Seeds for generated tests: new ones in each run, all from one that is printed.
///
/// `TEST_SEED` in the environment gives that one, to see the same cases again.
public enum Seeds {
    /// The seed that all of a test's come from; it is printed.
    ///
    /// - Parameter name: What is printed with it.
    public static func base(of name: String = #function) -> UInt64 {
        let given = ProcessInfo.processInfo.environment["TEST_SEED"].flatMap { UInt64($0) }
        let seed = given ?? UInt64.random(in: 0...UInt64(UInt32.max))
        print("\(name): TEST_SEED=\(seed)")
        return seed
    }

    /// As many seeds as a property wants cases.
    ///
    /// - Parameter name: What is printed with the seed that they all come from.
    public static func cases(_ count: Int = 100, of name: String) -> [UInt64] {
        var generator = SeededGenerator(seed: base(of: "\(name), \(count) cases"))
        return (0..<count).map { _ in generator.next() }
    }
}
