import TrackerCore

/// Tracks with the calls that `mobile-tracker plan types` made from a plan.
public func trackPlanned(with tracker: MobileTracker) async {
    let events = PlannedEvents(tracker)
    await events.purchase(
        total: 149.99, currency: .eur, items: [.init(sku: "A-1", price: 149.99, quantity: 1)], coupon: "SPRING")
    await events.signedUp(plan: .pro, invitedBy: nil, tags: [.new, .class], referrer: .init(campaign: "spring"))
    await events.logout()
    await events.search(data: ["words": "shoes"], messageId: "search-1")
    await events.screenHome()
    await events.screenProduct(sku: "A-1", from: .search, messageId: "view-1")
    await events.identify(userId: 17, email: "ada@example.com", plan: .pro, messageId: "user-1")
}

/// The same for many users.
public func trackPlanned(with analytics: AnalyticsClient, of user: String) {
    let events = PlannedAnalyticsEvents(analytics)
    events.signedUp(plan: .free, invitedBy: nil, options: CallOptions(userId: user))
    events.screenProduct(sku: "A-1", options: CallOptions(userId: user))
    events.identify(userId: user, email: "ada@example.com", plan: .free, options: CallOptions(groupId: "g-1"))
    events.group(groupId: "g-1", seats: 3, options: CallOptions(userId: user), messageId: "group-1")
}
