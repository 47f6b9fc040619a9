import TrackerModels
import TrackerStorage

@testable import TrackerCore

/// A call to the toy client.
enum ToyCall: Hashable, Sendable {
    /// So many stars for a product.
    case rate(product: String, stars: Int)

    /// The call, or why it is refused.
    func checked() -> Result<ToyCall, Refusal> {
        switch self {
        case .rate(let product, _) where product.isBlank:
            .failure(Refusal(.invalidEventName))
        case .rate(_, let stars) where !(1...5).contains(stars):
            .failure(Refusal(.invalidValue))
        case .rate: .success(self)
        }
    }
}

extension ToyCall: FilterableCall {
    var name: String { "rate" }

    var outgoing: OutgoingCall {
        switch self {
        case .rate(let product, _): OutgoingCall(method: name, name: product)
        }
    }

    func replacing(_ old: OutgoingCall, with new: OutgoingCall) -> ToyCall {
        switch self {
        case .rate(_, let stars): .rate(product: new.name ?? "", stars: stars)
        }
    }
}

/// What the toy client remembers: how many ratings there were.
struct ToyModel: ClientModel {
    typealias Given = ToyCall

    static let name = "ToyClient"
    static let policy = ClientPolicy(
        beforeInitialize: .holds(calls: 100, bytes: 1 << 20), afterFailure: .isDisabled, resetEndsRun: true)

    private var ratings = 0

    mutating func change(for call: ToyCall, _ stamp: CallStamp, under settings: ToySettings) -> LaneChange {
        ratings += 1
        var body = JSONObjectWriter()
        body.append("shop", settings.shop)
        switch call {
        case .rate(let product, let stars):
            body.append("product", product)
            body.append("stars", "\(stars)")
        }
        body.append("number", "\(ratings)")
        return .append(Draft(stamp, Draft.Content(.endpoint, .complete(body.finish()))))
    }

    static func describe(_ snapshot: ClientSnapshot<ToyModel>, in info: inout JSONObject) {
        info["shop"] = snapshot.run.map { .string($0.settings.shop) } ?? .null
        info["ratings"] = JSONValue(snapshot.model.ratings)
    }
}
