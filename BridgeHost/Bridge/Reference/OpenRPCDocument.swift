package import JSONRPC
import TrackerModels

/// The method table as an OpenRPC document: https://spec.open-rpc.org.
enum OpenRPCDocument {
    /// The document as text, made once.
    static let text = JSONText(tree: document)

    static var document: JSONObject {
        [
            "openrpc": "1.3.2",
            "info": [
                "title": "MobileTracker bridge",
                "version": .string(ProductVersion.current),
                "description": .string(description),
                "license": ["name": "MIT"],
            ],
            "methods": .array(BridgedMethod.all.map { .object(method($0)) }),
            "components": [
                "schemas": .object(JSONObject(NamedSchema.all.map { ($0.name, .object(schema($0))) })),
                "errors": .object(JSONObject(ErrorReference.all.map { ($0.code, .object(error($0))) })),
            ],
        ]
    }

    private static let description =
        "JSON-RPC 2.0 over standard input and output. Params are given by position or by name; a param that is null is "
        + "absent. Every result is an object. The host also sends the notifications log, diagnostic, session and credentials."

    private static func method(_ row: BridgedMethod) -> JSONObject {
        let method = row.method
        let errors = method.errors + ["INVALID_PARAMS"]
        return [
            "name": .string(method.name),
            "summary": .string(method.summary),
            "paramStructure": "either",
            "params": .array(method.parameters.map { .object(parameter($0)) }),
            "result": ["name": .string(method.result), "schema": reference(to: method.result)],
            "errors": .array(errors.map { ["$ref": .string("#/components/errors/\($0)")] }),
            "examples": [.object(example(row))],
        ]
    }

    private static func parameter(_ parameter: Parameter) -> JSONObject {
        let summary = parameter.summary + (parameter.isNamedOnly ? " By name alone." : "")
        return [
            "name": .string(parameter.name),
            "summary": .string(summary),
            "required": .bool(parameter.isRequired),
            "schema": .object(parameter.described.json),
        ]
    }

    private static func example(_ row: BridgedMethod) -> JSONObject {
        let method = row.method
        let params = zip(method.parameters, row.exampleParams).map { parameter, value in
            JSONValue.object(["name": .string(parameter.name), "value": JSONValue(value)])
        }
        let result: JSONObject = ["name": .string(method.result), "value": JSONValue(row.exampleResult)]
        return ["name": .string(method.name), "params": .array(params), "result": .object(result)]
    }

    private static func schema(_ named: NamedSchema) -> JSONObject {
        var json = named.schema.json
        json["title"] = .string(named.name)
        json["description"] = .string(named.summary)
        json["examples"] = [JSONValue(named.exampleText)]
        return json
    }

    private static func error(_ error: ErrorReference) -> JSONObject {
        [
            "code": JSONValue(error.number),
            "message": .string(error.summary),
            "data": ["code": .string(error.code)],
        ]
    }

    private static func reference(to schema: String) -> JSONValue { .object(Schema.reference(schema).json) }
}

extension BridgedMethod {
    /// The example's params, in the order of the parameters.
    var exampleParams: [JSONText] { JSONText(literal: example).elements }

    /// What the example is answered with.
    var exampleResult: JSONText { NamedSchema.named(method.result)?.exampleText ?? .emptyObject }
}

extension NamedSchema {
    var exampleText: JSONText { JSONText(literal: example) }
}

extension JSONText {
    /// JSON that stands in this module's sources; a slip there gives `null`, which the tests of the examples see.
    init(literal: String) {
        self = (try? JSONText(validating: literal)) ?? .null
    }
}

extension Parameter {
    /// What its value may be.
    package var described: Schema {
        if let schema { return .reference(schema) }
        return switch kind {
        case .string: .string
        case .id: .reference("Id")
        case .number: .number
        case .integer: .integer
        case .boolean: .boolean
        case .object: .reference("Properties")
        case .array: .array(of: .anything)
        }
    }
}
