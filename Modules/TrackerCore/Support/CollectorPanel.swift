import Dispatch
import TrackerModels
import TrackerNetworking
import TrackerPlatform

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

    /// What the page calls the client.
    let client: String
    /// The collector's endpoint for accounts.
    let url: String
    let loop: any DeliveryLoop
    let clock: any TrackerClock
    /// How the client stands; `nil` once there is none.
    let debugInfo: @Sendable () -> JSONObject?

    /// Posts the next account after a while.
    func post(after wait: Duration) {
        loop.schedule(at: loop.now.advanced(by: wait)) {
            // Debug information is read from disk, and a slow disk must not block the loop.
            DispatchQueue(label: "tracker.panel", qos: .utility).async { post() }
        }
    }

    private func post() {
        guard let debugInfo = debugInfo() else { return }
        let account: JSONObject = [
            "client": .string("\(client), process \(getpid())"), "at": .string(clock.wall.description),
            "debugInfo": .object(debugInfo),
        ]
        // Debug information has no number that JSON cannot hold.
        guard let body = try? JSONText(account) else { return }
        var request = HTTPRequest(
            method: .post, url: url, headers: ["Content-Type": "application/json"], body: Array(body.text.utf8),
            timeout: Self.patience)
        request.isCompressible = false
        loop.submit(request) { result in
            let isTaken = if case .success(let response) = result { response.status == 200 } else { false }
            post(after: isTaken ? Self.period : Self.pause)
        }
    }
}

extension OpenLane {
    /// Starts the posts if the options ask for them and the client's own address is on this machine.
    func show(
        _ client: String, at base: BaseURL, _ delivery: DeliveryOptions, _ clock: any TrackerClock,
        _ debugInfo: @escaping @Sendable () -> JSONObject?
    ) {
        guard delivery.collectorPanel, base.scheme == .http, base.isLoopback else { return }
        let panel = CollectorPanel(
            client: client, url: base.origin + "/accounts", loop: loop, clock: clock, debugInfo: debugInfo)
        panel.post(after: CollectorPanel.period)
    }
}
