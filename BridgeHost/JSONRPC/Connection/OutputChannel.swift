/// Writes what an output queue has, and wakes the thread that reads its connection.
protocol OutputChannel: Sendable {
    /// How much the thread that has it may take and write itself; 0: nothing.
    var directBytes: Int { get }

    /// Has the reading thread look again.
    func wakeReader()

    /// Begins to write. It is not called again before ``OutputQueue/takePending(leaving:)`` or
    /// ``OutputQueue/goesOnWriting()`` has said that there is nothing more.
    ///
    /// - Parameter first: What was taken already.
    func write(_ first: [UInt8]?, of queue: OutputQueue)
}
