import Synchronization

/// What other threads ask of the server's loop.
final class ServerMailbox: Sendable {
    enum Command: Sendable {
        /// Look at a connection: there is room for its calls, or it is to stop, or all is answered.
        case look(Int)
        /// Write the rest once its socket has room.
        case awaitRoom(Int)
        case timer(Int, ContinuousClock.Instant, @Sendable () -> Void)
        case held(HeldBytes.Event)
        case stop(Duration)
    }

    private let commands = Mutex<[Command]>([])
    private let wake = WakePipe()

    /// Readable once there is a command.
    var descriptor: Int32 { wake.descriptor }

    func post(_ command: Command) {
        let isFirst = commands.withLock { commands in
            commands.append(command)
            return commands.count == 1
        }
        if isFirst { wake.wake() }
    }

    func take() -> [Command] {
        wake.reset()
        return commands.withLock { commands in
            defer { commands = [] }
            return commands
        }
    }
}
