import TrackerJSON

/// Every method that can be called, and where each is.
package struct MethodTable<Context: Sendable>: Sendable {
    /// The methods, in the order in which they are to be shown.
    package let methods: [Method<Context>]
    private let places: [String: Int]

    /// - Parameter methods: The rows. Their names differ.
    package init(_ methods: [Method<Context>]) {
        self.methods = methods
        places = Dictionary(methods.enumerated().map { ($1.name, $0) }) { first, _ in first }
        assert(places.count == methods.count, "Two methods have the same name.")
    }

    package subscript(name: String) -> Method<Context>? {
        places[name].map { methods[$0] }
    }

    /// - Parameters:
    ///   - request: What is asked for.
    ///   - context: What the methods work on.
    ///   - reply: Answers the call; with METHOD_NOT_FOUND, naming the nearest, if there is no such method.
    package func call(_ request: Request, on context: Context, reply: Reply) {
        guard let place = places[request.method] else {
            // A notification is not answered, so nobody reads what it should have been called.
            let nearest =
                reply.isAwaited ? SpellingSuggestion.nearest(to: request.method, among: methods.lazy.map(\.name)) : nil
            return reply.fail(with: .methodNotFound(request.method, nearest: nearest))
        }
        methods[place].call(context, request.params, reply)
    }
}
