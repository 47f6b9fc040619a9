/// Who made a call, and hears what became of it.
package struct Caller: Sendable {
    /// `nil`: nobody.
    package let receiver: (any CallReceiver)?
    /// The receiver's number for the call.
    package let call: Int

    package init(_ receiver: any CallReceiver, call: Int = 0) {
        self.receiver = receiver
        self.call = call
    }

    package init(_ body: @escaping @Sendable (CallAnswer) -> Void) { self.init(CallCompletion(body)) }

    private init() { (receiver, call) = (nil, 0) }

    package static let nobody = Caller()

    package func receive(_ answer: CallAnswer) { receiver?.receive(answer, of: call) }
}

/// A function that is called with what became of one call.
private final class CallCompletion: CallReceiver {
    private let body: @Sendable (CallAnswer) -> Void

    init(_ body: @escaping @Sendable (CallAnswer) -> Void) { self.body = body }

    func receive(_ answer: CallAnswer, of _: Int) { body(answer) }
}
