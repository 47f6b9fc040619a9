/// Hears what became of calls, and tells them apart by numbers of its own.
///
/// Its methods are called from any thread, once for each call, and must not block.
package protocol CallReceiver: AnyObject, Sendable {
    func receive(_ answer: CallAnswer, of call: Int)

    /// Appends what the call is answered with if it is queued, so that later these bytes need only be passed on. If it
    /// appends nothing, ``receive(_:of:)`` is called in any case.
    func promise(_ id: MessageID, of call: Int, in bytes: inout [UInt8])

    /// Takes the promises of calls that were queued.
    ///
    /// - Parameters:
    ///   - promises: One after the other.
    ///   - calls: In the same order; `end` is where the promise of a call ends.
    func keep(_ promises: ArraySlice<UInt8>, of calls: [(number: Int, end: Int)])
}

extension CallReceiver {
    package func promise(_: MessageID, of _: Int, in _: inout [UInt8]) {}
    package func keep(_: ArraySlice<UInt8>, of _: [(number: Int, end: Int)]) {}
}
