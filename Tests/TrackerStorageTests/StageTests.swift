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

    /// A record that weighs an eighth of the bound.
    private static func record(_ name: String) -> StagedTask {
        StagedTask(task: .change(.append(Draft.sample(name, body))))
    }

    private static let body: Draft.Body = {
        let text = String(repeating: "a", count: weight - 256 - #"{"t":""}"#.utf8.count)
        return Draft.sample("m0", body: #"{"t":"\#(text)"}"#).body
    }()

    private static func other(_ change: LaneChange) -> StagedTask { StagedTask(task: .change(change)) }

    /// Adds records of these names.
    ///
    /// - Returns: The names of those that are refused.
    private func add(_ names: [String], to stage: inout Stage) throws -> [String] {
        try names.flatMap { try stage.add(Self.record($0)).refused.map(\.name) }
    }

    private func names(_ numbers: ClosedRange<Int>) -> [String] { numbers.map { "m\($0)" } }

    @Test("refuses the newest record past its bound, and nothing else")
    func refusesNew() throws {
        var stage = try Self.stage(.refuseNew)

        let refused = try add(names(1...10), to: &stage)
        let reset = try stage.add(Self.other(.reset(all: false, messageID: nil))).refused

        #expect(refused == ["m9", "m10"])
        #expect(reset.isEmpty)
        #expect(stage.nextGroup().map(\.name) == names(1...8) + ["reset"])
    }

    @Test("drops the oldest record past its bound, and keeps what is no record in its place")
    func dropsOldest() throws {
        var stage = try Self.stage(.dropOldest)

        var refused = try add(names(1...2), to: &stage)
        refused += try stage.add(Self.other(.reset(all: false, messageID: nil))).refused.map(\.name)
        refused += try add(names(3...2_000), to: &stage)

        #expect(refused == names(1...1_992))
        #expect(stage.rest().map(\.name) == ["reset"] + names(1_993...2_000))
    }

    @Test("leaves alone what the writer has taken, and has room for the newest record beside it")
    func leavesTaken() throws {
        var stage = try Self.stage(.dropOldest)
        _ = try add(names(1...8), to: &stage)
        let taken = stage.nextGroup()

        let refused = try add(names(9...11), to: &stage)
        stage.finish(taken)
        let later = try add(names(12...18), to: &stage)

        #expect(taken.map(\.name) == names(1...8))
        #expect(refused == names(9...10))
        #expect(later.isEmpty)
        #expect(stage.nextGroup().map(\.name) == names(11...18))
    }

    @Test("refuses the newest record too where nothing older can be dropped")
    func refusesWithoutRoom() throws {
        var stage = try Self.stage(.dropOldest)
        var added = 0
        while try stage.add(Self.other(.set([], messageID: nil))).refused.isEmpty { added += 1 }

        let record = try add(["m1"], to: &stage)
        let barrier = try stage.add(Self.other(.barrier)).refused

        #expect(record == ["m1"])
        #expect(barrier.isEmpty)
        #expect(added == Self.bound / 256)
    }

    @Test("keeps what a dropped record's call changes besides it")
    func keepsChanges() throws {
        var stage = try Self.stage(.dropOldest)
        let draft = Draft.sample("m0", values: [ValueChange(.own("user"), "ann")])

        let refused = try stage.add(Self.other(.append(draft))).refused
        let dropped = try add(names(1...9), to: &stage)
        let group = stage.nextGroup()

        #expect(refused.isEmpty)
        #expect(dropped == ["m0", "m1"])
        #expect(group.map(\.name) == names(0...0) + names(2...9))
        #expect(group.map { $0.task.changedUser } == ["ann"] + Array(repeating: nil, count: 8))
    }
}

extension LaneTask {
    /// The user that it stores without a record.
    fileprivate var changedUser: String? {
        if case .change(.append(let draft)) = self, draft.isEvicted { draft.values.first?.text } else { nil }
    }
}

extension StagedTask {
    /// The key of the record, or the kind of change.
    fileprivate var name: String {
        switch task {
        case .change(.append(let draft)): draft.messageID.text
        case .change(.reset): "reset"
        default: "other"
        }
    }
}
