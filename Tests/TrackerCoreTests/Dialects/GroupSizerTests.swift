import TestSupport
import Testing
import TrackerStorage

@testable import TrackerCore

@Suite("The sizes of groups")
struct GroupSizerTests {
    private static func records(_ numbers: [Int64], bytes: Int = 20) -> [Record] {
        numbers.map { .sample($0, body: "{\"a\":\"\(String(repeating: "x", count: bytes - 8))\"}") }
    }

    @Test("bound a group by count and by bytes, and let a larger record travel alone")
    func bounds() {
        #expect(Self.first(of: Self.records([1, 2, 3, 4]), maxBytes: 50) == 2)
        #expect(Self.first(of: Self.records([1, 2, 3, 4], bytes: 10), maxBytes: 50) == 3)
        #expect(Self.first(of: Self.records([1, 2], bytes: 60), maxBytes: 50) == 1)
    }

    @Test("count what each record and each request costs besides the bodies", arguments: [(49, 1), (50, 2), (51, 2)])
    func overheads(maxBytes: Int, count: Int) {
        var sizer = GroupSizer(maxRecords: 3, maxBytes: maxBytes, recordOverhead: 3, frame: 4)

        #expect(sizer.next(of: Self.records([1, 2, 3])).count == count)
    }

    @Test("send the same records again when a request is repeated, whatever has come meanwhile")
    func repeatsGroups() {
        var sizer = GroupSizer(maxRecords: 10, maxBytes: .max)

        let first = sizer.next(of: Self.records([1, 2, 3]))
        let again = sizer.next(of: Self.records([1, 2, 3, 4, 5]))
        let other = sizer.next(of: Self.records([4, 5, 6]))
        let evicted = sizer.next(of: Self.records([3, 4, 5, 6]))
        sizer.arrived(first)
        let later = sizer.next(of: Self.records([7, 8]))

        #expect(again == first)
        #expect(other.map(\.sequence) == [4, 5, 6])
        #expect(evicted.map(\.sequence) == [3])
        #expect(later.map(\.sequence) == [7, 8])
    }

    @Test("send a group of another process whole, until the server refuses it as too large or for what it holds")
    func recallsLargerGroups() {
        let records = Self.records(Array(1...9))
        let extent = GroupExtent(Array(records[..<6]))
        func sizes(_ answer: (inout GroupSizer, [Record]) -> Void) -> [Int] {
            var sizer = GroupSizer(maxRecords: 2, maxBytes: 50)
            return (0..<2).map { _ in
                sizer.recall([extent].compactMap(\.self), in: records)
                let group = sizer.next(of: records)
                answer(&sizer, group)
                return group.count
            }
        }

        #expect(sizes { _, _ in } == [6, 6])
        #expect(sizes { $0.tooLarge($1) } == [6, 2])
        #expect(sizes { $0.refused($1) } == [6, 2])
        #expect(sizes { $0.turnedAway($1) } == [6, 2])
    }

    @Test("send a group whole that another process has sent since, although one of their own was to end within it")
    func recallsOverOwnEnds() {
        let records = Self.records(Array(1...30))
        var sizer = GroupSizer(maxRecords: 20, maxBytes: .max)
        sizer.refused(sizer.next(of: records))
        let half = sizer.next(of: records)

        // The other process has delivered the half, and sent what is behind it as one group.
        let rest = Array(records[10...])
        sizer.recall([GroupExtent(rest)].compactMap(\.self), in: rest)

        #expect(half.count == 10)
        #expect(sizer.next(of: rest) == rest)
    }

    @Test("send a group again as it was, although another one was too large meanwhile: its answer may have been lost")
    func repeatsBesideLargerGroups() {
        let records = Self.records([1, 2, 3, 4])
        var sizer = GroupSizer(maxRecords: 2, maxBytes: .max)
        let first = sizer.next(of: records)
        let second = sizer.next(of: records[2...])

        sizer.tooLarge(first)

        #expect(sizer.next(of: records).map(\.sequence) == [1])
        #expect(sizer.next(of: records[2...]) == second)
    }

    @Test("send a group that was too large in smaller ones, although the one behind it is under way")
    func shrinksBesideOthers() {
        let records = Self.records([1, 2, 3, 4, 5, 6])
        var sizer = GroupSizer(maxRecords: 4, maxBytes: .max)
        let first = sizer.next(of: records)
        _ = sizer.next(of: records[4...])

        sizer.tooLarge(first)

        #expect(sizer.next(of: first).map(\.sequence) == [1, 2])
    }

    @Test("keep a record apart that was tried out of its turn, after a restart too: its answer may have been lost")
    func keepsApart() {
        let records = Self.records([1, 2, 3, 4])
        var sizer = GroupSizer(maxRecords: 10, maxBytes: .max)
        _ = sizer.next(of: records)
        let tried = [sizer.next(of: records[3...])].compactMap { GroupExtent($0) }
        var restarted = GroupSizer(maxRecords: 10, maxBytes: .max)

        sizer.recall(tried, in: records)
        restarted.recall(tried, in: records)

        #expect(sizer.next(of: records).map(\.sequence) == [1, 2, 3])
        #expect(restarted.next(of: records).map(\.sequence) == [1, 2, 3])
        #expect(sizer.next(of: records[3...]).map(\.sequence) == [4])
    }

    private static func first(of records: [Record], maxBytes: Int) -> Int {
        var sizer = GroupSizer(maxRecords: 3, maxBytes: maxBytes)
        return sizer.next(of: records).count
    }

    /// Sends groups of many records to a server that takes this many at once.
    ///
    /// - Returns: The sizes of the groups, refused ones as negative numbers.
    private static func sizes(
        upTo limit: Int, _ count: Int, _ sizer: inout GroupSizer
    ) -> [Int] {
        let records = records(Array(1...200))
        return (0..<count).map { _ in
            let group = sizer.next(of: records)
            guard group.count > limit else {
                sizer.arrived(group)
                return group.count
            }
            sizer.tooLarge(group)
            return -group.count
        }
    }

    @Test("halve after a 413 down to one, and grow by an eighth after ten successes")
    func halvesAndGrows() {
        var sizer = GroupSizer(maxRecords: 80, maxBytes: .max)

        #expect(Self.sizes(upTo: 1, 7, &sizer) == [-80, -40, -20, -10, -5, -2, 1])
        sizer.forget()
        #expect(Self.sizes(upTo: 79, 1, &sizer) == [-80])

        let grown = Self.sizes(upTo: 80, 171, &sizer)
        let steps = [40, 45, 50, 56, 63, 70, 78].flatMap { Array(repeating: $0, count: 10) }
        #expect(grown == steps + Array(repeating: 79, count: 100) + [80])
    }

    @Test(
        "stay below the size that was refused, and waste no more than one request in a hundred on larger ones",
        arguments: [1, 7, 33, 60, 99])
    func remembersRefusals(limit: Int) {
        var sizer = GroupSizer(maxRecords: 100, maxBytes: .max)
        _ = Self.sizes(upTo: limit, 200, &sizer)

        let settled = Self.sizes(upTo: limit, 1000, &sizer)

        #expect(settled.count { $0 < 0 } <= 10)
        #expect((settled.max() ?? 0) * 9 / 8 + 1 >= limit)
    }

    @Test("grow by what fills them alone: few records say nothing of many")
    func growsByFullGroups() {
        var sizer = GroupSizer(maxRecords: 8, maxBytes: .max)
        sizer.tooLarge(sizer.next(of: Self.records(Array(1...8))))

        for number in 10..<50 { sizer.arrived(sizer.next(of: Self.records([Int64(number)]))) }

        #expect(sizer.limit == 4)
    }

    @Test("find every bad record and deliver every good one", arguments: 0..<200)
    func bisects(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var sizer = GroupSizer(maxRecords: Int.random(in: 1...50, using: &generator), maxBytes: .max)
        var queue = Self.records(Array(1...Int64.random(in: 1...80, using: &generator)))
        let bad = Set(queue.map(\.id).filter { _ in Int.random(in: 0..<5, using: &generator) == 0 })
        let limit = Int.random(in: 1...20, using: &generator)
        var delivered: [Record.ID] = []
        var dropped: Set<Record.ID> = []
        var requests = 0

        let all = queue.map(\.id)
        while !queue.isEmpty, requests < 10_000 {
            requests += 1
            let group = sizer.next(of: queue)
            if group.count > limit {
                sizer.tooLarge(group)
            } else if group.allSatisfy({ !bad.contains($0.id) }) {
                delivered += group.map(\.id)
                sizer.arrived(group)
                queue.removeFirst(group.count)
            } else if group.count == 1 {
                dropped.insert(group[0].id)
                sizer.dropped(group)
                queue.removeFirst()
            } else {
                sizer.refused(group)
            }
        }

        #expect(delivered == all.filter { !bad.contains($0) }, "seed \(seed)")
        #expect(dropped == bad, "seed \(seed)")
    }
}
