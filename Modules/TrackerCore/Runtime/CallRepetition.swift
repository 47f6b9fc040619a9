/// What became of a call that is made once more, since the process that had it died.
package enum CallRepetition: String, CaseIterable, Sendable {
    /// It may have taken effect. A reset ends in either case what it ends, which is set up again here.
    case unanswered
    /// It took effect. This process is brought to where the other one was, and nothing is written.
    case answered
}
