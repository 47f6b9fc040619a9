package import JSONRPC
import TrackerCore
import TrackerModels

/// One row of the bridge's table: a method, and an example of calling it.
package struct BridgedMethod: Sendable {
    package let method: Method<HostSession>
    /// Params by position, as JSON.
    package let example: String
    /// Whether it waits until earlier queries are answered, since it changes their answers.
    let changesAnswers: Bool

    /// A method.
    init(
        _ name: String, _ parameters: [Parameter], takesAnyParams: Bool = false, result: String = "Empty",
        errors: [TrackerError.Code] = [], changesAnswers: Bool = false, _ summary: String, example: String = "[]",
        body: @escaping Method<HostSession>.Body
    ) {
        method = Method(
            name, parameters, takesAnyParams: takesAnyParams, result: result, errors: errors.map(\.rawValue),
            summary: summary, body: body
        )
        self.example = example
        self.changesAnswers = changesAnswers
    }

    init(_ method: Method<HostSession>, example: String, changesAnswers: Bool) {
        self.method = method
        self.example = example
        self.changesAnswers = changesAnswers
    }
}

extension BridgedMethod {
    /// Every method, in the order in which they are shown: the only list there is.
    package static let all = tracker + trackerState + analytics + basic + host
}

/// Where a session finds its methods.
enum BridgeMethods {
    /// Every method by its name.
    static let table = MethodTable(BridgedMethod.all.map(\.method))

    /// The names of the methods that wait for earlier queries.
    static let changingAnswers = Set(BridgedMethod.all.filter(\.changesAnswers).map(\.method.name))
}
