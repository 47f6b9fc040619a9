// swift-format-ignore-file
// Made by "mobile-tracker plan types". Change the plan and make it again, not this file.
import Foundation
import TrackerCore
import TrackerModels

/// The events of the plan, one function each, for a `MobileTracker`.
public struct PlannedEvents: Sendable {
    private let _tracker: MobileTracker

    /// Gives the functions that track with this tracker.
    public init(_ tracker: MobileTracker = .shared) {
        _tracker = tracker
    }

    /// An order was paid.
    ///
    /// - Parameters:
    ///   - default: Whether it went to the default address.
    @discardableResult
    public func purchase(total: Double, currency: PlannedEvents.PurchaseCurrency, items: [PlannedEvents.PurchaseItem], coupon: String? = nil, `default`: Bool? = nil, paidAt: Date? = nil, extra: JSONValue? = nil, metadata: [String: Any]? = nil, messageId: CallerKey? = nil) async -> TrackOutcome {
        var data: [String: Any] = ["total": total, "currency": currency.rawValue, "items": items.map { $0.dictionary }]
        if let coupon { data["coupon"] = coupon }
        if let `default` { data["default"] = `default` }
        if let paidAt { data["paid_at"] = paidAt }
        if let extra { data["extra"] = extra }
        return await _tracker.track(eventName: "PURCHASE", attributes: data, metadata: metadata, messageId: messageId)
    }

    /// Tracks "Signed Up".
    @discardableResult
    public func signedUp(plan: PlannedEvents.SignedUpPlan, invitedBy: String?, seats: Int? = nil, tags: [PlannedEvents.SignedUpTag]? = nil, referrer: PlannedEvents.SignedUpReferrer? = nil, metadata: [String: Any]? = nil, messageId: CallerKey? = nil) async -> TrackOutcome {
        var data: [String: Any] = ["plan": plan.rawValue, "invited_by": invitedBy as Any]
        if let seats { data["seats"] = seats }
        if let tags { data["tags"] = tags.map { $0.rawValue } }
        if let referrer { data["referrer"] = referrer.dictionary }
        return await _tracker.track(eventName: "Signed Up", attributes: data, metadata: metadata, messageId: messageId)
    }

    /// Tracks "LOGOUT".
    @discardableResult
    public func logout(metadata: [String: Any]? = nil, messageId: CallerKey? = nil) async -> TrackOutcome {
        let data: [String: Any] = [:]
        return await _tracker.track(eventName: "LOGOUT", attributes: data, metadata: metadata, messageId: messageId)
    }

    /// Tracks "SEARCH".
    @discardableResult
    public func search(data: [String: Any]? = nil, metadata: [String: Any]? = nil, messageId: CallerKey? = nil) async -> TrackOutcome {
        return await _tracker.track(eventName: "SEARCH", attributes: data, metadata: metadata, messageId: messageId)
    }

    /// A product is shown.
    @discardableResult
    public func screenProduct(sku: String, from: PlannedEvents.ScreenProductFrom? = nil, messageId: CallerKey? = nil) async -> TrackOutcome {
        var data: [String: Any] = ["sku": sku]
        if let from { data["from"] = from.rawValue }
        return await _tracker.screen(name: "Product", properties: data, messageId: messageId)
    }

    /// Says that the screen "Home" is shown.
    @discardableResult
    public func screenHome(messageId: CallerKey? = nil) async -> TrackOutcome {
        let data: [String: Any] = [:]
        return await _tracker.screen(name: "Home", properties: data, messageId: messageId)
    }

    /// Who buys here.
    @discardableResult
    public func identify(userId: some IDValue, email: String, plan: PlannedEvents.IdentifyPlan, name: String? = nil, birthday: String? = nil, messageId: CallerKey? = nil) async -> TrackOutcome {
        var data: [String: Any] = ["email": email, "plan": plan.rawValue]
        if let name { data["name"] = name }
        if let birthday { data["birthday"] = birthday }
        return await _tracker.identify(userId: userId, profileData: data, messageId: messageId)
    }

    /// What `PURCHASE.currency` can be.
    public enum PurchaseCurrency: String, Sendable {
        case eur = "EUR"
        case usd = "USD"
        case gbp = "GBP"
    }

    /// `PURCHASE.item`.
    public struct PurchaseItem: Sendable {
        public var sku: String
        public var price: Double
        public var quantity: Int?
        public var gift: Bool?

        public init(sku: String, price: Double, quantity: Int? = nil, gift: Bool? = nil) {
            self.sku = sku
            self.price = price
            self.quantity = quantity
            self.gift = gift
        }

        var dictionary: [String: Any] {
            var data: [String: Any] = ["sku": sku, "price": price]
            if let quantity { data["quantity"] = quantity }
            if let gift { data["gift"] = gift }
            return data
        }
    }

    /// What `Signed Up.plan` can be.
    public enum SignedUpPlan: String, Sendable {
        case free = "free"
        case pro = "pro"
    }

    /// What `Signed Up.tag` can be.
    public enum SignedUpTag: String, Sendable {
        case new = "new"
        case `class` = "class"
    }

    /// `Signed Up.referrer`.
    public struct SignedUpReferrer: Sendable {
        public var campaign: String?

        public init(campaign: String? = nil) {
            self.campaign = campaign
        }

        var dictionary: [String: Any] {
            var data: [String: Any] = [:]
            if let campaign { data["campaign"] = campaign }
            return data
        }
    }

    /// What `screen.Product.from` can be.
    public enum ScreenProductFrom: String, Sendable {
        case search = "search"
        case link = "link"
    }

    /// What `identify.plan` can be.
    public enum IdentifyPlan: String, Sendable {
        case free = "free"
        case pro = "pro"
    }
}

/// The events of the plan, one function each, for an `AnalyticsClient`.
public struct PlannedAnalyticsEvents: Sendable {
    private let _analytics: any AnalyticsInterface

    /// Gives the functions that track with this client.
    public init(_ analytics: any AnalyticsInterface) {
        _analytics = analytics
    }

    /// An order was paid.
    ///
    /// - Parameters:
    ///   - default: Whether it went to the default address.
    @discardableResult
    public func purchase(total: Double, currency: PlannedEvents.PurchaseCurrency, items: [PlannedEvents.PurchaseItem], coupon: String? = nil, `default`: Bool? = nil, paidAt: Date? = nil, extra: JSONValue? = nil, options: CallOptions? = nil, messageId: CallerKey? = nil) -> CallReceipt {
        var data: [String: Any] = ["total": total, "currency": currency.rawValue, "items": items.map { $0.dictionary }]
        if let coupon { data["coupon"] = coupon }
        if let `default` { data["default"] = `default` }
        if let paidAt { data["paid_at"] = paidAt }
        if let extra { data["extra"] = extra }
        return _analytics.track("PURCHASE", properties: data, options: options, messageId: messageId)
    }

    /// Tracks "Signed Up".
    @discardableResult
    public func signedUp(plan: PlannedEvents.SignedUpPlan, invitedBy: String?, seats: Int? = nil, tags: [PlannedEvents.SignedUpTag]? = nil, referrer: PlannedEvents.SignedUpReferrer? = nil, options: CallOptions? = nil, messageId: CallerKey? = nil) -> CallReceipt {
        var data: [String: Any] = ["plan": plan.rawValue, "invited_by": invitedBy as Any]
        if let seats { data["seats"] = seats }
        if let tags { data["tags"] = tags.map { $0.rawValue } }
        if let referrer { data["referrer"] = referrer.dictionary }
        return _analytics.track("Signed Up", properties: data, options: options, messageId: messageId)
    }

    /// Tracks "LOGOUT".
    @discardableResult
    public func logout(options: CallOptions? = nil, messageId: CallerKey? = nil) -> CallReceipt {
        let data: [String: Any] = [:]
        return _analytics.track("LOGOUT", properties: data, options: options, messageId: messageId)
    }

    /// Tracks "SEARCH".
    @discardableResult
    public func search(data: [String: Any]? = nil, options: CallOptions? = nil, messageId: CallerKey? = nil) -> CallReceipt {
        return _analytics.track("SEARCH", properties: data, options: options, messageId: messageId)
    }

    /// A product is shown.
    @discardableResult
    public func screenProduct(sku: String, from: PlannedEvents.ScreenProductFrom? = nil, options: CallOptions? = nil, messageId: CallerKey? = nil) -> CallReceipt {
        var data: [String: Any] = ["sku": sku]
        if let from { data["from"] = from.rawValue }
        return _analytics.screen("Product", properties: data, options: options, messageId: messageId)
    }

    /// Says that the screen "Home" is shown.
    @discardableResult
    public func screenHome(options: CallOptions? = nil, messageId: CallerKey? = nil) -> CallReceipt {
        let data: [String: Any] = [:]
        return _analytics.screen("Home", properties: data, options: options, messageId: messageId)
    }

    /// Who buys here.
    @discardableResult
    public func identify(userId: some IDValue, email: String, plan: PlannedEvents.IdentifyPlan, name: String? = nil, birthday: String? = nil, options: CallOptions? = nil, messageId: CallerKey? = nil) -> CallReceipt {
        var data: [String: Any] = ["email": email, "plan": plan.rawValue]
        if let name { data["name"] = name }
        if let birthday { data["birthday"] = birthday }
        return _analytics.identify(userId, traits: data, options: options, messageId: messageId)
    }

    /// Says which group the user belongs to.
    @discardableResult
    public func group(groupId: some IDValue, seats: Int, name: String? = nil, options: CallOptions? = nil, messageId: CallerKey? = nil) -> CallReceipt {
        var data: [String: Any] = ["seats": seats]
        if let name { data["name"] = name }
        return _analytics.group(groupId, traits: data, options: options, messageId: messageId)
    }
}
