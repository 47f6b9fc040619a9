import Dispatch
import Synchronization

/// A thread's wait for an answer that comes on another one; for commands, whose thread has nothing else to do.
package enum ThreadWait {
    /// Calls something that answers later, and waits for that.
    package static func answer<Value: Sendable>(
        to call: (@escaping @Sendable (Value) -> Void) -> Void
    ) -> Value {
        let answer = Mutex<Value?>(nil)
        let isThere = DispatchSemaphore(value: 0)
        call { value in
            answer.withLock { $0 = value }
            isThere.signal()
        }
        while true {
            isThere.wait()
            if let value = answer.withLock({ $0 }) { return value }
        }
    }
}
