/// An id in the options of a call: what was left out is not what was given as `nil`.
///
/// Who writes `CallOptions(userId: user?.id)` means that user. Without one, the call is about nobody that is known, and
/// not about the user whom the client knows.
public enum IDOption: Hashable, Sendable, IDGiven {
    /// Nothing: the client's own id holds.
    case leftOut
    /// An id, or `nil`, for which the call is dropped.
    case given(String?)

    /// The option itself.
    public var idOption: IDOption { self }

    /// The id, if there is one.
    package var text: String? { if case .given(let text) = self { text } else { nil } }
}
