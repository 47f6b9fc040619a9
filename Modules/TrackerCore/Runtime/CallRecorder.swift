package import TrackerModels

/// Sees every call of a client, and what becomes of it: for the tests of a program.
package protocol CallRecorder: Sendable {
    /// Called before each call: initialises the client, unless somebody has done so.
    func prepare()

    /// Called when somebody initialises the client, or shuts it down.
    ///
    /// - Returns: Whether it only has what ``prepare()`` gave it: then it takes over everything that it is given.
    func takeInitialization() -> Bool

    /// Gives a call its place among those that are recorded.
    func begin(_ call: OutgoingCall) -> Int

    /// Why a valid call is refused all the same, if the test wants that.
    var refusal: RefusalReason? { get }

    /// Records what has become of a call.
    ///
    /// - Parameters:
    ///   - place: Its place.
    ///   - call: The call as the program's function has left it.
    func settle(_ place: Int, _ call: OutgoingCall, _ answer: CallAnswer)
}

/// The place of one call among those that are recorded.
struct RecorderPlace: Sendable {
    private let recorder: any CallRecorder
    private let place: Int

    init(_ recorder: any CallRecorder, _ call: some FilterableCall) {
        self.recorder = recorder
        recorder.prepare()
        place = recorder.begin(call.outgoing)
    }

    /// Has a call refused if the test wants that, and its answer recorded.
    ///
    /// - Returns: Who hears of the call instead.
    func record<Call>(_ seen: inout SeenCall<Call>, of call: Call, _ caller: Caller) -> Caller {
        if case .success = seen.checked, let reason = recorder.refusal { seen.checked = .failure(Refusal(reason)) }
        return Caller { [self, call = seen.changed ?? call] answer in
            settle(call, answer)
            caller.receive(answer)
        }
    }

    func settle(_ call: some FilterableCall, _ answer: CallAnswer) { recorder.settle(place, call.outgoing, answer) }
}
