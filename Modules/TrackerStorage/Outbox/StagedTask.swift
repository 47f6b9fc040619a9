/// A task that is no record of its own, and its completion. A class, since it is handed on often and copied never.
final class StagedTask: Sendable {
    /// About how many bytes a task adds to a transaction besides a body.
    static let weight = 256

    let task: WriterTask
    let completion: @Sendable (ChangeResult) -> Void
    /// How many records it adds to the queue, unless they are refused.
    let records: Int
    /// Whether the next process to deliver the lane must find the task done.
    let guidesDelivery: Bool
    /// How many sequence numbers it may give.
    let numbers: Int
    /// Whether it must outlive a loss of power, even if the configuration does not ask for that, and counts only with
    /// its backup.
    let isLasting: Bool

    var weight: Int { Self.weight }

    init(task: WriterTask, completion: @escaping @Sendable (ChangeResult) -> Void = { _ in }) {
        self.task = task
        self.completion = completion
        records = task.records
        guidesDelivery = task.guidesDelivery
        numbers = task.numbers
        isLasting = task.isLasting
    }
}
