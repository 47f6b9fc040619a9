import JSONRPC

extension BridgedMethod {
    /// Every method, in the order in which they are shown: the only list there is.
    package static let all = tracker + trackerState + analytics + basic + host
}

/// Where a session finds its methods.
enum BridgeMethods {
    /// Every method by its name.
    static let table = MethodTable(BridgedMethod.all.map(\.method))

    /// The names of those that must wait for questions that were asked before.
    static let changingAnswers = Set(BridgedMethod.all.filter(\.changesAnswers).map(\.method.name))
}
