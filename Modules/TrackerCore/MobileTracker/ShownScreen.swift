/// The screen that was shown last, as far as it was tracked.
struct ShownScreen: Hashable, Sendable {
    /// Names one showing.
    struct View: Hashable, Sendable {
        fileprivate let number: Int
    }

    private var url: String?
    private var views = 0
    /// How often it was forgotten, so that two that were forgotten at different times differ.
    private var gaps = 0

    /// Notes that a screen is shown.
    ///
    /// - Returns: `nil` if it was shown last as well.
    mutating func show(_ url: String) -> View? {
        guard self.url != url else { return nil }
        self.url = url
        views += 1
        return View(number: views)
    }

    /// Takes back a showing that was refused, unless another screen has been shown since: it may be shown again.
    mutating func takeBack(_ view: View) {
        if view.number == views { url = nil }
    }

    /// Forgets what was shown last.
    mutating func forget() {
        url = nil
        gaps += 1
    }
}
