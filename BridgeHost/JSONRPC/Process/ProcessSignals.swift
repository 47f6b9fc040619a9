import Dispatch
import TrackerPlatform

/// The signals that other processes send to this one.
package enum ProcessSignals {
    /// Turns signals into calls, as long as the process lives.
    ///
    /// Call it once, on the first thread, before other threads are started: they inherit that these signals are
    /// blocked. So no signal is lost, however early it comes. `action` runs on a thread of its own, where, unlike in a
    /// signal handler, everything is allowed.
    ///
    /// - Parameters:
    ///   - signals: Numbers such as `SIGTERM`. From now on they no longer have their usual effect.
    ///   - action: Called with the number of each signal.
    package static func watch(_ signals: [Int32], action: @escaping @Sendable (Int32) -> Void) {
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
