import TrackerCore

struct Cart {
    var total: Double
}

func checkOut(_ cart: Cart, of userId: String, reportingTo analytics: any AnalyticsInterface) {
    analytics.track(
        "Order Completed", properties: ["total": JSONValue(cart.total)], options: CallOptions(userId: userId))
}
