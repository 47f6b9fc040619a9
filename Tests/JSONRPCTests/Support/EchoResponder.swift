import JSONRPC
import TrackerJSON

/// Answers the calls of the examples in the JSON-RPC 2.0 specification, and `echo` with its params.
struct EchoResponder: Responder {
    func respond(to request: Request, reply: Reply) {
        Self.table.call(request, on: (), reply: reply)
    }

    static let table = MethodTable<Void>([
        Method("echo", takesAnyParams: true) { _, arguments, reply in
            reply.succeed(with: arguments.text ?? .null)
        },
        Method("subtract", [.required("minuend", .number), .required("subtrahend", .number)]) { _, arguments, reply in
            reply.succeed(with: number((arguments.integer(0) ?? 0) - (arguments.integer(1) ?? 0)))
        },
        Method("sum", takesAnyParams: true) { _, arguments, reply in
            reply.succeed(with: number((arguments.text?.elements ?? []).reduce(0) { $0 + ($1.intValue ?? 0) }))
        },
        Method("update", takesAnyParams: true) { _, _, reply in reply.succeed(with: .null) },
        Method("notify_hello", takesAnyParams: true) { _, _, reply in reply.succeed(with: .null) },
        Method("notify_sum", takesAnyParams: true) { _, _, reply in reply.succeed(with: .null) },
        Method("get_data") { _, _, reply in
            reply.succeed(with: JSONText(elements: [JSONText("hello"), number(5)]))
        },
        Method("forget", takesAnyParams: true) { _, _, _ in },
    ])

    private static func number(_ value: Int64) -> JSONText { JSONText(accepted: Array("\(value)".utf8)) }
}
