import Dispatch
import TrackerModels
import TrackerNetworking
import TrackerPlatform
import TrackerStorage

/// Posts a client's debug information to a development collector once a second.
///
/// It uses the timers and the transport of the client's own loop, so it ends when that loop closes. While no collector
/// answers, it posts less often and logs nothing.
struct CollectorPanel: Sendable {
    /// How often a collector that answers gets an account.
    static let period = Duration.seconds(1)
    /// How long it waits after a server that did not take one.
    static let pause = Duration.seconds(5)
    /// How long one post may take.
    static let patience = Duration.milliseconds(900)

    /// How many refused events an account has, without what they carry.
    static let mostRefused = 20

    let client: String
    /// The collector's endpoint for accounts.
    let url: String
    let lane: LaneIdentity
    let loop: any DeliveryLoop
    let clock: any TrackerClock
    /// The client; `nil` once there is none.
    let subject: @Sendable () -> (any ClientControl)?

    func post(after wait: Duration) {
        loop.schedule(at: loop.now.advanced(by: wait)) {
            // Debug information is read from disk, and a slow disk must not block the loop.
            DispatchQueue(label: "tracker.panel", qos: .utility).async { post() }
        }
    }

    private func post() {
        guard let subject = subject() else { return }
        // Why the disk cannot be read is in the debug information.
        let refused = (try? subject.refused(matching: RefusedFilter())) ?? []
        let account: JSONObject = [
            "client": .string("\(client), process \(getpid())"), "at": .string(clock.wall.description),
            "debugInfo": .object(subject.debugInfo),
            "refused": .array(refused.suffix(Self.mostRefused).map(describe)),
        ]
        // Debug information has no number that JSON cannot hold.
        guard let body = try? JSONText(account) else { return }
        var request = HTTPRequest(
            method: .post, url: url, headers: ["Content-Type": "application/json"], body: Array(body.text.utf8),
            timeout: Self.patience)
        request.isCompressible = false
        loop.submit(request) { result in
            guard case .success(let response) = result, response.status == 200 else {
                return post(after: Self.pause)
            }
            if Self.asksForRetry(response.body) {
                self.subject()?.change(refused: RefusedFilter(), .retry) { _ in }
            }
            post(after: Self.period)
        }
    }

    private func describe(_ event: RefusedEvent) -> JSONValue {
        var members = event.json(of: ClientName(lane.kind))
        members["body"] = nil
        return .object(members)
    }

    /// Whether the reader of the collector's page wants the refused events to be sent again.
    private static func asksForRetry(_ body: [UInt8]) -> Bool {
        // A collector of another version may answer with anything.
        (try? JSONText(validating: body))?.value(forKey: "retryRefused")?.boolValue == true
    }
}

extension OpenLane {
    /// Starts the posts if the options ask for them and the client's own address is on this machine.
    func show(
        _ settings: some ClientSettings, _ clock: any TrackerClock,
        _ subject: @escaping @Sendable () -> (any ClientControl)?
    ) {
        let base = settings.base
        guard settings.delivery.collectorPanel, base.scheme == .http, base.isLoopback else { return }
        let panel = CollectorPanel(
            client: settings.title, url: base.origin + "/accounts", lane: settings.lane, loop: loop, clock: clock,
            subject: subject)
        panel.post(after: CollectorPanel.period)
    }
}
