import TestSupport
import Testing
import TrackerModels

@testable import TrackerStorage

@Suite("The stage")
struct StageTests {
    /// The bound of the stages here, and the weight of one of their records.
    private static let bound = 1 << 20
    private static let weight = 1 << 17

    private static func stage(_ overflow: DeliveryOptions.Overflow) throws -> Stage {
        var stage = Stage(bound: bound, overflow: overflow)
        #expect(stage.enter(.open) == false)
        return stage
    }

    /// A call whose record weighs an eighth of the bound.
    private static func record(_ name: String) -> Draft { Draft.sample(name, body) }

    private static let client = RecordOwnerOfTests()
    private static let owner = RecordOwner(client, run: 1)

    private static let body: Draft.Body = {
        let text = String(repeating: "a", count: weight - 256 - #"{"t":""}"#.utf8.count)
        return Draft.sample("m0", body: #"{"t":"\#(text)"}"#).content.body
    }()

    private static func other(_ change: LaneChange) -> StagedTask { StagedTask(task: .change(change)) }

    /// Adds records of these names.
    ///
    /// - Returns: The names of those that are refused.
    private func add(_ names: [String], to stage: inout Stage) throws -> [String] {
        try names.flatMap { try stage.add(Self.record($0), of: Self.owner) { { _ in } }.refused?.names ?? [] }
    }

    /// The names of all that is left.
    private func rest(of stage: inout Stage) -> [String] {
        var names: [String] = []
        while case let group = stage.nextGroup(), !group.isEmpty { names += group.names }
        return names
    }

    private func names(_ numbers: ClosedRange<Int>) -> [String] { numbers.map { "m\($0)" } }

    @Test("refuses the newest record past its bound, and nothing else")
    func refusesNew() throws {
        var stage = try Self.stage(.refuseNew)

        let refused = try add(names(1...10), to: &stage)
        let reset = try stage.add(Self.other(.reset(all: false, messageID: nil))).refused?.names ?? []

        #expect(refused == ["m9", "m10"])
        #expect(reset.isEmpty)
        #expect(rest(of: &stage) == names(1...8) + ["reset"])
    }

    @Test("drops the oldest record past its bound, and keeps what is no record in its place")
    func dropsOldest() throws {
        var stage = try Self.stage(.dropOldest)

        var refused = try add(names(1...2), to: &stage)
        refused += try stage.add(Self.other(.reset(all: false, messageID: nil))).refused?.names ?? []
        refused += try add(names(3...2_000), to: &stage)

        #expect(refused == names(1...1_992))
        #expect(rest(of: &stage) == ["reset"] + names(1_993...2_000))
    }

    @Test("leaves alone what the writer has taken, and has room for the newest record beside it")
    func leavesTaken() throws {
        var stage = try Self.stage(.dropOldest)
        _ = try add(names(1...8), to: &stage)
        var taken: [StagedGroup] = []
        while case let group = stage.nextGroup(), !group.isEmpty { taken.append(group) }

        let refused = try add(names(9...11), to: &stage)
        for group in taken { stage.finish(group) }
        let later = try add(names(12...18), to: &stage)

        #expect(taken.flatMap(\.names) == names(1...8))
        #expect(refused == names(9...10))
        #expect(later.isEmpty)
        #expect(rest(of: &stage) == names(11...18))
    }

    @Test("refuses the newest record too where nothing older can be dropped")
    func refusesWithoutRoom() throws {
        var stage = try Self.stage(.dropOldest)
        var added = 0
        while try stage.add(Self.other(.set([], messageID: nil))).refused == nil { added += 1 }

        let record = try add(["m1"], to: &stage)
        let barrier = try stage.add(Self.other(.barrier)).refused

        #expect(record == ["m1"])
        #expect(barrier == nil)
        #expect(added == Self.bound / 256)
    }

    @Test("keeps what a dropped record's call changes besides it")
    func keepsChanges() throws {
        var stage = try Self.stage(.dropOldest)
        let draft = Draft.sample("m0", values: [ValueChange(.own("user"), "ann")])

        let refused = try stage.add(draft, of: Self.owner) { { _ in } }.refused
        let dropped = try add(names(1...9), to: &stage)
        let group = stage.nextGroup()

        #expect(refused == nil)
        #expect(dropped == ["m0", "m1"])
        #expect(group.names + rest(of: &stage) == names(0...0) + names(2...9))
        let users = group.entries.map { group.changedUser($0) }
        #expect(users == ["ann"] + Array(repeating: nil, count: users.count - 1))
    }

    @Test("a client that only dropped calls keep ends with their answers, which are given outside the stage")
    func releasesOutside() throws {
        var stage = try Self.stage(.dropOldest)
        let ends = Recorder<Bool>()
        do {
            let client = Client(ends)
            _ = try stage.add(Self.record("m0"), of: RecordOwner(client, run: 1)) {
                { _ in withExtendedLifetime(client) {} }
            }
        }
        // The ninth drops the client's call, the next two the others of its group.
        #expect(try add(names(1...9), to: &stage) == ["m0", "m1"])
        #expect(ends.all.isEmpty)

        var last: Stage.Addition? = try stage.add(Self.record("m10"), of: Self.owner) { { _ in } }

        #expect(last?.refused?.names == ["m2"])
        #expect(ends.all.isEmpty)
        last = nil
        #expect(ends.all == [true])
    }
}

/// Tells of its end, at which a client uses its lane once more.
private final class Client: Sendable {
    private let ends: Recorder<Bool>

    init(_ ends: Recorder<Bool>) { self.ends = ends }

    deinit { ends.record(true) }
}

/// Stands for a client.
private final class RecordOwnerOfTests: Sendable {}

extension StagedGroup {
    /// The user that an entry stores without a record.
    fileprivate func changedUser(_ entry: Entry) -> String? {
        if case .record(let record) = entry, record.isEvicted { values(of: record).first?.text } else { nil }
    }

    /// The keys of records, and the kinds of changes.
    fileprivate var names: [String] {
        entries.map { entry in
            switch entry {
            case .record(let record): messageID(of: record).text
            case .task(let index): if case .change(.reset) = tasks[index].task { "reset" } else { "other" }
            }
        }
    }
}
