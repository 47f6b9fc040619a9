import JSONRPC
import TrackerModels

/// What `init` was called with, in any of its forms: a brand and a config by position or by name, or one object in the
/// form that the React Native package publishes.
struct InitArguments: Sendable {
    /// The brand as it was given; empty if it was not.
    let brandId: String
    /// The configuration, with the host's defaults.
    let config: TrackerConfig

    /// What `init` takes; the published form stands in the place of the brand.
    static let parameters: [Parameter] = [
        .required(
            "brandId", .string, "Your number at the backend: ASCII digits.", schema: "BrandIdOrReactNativeConfig",
            else: fault(inBrand: "").rpcError),
        .optional(
            "config", .object, "Where and how to deliver; `apiUrl` and `xApiKey` are required, or in the environment.",
            schema: "TrackerConfig", else: FieldCheck.fault("config", .wrongKind(.object)).rpcError,
            example: #"{"apiUrl": "https://api.example.com", "xApiKey": "key"}"#),
    ]

    /// Reads the params.
    ///
    /// - Parameters:
    ///   - arguments: The params, unchecked: a brand, a config.
    ///   - defaults: The configuration of one that names nothing.
    /// - Throws: INVALID_BRAND_ID, INVALID_CONFIGURATION, or INVALID_PARAMS naming the param.
    init(_ arguments: Arguments, defaults: TrackerConfig) throws(RPCError) {
        let form = try Form.read(arguments)
        brandId = form.brandId
        var config = defaults
        do throws(TrackerError) {
            if let object = form.config { try form.table.read(object, into: &config) }
        } catch {
            // The brand is looked at before the config.
            throw (BrandID(brandId) == nil ? Self.fault(inBrand: brandId) : error).rpcError
        }
        self.config = config
    }

    private static func fault(inBrand brandId: String) -> TrackerError {
        brandId.isEmpty ? TrackerError(.invalidBrandId, "Brand ID is required") : .invalidBrandId
    }
}

/// The form in which `init` is called, told apart by what comes first.
private struct Form {
    var brandId: String
    var config: JSONText?
    var table = TrackerFields.table

    static func read(_ arguments: Arguments) throws(RPCError) -> Form {
        let params = arguments.text
        switch params?.kind {
        case .array where params?.elements.count == 1 && arguments.value(0)?.kind == .object:
            return try published(arguments.value(0) ?? .emptyObject, arguments)
        case .object where !InitArguments.parameters.contains { params?[$0.name] != nil }:
            return try published(params ?? .emptyObject, arguments)
        default:
            let brand = params.flatMap { $0.kind == .array ? arguments.value(0) : $0["brandId"] }
            guard brand == nil || brand?.isNull == true || brand?.kind == .string else {
                throw arguments.fault(0, .wrongKind(.string, example: "\"925\""))
            }
            let checked = try Arguments(
                params.flatMap { Params($0) } ?? .none, for: "init", taking: InitArguments.parameters)
            return Form(brandId: try checked.string(0), config: checked.value(1))
        }
    }

    private static func published(_ object: JSONText, _ arguments: Arguments) throws(RPCError) -> Form {
        let brand = object["apiKey"] ?? .null
        guard brand.isNull || brand.kind == .string else {
            throw arguments.fault(0, named: "apiKey", .wrongKind(.string, example: "\"925\""))
        }
        // The published type has both names of the address: `endpoint` counts.
        let others = object["endpoint"]?.isNull == false ? ["apiKey", "api_url", "apiUrl"] : ["apiKey"]
        return Form(
            brandId: brand.stringValue ?? "", config: object.removing(others), table: TrackerFields.published)
    }
}
