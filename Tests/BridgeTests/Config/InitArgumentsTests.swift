import JSONRPC
import Testing
import TrackerModels

@testable import Bridge

@Suite("The params of init")
struct InitArgumentsTests {
    private func read(_ params: String?) throws -> InitArguments {
        let given = params.flatMap { Params(JSONText(literal: $0)) } ?? .none
        let arguments = try Arguments(unchecked: given, for: "init", taking: InitArguments.parameters)
        return try InitArguments(
            arguments, defaults: TrackerConfig(delivery: DeliveryOptions(storageDirectory: "/default")))
    }

    @Test(
        "mean the same in every form",
        arguments: [
            #"["925", {"apiUrl": "https://a", "xApiKey": "k", "debug": true}]"#,
            #"["925", {"api_url": "https://a", "x_api_key": "k", "debug": true}]"#,
            #"{"brandId": "925", "config": {"apiUrl": "https://a", "xApiKey": "k", "debug": true}}"#,
            #"{"apiKey": "925", "endpoint": "https://a", "x_api_key": "k", "debug": true}"#,
            #"[{"apiKey": "925", "endpoint": "https://a", "x_api_key": "k", "debug": true}]"#,
            #"[{"apiKey": "925", "endpoint": "https://a", "api_url": "https://b", "x_api_key": "k", "debug": true}]"#,
            #"{"api_url": "https://b", "apiKey": "925", "x_api_key": "k", "debug": true, "endpoint": "https://a"}"#,
            #"[{"apiKey": "925", "endpoint": null, "api_url": "https://a", "x_api_key": "k", "debug": true}]"#,
            #"[{"apiKey": "925", "apiUrl": "https://a", "xApiKey": "k", "debug": true}]"#,
            #"[{"apiKey": "925", "endpoint": "https://a", "x_api_key": "k", "debug": true, "cookieDomain": null}]"#,
        ])
    func forms(params: String) throws {
        let read = try read(params)

        #expect(read.brandId == "925")
        let delivery = DeliveryOptions(storageDirectory: "/default")
        #expect(read.config == TrackerConfig(debug: true, apiUrl: "https://a", xApiKey: "k", delivery: delivery))
    }

    @Test("leave the folder that a config names")
    func folder() throws {
        #expect(try read(#"["1", {"storageDirectory": "/own"}]"#).config.delivery.storageDirectory == "/own")
    }

    @Test(
        "are refused by what is wrong with them",
        arguments: [
            (nil, "INVALID_BRAND_ID"),
            ("[]", "INVALID_BRAND_ID"),
            ("[null]", "INVALID_BRAND_ID"),
            ("[null, {}]", "INVALID_BRAND_ID"),
            (#"{"config": {}}"#, "INVALID_BRAND_ID"),
            (#"{"brandId": null}"#, "INVALID_BRAND_ID"),
            (#"["x", {"nonsense": 1}]"#, "INVALID_BRAND_ID"),
            (#"["925", {"nonsense": 1}]"#, "INVALID_CONFIGURATION"),
            (#"{"apiKey": "925", "nonsense": 1}"#, "INVALID_CONFIGURATION"),
            (#"["925", {"endpoint": "https://a"}]"#, "INVALID_CONFIGURATION"),
            ("[925]", "INVALID_PARAMS"),
            (#"[{"apiKey": 925}]"#, "INVALID_PARAMS"),
            (#"["925", "config"]"#, "INVALID_PARAMS"),
            (#"["925", {}, 3]"#, "INVALID_PARAMS"),
            (#"[{"apiKey": "925"}, {}]"#, "INVALID_PARAMS"),
            (#"{"brandId": "925", "confg": {}}"#, "INVALID_PARAMS"),
        ] as [(String?, String)])
    func faults(params: String?, code: String) {
        let error = #expect(throws: RPCError.self) { try read(params) }

        #expect(error?.code == code)
    }

    @Test("leave a missing brand in the published form to the native API, which checks it first")
    func publishedWithoutBrand() throws {
        #expect(try read("{}").brandId.isEmpty)
        #expect(try read(#"[{"endpoint": "https://a"}]"#).brandId.isEmpty)
    }
}
