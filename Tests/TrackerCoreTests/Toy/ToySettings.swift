import TrackerModels
import TrackerStorage

@testable import TrackerCore

/// What the toy client's `initialize` was given, checked.
struct ToySettings: ClientSettings {
    let shop: String
    var key: Secret
    var headers = ExtraHeaders()
    let base: BaseURL
    let delivery: DeliveryOptions
    let beforeSend: BeforeSend?

    init(
        shop: String, endpoint: String, delivery: DeliveryOptions, beforeSend: BeforeSend?
    ) throws(TrackerError) {
        guard !shop.isBlank else { throw FieldCheck.fault("shop", .required(example: nil)) }
        do throws(OptionFault.Reason) {
            base = try BaseURL(endpoint, allowInsecureHTTP: delivery.allowInsecureHTTP)
        } catch {
            throw FieldCheck.fault("endpoint", error)
        }
        try delivery.validate()
        self.shop = shop
        key = Secret(shop)
        self.delivery = delivery
        self.beforeSend = beforeSend
    }

    var title: String { "ToyClient \(shop)" }
    var lane: LaneIdentity { LaneIdentity(kind: .endpoint, owner: shop, origin: base.description) }
    var keyPrefix: String { "__toy_" }
    var limits: OutboxLimits { delivery.limits(overflow: .refuseNew) }
    var isVerbose: Bool { false }

    func dialect(ids _: any IDGenerator) -> any Dialect {
        GroupDialect.arrays(endpoint: base.description, apiKey: key, timeout: delivery.requestTimeout)
    }

    func succession(to current: ToySettings) -> Succession { .ignored(hasOthers: shop != current.shop) }
}
