public import TrackerModels

/// The calls of a session tracker. ``MobileTracker`` conforms to it; a stand-in for it in your tests may, too.
///
/// ```swift
/// func checkOut(with tracker: any MobileTrackerInterface) {
///     tracker.enqueue(.track("PURCHASE", ["total": 149.99]))
/// }
/// checkOut(with: MobileTracker.shared)
/// ```
///
/// Every tracking call comes down to ``enqueue(_:messageId:)``, so a stand-in sees all of them there. Calls take effect in
/// the order in which they are made, from any thread. They never throw and never end the program.
public protocol MobileTrackerInterface: AnyObject, Sendable {
    /// Prepares the tracker for a brand: opens the state folder, and takes the stored session or makes one.
    ///
    /// - Parameters:
    ///   - brandId: Your number at the backend, as ASCII digits, such as `"925"`.
    ///   - config: Where and how to deliver. `apiUrl` and `xApiKey` are required, here or in the environment.
    /// - Throws: ``TrackerError`` with one of the codes that ``MobileTracker/initialize(brandId:config:)`` names. If the
    ///   task that waits is cancelled, the cause is ``TrackerError/Cause/cancelled`` and the initialization goes on.
    func initialize(brandId: String, config: TrackerConfig?) async throws(TrackerError)

    /// Makes a call without waiting for its outcome, from synchronous and asynchronous code alike.
    ///
    /// Its place in the order is fixed when this returns.
    ///
    /// - Parameters:
    ///   - call: The call, such as `.track("PURCHASE", ["total": 149.99])`.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: A receipt, which you may ignore. It has an outcome once the call is on disk or dropped.
    @discardableResult
    func enqueue(_ call: TrackerCall, messageId: CallerKey?) -> CallReceipt

    /// Forgets the user: session, email, user id, metadata and device id.
    ///
    /// - Parameters:
    ///   - all: Whether to forget the brand too, and to drop every queued event.
    ///   - messageId: A key that you choose: a second reset with it has no effect.
    /// - Returns: A receipt, which you may ignore. Its outcome is `.queued` when the old state is gone from disk.
    @discardableResult
    func reset(all: Bool, messageId: CallerKey?) -> CallReceipt

    /// Records whether the user allows tracking. The decision outlives restarts and resets.
    ///
    /// - Parameters:
    ///   - consent: The decision.
    ///   - messageId: A key that you choose: a second call with it has no effect.
    /// - Returns: What became of it, with the meanings that ``reset(all:messageId:)`` describes.
    @discardableResult
    func setConsent(_ consent: Consent, messageId: CallerKey?) async -> TrackOutcome

    /// Whether consent is granted.
    var isTrackingAllowed: Bool { get }

    /// Sends what is queued, and waits for the result.
    ///
    /// - Parameter timeout: How long to try.
    /// - Returns: How many of the events that were queued at the call have been delivered, how many remain, and why.
    func flush(timeout: Duration) async -> FlushReport

    /// Sends what can be sent within the time, then closes everything. What is not delivered waits on disk.
    ///
    /// - Parameter timeout: How long this may take in all.
    func shutdown(timeout: Duration) async

    /// Tells the tracker that the network is back: it stops waiting and makes the next attempt now.
    func networkDidChange()

    /// The id that the backend gave the current session; `nil` without a session.
    var sessionId: String? { get }

    /// The identifier of this installation; `nil` before the first session.
    var deviceId: String? { get }

    /// The email address of the session; `nil` without one.
    var sessionEmail: String? { get }

    /// The brand, as it is stored; `nil` before `initialize` and after `reset(all: true)`.
    var brandId: String? { get }

    /// Adds the session to a URL's query, so that another site can continue it.
    ///
    /// - Parameter url: An absolute URL.
    /// - Returns: The URL with the session; unchanged if sessions are not carried between sites.
    func crossDomainURL(for url: String) -> String

    /// The state of the tracker now: queue, session, circuit breaker, account, configuration. Secrets are masked.
    func debugInfo() -> JSONObject
}
