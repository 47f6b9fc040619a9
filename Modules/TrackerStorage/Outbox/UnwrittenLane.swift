import TrackerModels

/// A lane as memory shows it: the lane on disk, and over it the changes that the disk has refused.
///
/// Its records are not part of it: ``UnwrittenChanges`` says which of them count.
struct UnwrittenLane {
    /// The lane without its values.
    private(set) var state: LaneState
    /// What earlier generations are bound to, as far as that is known.
    private var entries: [Generation: GenerationEntry]
    /// The values that were changed, and those that were removed.
    private var values: [StoredKey: String?] = [:]
    /// Whose other values are gone.
    private var cleared: Set<ValueScope> = []

    /// A lane without changes.
    ///
    /// - Parameter entries: What generations of its records are bound to.
    init(_ disk: LaneState, entries: [Generation: GenerationEntry] = [:]) {
        state = disk
        self.entries = entries
    }

    /// What the changes have made of a value.
    func effect(on key: StoredKey) -> UnwrittenValue {
        switch values[key] {
        case .some(let text?): .text(text)
        case .some(nil): .removed
        case nil: cleared.contains(key.scope) ? .removed : .untouched
        }
    }

    private mutating func clear(_ scope: ValueScope) {
        cleared.insert(scope)
        values = values.filter { $0.key.scope != scope }
    }
}

/// What unwritten changes have made of a value.
enum UnwrittenValue: Hashable, Sendable {
    /// It is as it is on disk.
    case untouched
    case removed
    case text(String)
}

extension UnwrittenLane: ChangeableLane {
    typealias Failure = Never

    var consent: Consent { state.consent }

    var generation: Generation { state.generation }

    var entry: GenerationEntry { state.entry }

    func entry(of generation: Generation) -> GenerationEntry? {
        generation == state.generation ? state.entry : entries[generation]
    }

    /// Of the values on disk it knows those that generations are bound to.
    func value(_ key: StoredKey) -> String? {
        switch effect(on: key) {
        case .text(let text): return text
        case .removed: return nil
        case .untouched: break
        }
        return switch key {
        case .sessionID: entry.session?.text
        case .deviceID: entry.device?.text
        case .identifyID: entry.identifyID?.text
        case .sessionEmail, .brandID, .sessionMetadata, .own: nil
        }
    }

    /// The database has the list, and decides.
    func isForgotten(_: UserID) -> Bool { false }

    mutating func save(_ consent: Consent) { state.consent = consent }

    mutating func save(_ entry: GenerationEntry, of generation: Generation) {
        if generation == state.generation { state.entry = entry } else { entries[generation] = entry }
    }

    mutating func save(_ text: String?, _ key: StoredKey) {
        values[key] = .some(text)
        // A session that is not written does not expire.
        if key == .sessionID { state.sessionExpiresAt = nil }
    }

    mutating func beginGeneration(_ entry: GenerationEntry) {
        entries[state.generation] = state.entry
        state.generation = Generation(state.generation.number + 1)
        state.entry = entry
        state.sessionExpiresAt = nil
        clear(.lane)
    }

    mutating func raiseTenantGeneration() {}

    mutating func eraseTenant() { clear(.tenant) }

    mutating func settleDelivered(_ records: [RemovedRecord], _ bytes: WireBytes) {}

    mutating func drop(_ ids: [Record.ID], _ reason: DropReason, _ rejection: Rejection?) {}

    mutating func dropUnbound(_ reason: DropReason) {}

    mutating func dropAll(_ reason: DropReason, erases: Bool) {}
}
