import Dispatch

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#else
    import Darwin
#endif

/// The signals that other processes send to this one.
public enum ProcessSignals {
    /// Turns signals into calls, as long as the process lives.
    ///
    /// To be called once, on the first thread and before it makes others: these inherit that the signals wait. None is
    /// lost, however early it comes. The calls are made on a thread of their own, where, unlike in a signal handler,
    /// everything is allowed.
    ///
    /// - Parameters:
    ///   - signals: Numbers such as `SIGTERM`. Their usual effect on the process is gone from now on.
    ///   - action: Is called with the number of each that comes.
    public static func watch(_ signals: [Int32], action: @escaping @Sendable (Int32) -> Void) {
        var set = sigset_t()
        unsafe sigemptyset(&set)
        for signal in signals { unsafe sigaddset(&set, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
        DispatchQueue(label: "JSONRPC.signals").async { [set] in
            var set = set
            unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
            var signal: Int32 = 0
            while unsafe sigwait(&set, &signal) == 0 { action(signal) }
        }
    }
}
