import TrackerModels

/// The screen that was shown last, as far as it was tracked.
struct ShownScreen: Sendable {
    private var url: String?
    /// The call that has shown it.
    private var call: Int?
    /// The generation in which that call is on disk.
    private var generation: Generation?
    /// What was forgotten last, unless a screen was shown since.
    private var forgotten: String?

    /// Records that a call shows a screen.
    ///
    /// - Returns: Whether another one was shown before.
    mutating func show(_ url: String, by call: Int) -> Bool {
        guard self.url?.hasSameUTF8(as: url) != true else { return false }
        self = ShownScreen(url: url, call: call)
        return true
    }

    /// A call is on disk. What was shown before its generation began, which an expiry or another process may have
    /// begun, is shown no more.
    mutating func committed(_ call: Int, in generation: Generation) {
        if self.call == call {
            self.generation = generation
        } else if let shownIn = self.generation, shownIn < generation {
            self = ShownScreen()
        }
    }

    /// Forgets a showing that was refused, so that the screen may be shown again, unless another one was shown since.
    mutating func takeBack(_ call: Int) {
        if self.call == call { url = nil }
    }

    mutating func forget() { self = ShownScreen(forgotten: url) }

    /// Restores what was forgotten last: the reset was a repeat.
    mutating func recall() {
        if url == nil, call == nil { url = forgotten }
    }
}
