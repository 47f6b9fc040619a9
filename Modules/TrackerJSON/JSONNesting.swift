/// The arrays and objects that are open at a place in a text: one bit each, so that millions fit.
struct JSONNesting {
    /// How many are open.
    private(set) var depth = 0
    /// The depth beyond which a closer look is due.
    var usualDepth: Int
    /// The innermost 64 or fewer, the last in the lowest bit; set means an object.
    private var innermost: UInt64 = 0
    /// The rest, by 64.
    private var outer: [UInt64] = []

    init(usualDepth: Int) {
        self.usualDepth = usualDepth
    }

    @inline(__always) var isInObject: Bool { innermost & 1 == 1 }

    /// The byte that closes the innermost.
    @inline(__always) var closingByte: UInt8 { isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }

    @inline(__always) mutating func push(isObject: Bool) {
        if depth & 63 == 0, depth > 0 {
            outer.append(innermost)
            innermost = 0
        }
        innermost = innermost &<< 1 | (isObject ? 1 : 0)
        depth &+= 1
    }

    @inline(__always) mutating func pop() {
        depth &-= 1
        innermost &>>= 1
        if depth & 63 == 0, let last = outer.popLast() { innermost = last }
    }
}
