import TrackerCore
import TrackerModels

/// A loop that calls an analytics client with default options, and awaits no call before the next.
struct TightLoop {
    let count: Int
    let url: String
    let folder: String

    /// What became of the calls, once the server has what is on disk.
    func run() async -> JSONObject {
        let client = AnalyticsClient()
        var options = InitOptions(writeKey: "write-key", ingestionHost: url)
        options.delivery.storageDirectory = folder
        client.initialize(with: options)
        let receipts = (0..<count).map { client.track("PURCHASE", properties: ["number": JSONValue($0)]) }
        var (queued, refused) = (0, [RefusalReason: Int]())
        for receipt in receipts {
            switch await receipt.outcome {
            case .queued, .pending: queued += 1
            case .dropped(let reason): refused[reason, default: 0] += 1
            }
        }
        let report = await client.flush(timeout: .seconds(600))
        let account = await client.getDebugInfo()["account"]
        await client.shutdown()
        return [
            "queued": JSONValue(queued),
            "refused": .object(JSONObject(refused.map { ($0.key.rawValue, JSONValue($0.value)) })),
            "remaining": JSONValue(report.remaining), "account": account ?? .null,
        ]
    }
}
