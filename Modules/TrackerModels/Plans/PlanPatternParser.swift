/// Reads the regular expressions of plans.
struct PlanPatternParser {
    typealias Characters = PlanPattern.Characters
    typealias Fault = PlanPattern.Fault

    indirect enum Node {
        case one(Characters)
        case assert(PlanPattern.Assertion)
        case sequence([Node])
        case choice([Node])
        /// Up to `most` times; `nil`: without limit.
        case repetition(Node, least: Int, most: Int?)
    }

    private let text: [UInt32]
    private var place = 0
    private var depth = 0

    /// How deep groups may nest.
    private static let deepest = 64

    init(_ text: String) { self.text = text.unicodeScalars.map(\.value) }

    mutating func parse() throws(Fault) -> Node {
        let node = try choice()
        guard place == text.count else { throw unexpected() }
        return node
    }

    private mutating func choice() throws(Fault) -> Node {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw Fault(text: "nests too deep") }
        var choices = [try sequence()]
        while take("|") { choices.append(try sequence()) }
        return choices.count == 1 ? choices[0] : .choice(choices)
    }

    private mutating func sequence() throws(Fault) -> Node {
        var nodes: [Node] = []
        while let next = peek, next != "|", next != ")" {
            let atom = try atom()
            nodes.append(try quantified(atom))
        }
        return .sequence(nodes)
    }

    private mutating func quantified(_ atom: Node) throws(Fault) -> Node {
        var node = atom
        guard let (least, most) = try quantifier() else { return atom }
        if case .assert = atom { throw Fault(text: "repeats what takes no character") }
        node = .repetition(atom, least: least, most: most)
        // Whether as few or as many as possible does not change what matches.
        _ = take("?")
        return node
    }

    private mutating func quantifier() throws(Fault) -> (least: Int, most: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        guard take("{") else { return nil }
        let least = try number()
        var most: Int? = least
        if take(",") { most = peek == "}" ? nil : try number() }
        guard take("}") else { throw unexpected() }
        if let most, most < least { throw Fault(text: "has a count whose bounds are the wrong way round") }
        return (least, most)
    }

    private mutating func number() throws(Fault) -> Int {
        var value: Int?
        while let digit = peek?.value, (0x30...0x39).contains(digit) {
            // No expression has room for more than this.
            value = min((value ?? 0) * 10 + Int(digit - 0x30), 1 << 20)
            place += 1
        }
        guard let value else { throw unexpected() }
        return value
    }

    private mutating func atom() throws(Fault) -> Node {
        guard let next = peek else { throw unexpected() }
        place += 1
        switch next {
        case "^": return .assert(.start)
        case "$": return .assert(.end)
        case ".":
            return .one(Characters(ranges: [0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029], isNegated: true))
        case "[": return .one(try characterClass())
        case "(": return try group()
        case "\\":
            if take("b") { return .assert(.wordBorder) }
            if take("B") { return .assert(.noWordBorder) }
            return .one(try escape(inClass: false))
        case "*", "+", "?", "{", "}", "]", ")", "|":
            place -= 1
            throw unexpected()
        default: return .one(Characters(ranges: [next.value...next.value]))
        }
    }

    private mutating func group() throws(Fault) -> Node {
        if take("?"), !take(":") { throw Fault(text: "has lookaround or a named group, which plans do not know") }
        let node = try choice()
        guard take(")") else { throw Fault(text: "has a group that is not closed") }
        // A group is one thing to what repeats it.
        return .sequence([node])
    }

    private mutating func characterClass() throws(Fault) -> Characters {
        var result = Characters(isNegated: take("^"))
        while !take("]") {
            let low = try classMember()
            guard peek == "-", place + 1 < text.count, text[place + 1] != 0x5D else {
                result.ranges += low.ranges
                continue
            }
            place += 1
            let high = try classMember()
            guard let from = low.single, let to = high.single else {
                throw Fault(text: "has a range between classes of characters")
            }
            guard from <= to else { throw Fault(text: "has a range whose ends are the wrong way round") }
            result.ranges.append(from...to)
        }
        return result
    }

    private mutating func classMember() throws(Fault) -> Characters {
        guard let next = peek else { throw Fault(text: "has a class of characters that is not closed") }
        place += 1
        guard next == "\\" else { return Characters(ranges: [next.value...next.value]) }
        let escaped = try escape(inClass: true)
        return escaped.isNegated ? escaped.complement : escaped
    }

    private mutating func escape(inClass: Bool) throws(Fault) -> Characters {
        guard let next = peek else { throw unexpected() }
        place += 1
        func one(_ value: UInt32) -> Characters { Characters(ranges: [value...value]) }

        switch next {
        case "d": return Self.digit
        case "D": return Characters(ranges: Self.digit.ranges, isNegated: true)
        case "w": return Self.word
        case "W": return Characters(ranges: Self.word.ranges, isNegated: true)
        case "s": return Self.space
        case "S": return Characters(ranges: Self.space.ranges, isNegated: true)
        case "t": return one(0x09)
        case "n": return one(0x0A)
        case "v": return one(0x0B)
        case "f": return one(0x0C)
        case "r": return one(0x0D)
        case "b" where inClass: return one(0x08)
        case "-" where inClass: return one(next.value)
        case "x": return one(try hexadecimal(2))
        case "u": return one(try codePoint())
        case "^", "$", "\\", ".", "*", "+", "?", "(", ")", "[", "]", "{", "}", "|", "/": return one(next.value)
        default: throw Fault(text: "has \\\(next), which plans do not know")
        }
    }

    private mutating func codePoint() throws(Fault) -> UInt32 {
        if take("{") {
            let start = place
            while let next = peek, next != "}" { place += next.value < 0x80 ? 1 : text.count }
            let digits = text[start..<min(place, text.count)]
            guard take("}"), !digits.isEmpty, digits.count < 9, let value = Self.value(digits), value <= 0x10FFFF else {
                throw unexpected()
            }
            return value
        }
        let high = try hexadecimal(4)
        guard (0xD800...0xDBFF).contains(high), place + 1 < text.count, text[place] == 0x5C, text[place + 1] == 0x75
        else { return high }
        place += 2
        let low = try hexadecimal(4)
        guard (0xDC00...0xDFFF).contains(low) else { throw Fault(text: "has half of a surrogate pair") }
        return 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
    }

    private mutating func hexadecimal(_ count: Int) throws(Fault) -> UInt32 {
        guard place + count <= text.count, let value = Self.value(text[place..<place + count]) else {
            throw unexpected()
        }
        place += count
        return value
    }

    private static func value(_ digits: ArraySlice<UInt32>) -> UInt32? {
        var value: UInt32 = 0
        for digit in digits {
            guard let digit = Unicode.Scalar(digit).flatMap({ Character($0).hexDigitValue }) else { return nil }
            value = value << 4 + UInt32(digit)
        }
        return value
    }

    private var peek: Unicode.Scalar? { place < text.count ? Unicode.Scalar(text[place]) : nil }

    private mutating func take(_ wanted: Unicode.Scalar) -> Bool {
        guard peek == wanted else { return false }
        place += 1
        return true
    }

    private func unexpected() -> Fault {
        guard let peek else { return Fault(text: "ends too early") }
        return Fault(text: "has '\(peek)' where it has no meaning; write '\\\(peek)' for the character itself")
    }

    static let digit = Characters(ranges: [0x30...0x39])
    static let word = Characters(ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])
    /// The white space and the ends of lines of ECMAScript.
    static let space = Characters(ranges: [
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
        0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
    ])
}

extension PlanPattern.Characters {
    /// The character, if there is one alone.
    fileprivate var single: UInt32? {
        guard !isNegated, ranges.count == 1, ranges[0].count == 1 else { return nil }
        return ranges[0].lowerBound
    }

    /// The same characters, not negated.
    fileprivate var complement: PlanPattern.Characters {
        var result: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > next { result.append(next...range.lowerBound - 1) }
            next = range.upperBound + 1
        }
        if next <= 0x10FFFF { result.append(next...0x10FFFF) }
        return PlanPattern.Characters(ranges: result)
    }
}
