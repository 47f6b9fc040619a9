import TrackerJSON
import TrackerModels

/// The best of five rounds of `count` repetitions, printed as repetitions a second.
func measure(_ name: String, count: Int, _ body: () throws -> Void) rethrows {
    try body()
    var best = Duration.seconds(3600)
    for _ in 0..<5 {
        let time = try ContinuousClock().measure { for _ in 0..<count { try body() } }
        best = min(best, time)
    }
    let nanoseconds = best / .nanoseconds(count)
    print("\(name): \(Int(1e9 / nanoseconds)) a second, \(Int(nanoseconds)) ns each")
}

/// A call as a host receives it, of a usual size.
let message = Array(
    #"""
    {"jsonrpc":"2.0","id":12345,"method":"track","params":["PURCHASE \"x\"",{"total":149.99,"currency":"EUR",\#
    "items":[{"sku":"A-1","qty":2,"name":"Käse \u00e9"},{"sku":"B-22","qty":1}],"gift":true,"note":null},\#
    {"flow_id":"checkout_v2","session_number":17,"screen":"Übersicht","locale":"de-AT","tz":"Europe/Vienna"}]}
    """#.utf8
)
print("one message of \(message.count) bytes")

var scanner = JSONScanner(maxDepth: JSONText.maxDepthCeiling)
try measure("scan, keeping an outline", count: 200_000) { try scanner.scan(message) }
try measure("validate into a text", count: 200_000) { _ = try JSONText(validating: message) }
try measure("scan, then take out the params", count: 200_000) {
    try scanner.scan(message)
    let outline = scanner.outline
    guard let params = outline.member("params", of: 0, in: message) else { return }
    for index in outline.items.indices where outline.items[index].parent == params {
        _ = try outline.text(at: index, in: message)
    }
}

let text = try JSONText(validating: message)
let tree = JSONValue(text)
measure("read a tree", count: 50_000) { _ = JSONValue(text) }
try measure("write a tree", count: 50_000) { _ = try JSONText(tree) }

let params = text.value(forKey: "params")?.elements ?? []
let session = try JSONText(["theme": "dark", "flow_id": "none"])
measure("merge three objects", count: 200_000) { _ = JSONText.merging([session] + params.dropFirst()) }
measure("write an object with a writer", count: 200_000) {
    var writer = JSONObjectWriter()
    writer.append("brand_id", 925)
    writer.append("session_id", "0e2f1c7a-4c1b-4b8e-9a63-0d7d9f1c2b3a")
    writer.append("event_name", "PURCHASE")
    writer.append("data", session)
    _ = writer.finish()
}

let dictionary: [String: Any] = [
    "total": 149.99, "currency": "EUR", "gift": true, "items": [["sku": "A-1", "qty": 2]],
]
try measure("write a dictionary of any values", count: 50_000) { _ = try JSONText(bridging: dictionary) }

// What a call costs more if its client has a plan: of 50 events, and the one that is judged is like most.
let schema: JSONValue = [
    "type": "object",
    "properties": [
        "total": ["type": "number", "minimum": 0], "currency": ["enum": ["EUR", "USD", "GBP"]],
        "items": [
            "type": "array", "minItems": 1,
            "items": [
                "type": "object",
                "properties": ["sku": ["type": "string", "minLength": 1], "qty": ["type": "integer"]],
                "required": ["sku"],
            ],
        ],
        "gift": ["type": "boolean"], "note": ["type": ["string", "null"]],
    ],
    "required": ["total", "currency", "items"], "additionalProperties": false,
]
let events = JSONObject((0..<50).map { ("EVENT_\($0)", ["data": schema]) })
let plan = try TrackingPlan(try JSONText(["events": .object(events)]))
let data = try JSONText([
    "total": 149.99, "currency": "EUR", "items": [["sku": "A-1", "qty": 2], ["sku": "B-22", "qty": 1]], "gift": true,
    "note": nil,
])
measure("judge an event of \(data.byteCount) bytes by a plan of 50", count: 50_000) {
    _ = plan.reasons(against: "EVENT_25", data)
}
