import TrackerModels

/// What an answer says beyond its status.
enum FormAnswer: Hashable, Sendable {
    /// It counts as one of this class, whatever its status.
    case kind(SortedAnswer.Kind)
    /// The request may go again, not before that time has passed.
    case retry(floor: Duration)
    /// It names the places of the events that can never be delivered, from 0.
    case refused(Set<Int>, others: Verdict.Others)
}
