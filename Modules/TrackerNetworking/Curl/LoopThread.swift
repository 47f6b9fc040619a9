import CCurl
import TrackerPlatform

/// A thread for work that blocks.
enum LoopThread {
    /// libcurl, TLS and what an engine does on its loop are content with this; the default is 8 MiB. Without optimisation a
    /// value of 128 levels takes 300 KiB to be written.
    #if DEBUG
        static let stackSize = 1 << 20
    #else
        static let stackSize = 256 * 1024
    #endif

    /// Its name in debuggers and in lists of threads, which else would be that of the thread that started it.
    static let name = "tracker.loop"

    /// What a thread does.
    ///
    /// The closure that it returns runs last, after everything that it held is released.
    typealias Body = @Sendable () -> [@Sendable () -> Void]

    private final class Start: Sendable {
        let body: Body
        init(_ body: @escaping Body) { self.body = body }
    }

    /// Starts a detached thread that runs `body` and ends.
    ///
    /// - Returns: `false` if the system has no thread to give.
    static func start(_ body: @escaping Body) -> Bool {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { unsafe attributes.deallocate() }
        guard unsafe pthread_attr_init(attributes) == 0 else { return false }
        defer { unsafe pthread_attr_destroy(attributes) }
        unsafe pthread_attr_setstacksize(attributes, stackSize)
        unsafe pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))

        let start = unsafe Unmanaged.passRetained(Start(body))
        #if canImport(Darwin)
            var thread: pthread_t?
            let failure = unsafe pthread_create(&thread, attributes, { LoopThread.run($0) }, start.toOpaque())
        #else
            var thread = pthread_t()
            let failure = unsafe pthread_create(&thread, attributes, { unsafe LoopThread.run($0) }, start.toOpaque())
        #endif
        guard failure == 0 else {
            unsafe start.release()
            return false
        }
        return true
    }

    private static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context = unsafe context else { return nil }
        unsafe tracker_name_thread(name)
        // A server that goes away must not end the process: writing to it fails instead.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        for work in unsafe finish(Unmanaged.fromOpaque(context)) { work() }
        return nil
    }

    /// Runs the body and releases it.
    private static func finish(_ start: Unmanaged<Start>) -> [@Sendable () -> Void] {
        defer { unsafe start.release() }
        return unsafe start._withUnsafeGuaranteedRef { $0.body() }
    }
}
