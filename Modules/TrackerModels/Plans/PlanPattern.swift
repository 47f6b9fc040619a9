/// A regular expression of a plan, in the part of ECMAScript's syntax (with its flag `u`) that needs no trying again:
/// without lookaround, references to groups, named groups and `\p`.
///
/// It is an automaton: the time for a text grows with its length times the steps of the expression.
struct PlanPattern: Sendable {
    /// What is wrong with an expression.
    struct Fault: Error {
        var text: String
    }

    /// The characters that one place takes.
    struct Characters: Sendable {
        var ranges: [ClosedRange<UInt32>] = []
        var isNegated = false

        func contains(_ character: UInt32) -> Bool {
            ranges.contains { $0.contains(character) } != isNegated
        }
    }

    enum Assertion: Sendable {
        case start, end, wordBorder, noWordBorder
    }

    enum Step: Sendable {
        case one(Characters)
        case either(Int, Int)
        case jump(Int)
        case assert(Assertion)
        case match
    }

    private let steps: [Step]

    /// How many steps an expression may come to.
    static let mostSteps = 10_000
    /// How many visits to steps the data of one call may take. They took 160 to 290 ms on a busy x86-64 with
    /// `(?:a?){4000}b`. A text of 512 KiB and a simple expression, such as `^[a-z]+$`, take 3 to 4 million.
    static let mostVisits = 10_000_000

    init(_ text: String) throws(Fault) {
        var parser = PlanPatternParser(text)
        let node = try parser.parse()
        var steps: [Step] = []
        try Self.append(node, to: &steps)
        steps.append(.match)
        self.steps = steps
    }

    private static func append(_ node: PlanPatternParser.Node, to steps: inout [Step]) throws(Fault) {
        guard steps.count < mostSteps else {
            throw Fault(text: "comes to more than \(mostSteps) steps; write it with smaller counts")
        }
        switch node {
        case .one(let characters): steps.append(.one(characters))
        case .assert(let assertion): steps.append(.assert(assertion))
        case .sequence(let nodes): for node in nodes { try append(node, to: &steps) }
        case .choice(let nodes):
            var ends: [Int] = []
            for (index, node) in nodes.enumerated() {
                let start = steps.count
                if index < nodes.count - 1 { steps.append(.jump(0)) }
                try append(node, to: &steps)
                guard index < nodes.count - 1 else { continue }
                ends.append(steps.count)
                steps.append(.jump(0))
                steps[start] = .either(start + 1, steps.count)
            }
            for end in ends { steps[end] = .jump(steps.count) }
        case .repetition(let node, let least, let most):
            for _ in 0..<least {
                let start = steps.count
                try append(node, to: &steps)
                // Nothing, however often it is repeated.
                if steps.count == start { break }
            }
            guard let most else {
                let start = steps.count
                steps.append(.jump(0))
                try append(node, to: &steps)
                steps.append(.jump(start))
                return steps[start] = .either(start + 1, steps.count)
            }
            var exits: [Int] = []
            for _ in least..<max(least, most) {
                exits.append(steps.count)
                steps.append(.jump(0))
                try append(node, to: &steps)
            }
            for exit in exits { steps[exit] = .either(exit + 1, steps.count) }
        }
    }

    /// Whether some part of the text is as the expression says; `nil` if that takes more than ``mostVisits``.
    func matches(_ text: String) -> Bool? {
        var left = Self.mostVisits
        return matches(text, within: &left)
    }

    /// Whether some part of the text is as the expression says.
    ///
    /// - Parameter left: How many visits to steps are left; what the text takes is subtracted.
    /// - Returns: `nil` if the text takes more.
    func matches(_ text: String, within left: inout Int) -> Bool? {
        let characters = text.unicodeScalars.map(\.value)
        var marks = [Int](repeating: -1, count: steps.count)
        var current: [Int] = []
        var next: [Int] = []
        var waiting: [Int] = []
        for position in 0...characters.count {
            // A match may begin anywhere.
            if add(0, at: position, in: characters, to: &current, &marks, &waiting, &left) { return true }
            guard left >= 0 else { return nil }
            guard position < characters.count else { return false }
            next.removeAll(keepingCapacity: true)
            for step in current {
                guard case .one(let wanted) = steps[step] else { continue }
                // Some eight ranges take as long as a visit.
                left -= 1 + wanted.ranges.count / 8
                guard wanted.contains(characters[position]) else { continue }
                if add(step + 1, at: position + 1, in: characters, to: &next, &marks, &waiting, &left) { return true }
            }
            swap(&current, &next)
        }
        return false
    }

    /// Adds the places that a step leads to without a character.
    ///
    /// - Parameters:
    ///   - marks: The position at which each step was added last.
    ///   - waiting: Room for the steps that are still to be looked at.
    ///   - left: How many visits are left.
    /// - Returns: Whether the match is complete.
    private func add(
        _ first: Int, at position: Int, in characters: [UInt32], to places: inout [Int], _ marks: inout [Int],
        _ waiting: inout [Int], _ left: inout Int
    ) -> Bool {
        waiting.removeAll(keepingCapacity: true)
        waiting.append(first)
        while let step = waiting.popLast() {
            left -= 1
            guard marks[step] != position else { continue }
            marks[step] = position
            switch steps[step] {
            case .match: return true
            case .one: places.append(step)
            case .jump(let target): waiting.append(target)
            case .either(let one, let other):
                waiting.append(other)
                waiting.append(one)
            case .assert(let assertion):
                if Self.holds(assertion, at: position, in: characters) { waiting.append(step + 1) }
            }
        }
        return false
    }

    private static func holds(_ assertion: Assertion, at position: Int, in characters: [UInt32]) -> Bool {
        let isWord = { (index: Int) in
            characters.indices.contains(index) && PlanPatternParser.word.contains(characters[index])
        }
        return switch assertion {
        case .start: position == 0
        case .end: position == characters.count
        case .wordBorder: isWord(position - 1) != isWord(position)
        case .noWordBorder: isWord(position - 1) == isWord(position)
        }
    }
}
