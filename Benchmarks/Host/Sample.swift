/// A call of a usual size.
enum Sample {
    static let params = #"""
        ["PURCHASE",{"total":149.99,"currency":"EUR","items":[{"sku":"A-1","qty":2,"name":"Käse"},{"sku":"B-22","qty":1}],\#
        "gift":true,"note":null},{"flow_id":"checkout_v2","session_number":17,"screen":"Übersicht","locale":"de-AT"}]
        """#
    /// As a line for the host.
    static let line = HostClient.line("track", params)
}
