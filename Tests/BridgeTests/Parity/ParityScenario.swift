import Testing
import TrackerCore
import TrackerModels

/// A story in steps.
struct ParityScenario: Sendable, CustomTestStringConvertible {
    let name: String
    let steps: [ParityStep]

    var testDescription: String { name }

    private init(_ name: String, _ steps: [ParityStep]) {
        self.name = name
        self.steps = steps
    }

    private static let start = ParityStep.initialize(brandId: "925") { _ in }

    static let all = [
        ParityScenario(
            "the main job",
            [
                start, .values,
                .track("PURCHASE", ["total": 149.99, "items": [["sku": "A"], nil]], ["flow": "v2"], nil),
                .settle, .debugInfo,
            ]),
        ParityScenario(
            "every call",
            [
                start, .identify("u/1 ?", ["name": "Ada", "extra": ["a": 1], "plan": nil]), .settle,
                .set(["email": "a@b.example", "user_id": "other"], nil), .setMetadata(["ab": "B"]),
                .track("A", nil, nil, nil), .screen("Home", ["url": "/"]), .screenDidAppear("Home", nil, nil),
                .screenDidAppear("Home", nil, nil), .screenDidAppear("Cart", "/cart", ["n": 2]),
                .location(LocationData(latitude: 1.5, longitude: -2, accuracy: 0)), .email("a@b.example"),
                .link("other-session"), .networkDidChange, .settle, .values, .debugInfo,
            ]),
        ParityScenario(
            "calls that are refused at once",
            [
                .track("EARLY", nil, nil, nil), start, .track(" ", nil, nil, nil), .identify("", nil),
                .screen("", nil), .location(LocationData(latitude: 91, longitude: 0, accuracy: 1)), .email("a b@c"),
                .link(""), .continueSession("https://a.example/?gt_session_id=x"), .settle, .debugInfo,
            ]),
        ParityScenario(
            "bad arguments of initialize",
            [
                .initialize(brandId: "") { _ in }, .initialize(brandId: "x") { _ in },
                .initialize(brandId: "1") { $0.apiUrl = nil }, .initialize(brandId: "1") { $0.apiUrl = "ftp://a" },
                .initialize(brandId: "1") { $0.xApiKey = "" }, .initialize(brandId: "1") { $0.cookieExpiration = 0 },
                .initialize(brandId: "1") { $0.delivery.jitter = 2 },
                .initialize(brandId: "1") { $0.delivery.cooldown = .zero },
                .initialize(brandId: "1") { $0.initTimeout = .zero },
                .initialize(brandId: "1") { $0.apiUrl = "http://127.0.0.1:1" },
                .initialize(brandId: "1") { $0.delivery.storageDirectory = "/proc/none" }, .values, .debugInfo,
            ]),
        ParityScenario(
            "the same brand, spelled otherwise",
            [.initialize(brandId: "0925") { _ in }, .track("A", nil, nil, nil), .settle, .values, start, .values]),
        ParityScenario(
            "an initial screen, another device, a base path",
            [
                .initialize(brandId: "7") {
                    $0.initialScreen = .init(name: "Home", url: "app://home")
                    $0.device = .init(osName: "Windows", deviceType: "Tablet")
                    $0.apiUrl? += "/base/"
                }, .settle, .values,
            ]),
        ParityScenario(
            "message ids that are used twice",
            [
                start, .track("A", nil, nil, MessageID("order 1")), .track("B", nil, nil, MessageID("order 1")),
                .settle, .set(["name": "x"], MessageID("order 1")), .settle, .restart, start,
                .track("C", nil, nil, MessageID("order 1")), .settle, .values,
            ]),
        ParityScenario(
            "a user who leaves",
            [
                start, .identify("u1", nil), .email("a@b.example"), .settle, .values, .reset(all: false), .awaitSession,
                .values, .track("B", nil, nil, nil), .settle, .reset(all: true), .awaitSession,
                .values, start, .values,
                .track("C", nil, nil, nil), .settle, .debugInfo,
            ]),
        ParityScenario(
            "a user who decides",
            [
                .initialize(brandId: "1") { $0.consent = .pending }, .values, .track("A", nil, nil, nil), .settle,
                .consent(.denied, nil), .values, .track("B", nil, nil, nil), .consent(.granted, MessageID("c")),
                .awaitSession, .track("C", nil, nil, nil), .settle, .values, .restart,
                .initialize(brandId: "1") { $0.consent = .denied }, .values, .track("D", nil, nil, nil), .settle,
            ]),
        ParityScenario(
            "a decision before initialize",
            [.consent(.denied, nil), .values, start, .values, .track("A", nil, nil, nil), .settle, .debugInfo]),
        ParityScenario(
            "a server that refuses, fails and forgets",
            [
                start, .answers([.status(500), .status(422), .status(503), .status(404), .status(413)]),
                .track("A", nil, nil, nil), .settle, .track("B", nil, nil, nil), .settle,
                .track("C", nil, nil, nil), .settle, .values,
                .debugInfo,
            ]),
        ParityScenario(
            "credentials that are refused, then changed",
            [
                start, .answers([.status(401)]), .track("A", nil, nil, nil), .settle, .track("B", nil, nil, nil),
                .settle, .initialize(brandId: "925") { $0.xApiKey = "another-key" }, .settle, .values, .debugInfo,
            ]),
        ParityScenario(
            "a session that an answer names",
            [
                start, .answers([.session("other"), .status(200), .session("third")]), .identify("u1", ["name": "x"]),
                .email("a@b.example"), .track("A", nil, nil, nil), .settle, .values,
            ]),
        ParityScenario(
            "a session that is carried from site to site",
            [
                .initialize(brandId: "1") {
                    $0.crossSiteCookie = true
                    $0.cookieDomain = ".shop.example"
                }, .crossDomainURL("https://shop.example/a?b=c#d"), .crossDomainURL("https://b.shop.example:8080"),
                .crossDomainURL("https://else.example/"), .continueSession("https://shop.example/?gt_session_id=s%20x"),
                .continueSession("https://shop.example/"), .settle, .values,
            ]),
        ParityScenario(
            "long bodies, which are compressed, and one that is too long",
            [
                start, .track("LONG", ["text": .string(String(repeating: "lorem ipsum ", count: 1_000))], nil, nil),
                .track("HUGE", ["text": .string(String(repeating: "x", count: 600_000))], nil, nil), .settle,
                .debugInfo,
            ]),
        ParityScenario(
            "a second life",
            [
                start, .setMetadata(["ab": "B"]), .email("a@b.example"), .settle, .restart, start, .values,
                .track("A", nil, nil, nil), .settle, .debugInfo,
            ]),
        ParityScenario(
            "sessions in the background",
            [
                .initialize(brandId: "1") { $0.sessionCreation = .inBackground }, .awaitSession,
                .track("A", nil, nil, nil), .settle, .values,
            ]),
    ]
}
