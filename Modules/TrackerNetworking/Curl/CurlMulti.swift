import CCurl
import Synchronization
import TrackerPlatform

/// One libcurl multi handle: the connections and what is in flight on them.
///
/// It belongs to the thread that drives it. Other threads may hold it, and wake that thread with ``wake()``. It is
/// cleaned up when the last holder releases it, so that ``wake()`` always has a handle.
@safe final class CurlMulti: Sendable {
    private let multi: tracker_curl_multi
    /// The sockets of its connections. libcurl closes the last of them when the handle is cleaned up.
    let sockets = OpenSockets()

    /// Sets up a multi handle. libcurl must be loaded.
    ///
    /// - Returns: `nil` if libcurl has no memory, or no descriptors for waking the thread.
    init?() {
        guard let handle = unsafe WakeDescriptors.closedOnExec({ unsafe tracker_curl_multi_init() })
        else { return nil }
        // Without descriptors libcurl makes a handle all the same, which no thread could ever wake.
        guard unsafe tracker_curl_multi_wakeup(handle) == CURLM_OK else {
            unsafe tracker_curl_multi_cleanup(handle)
            return nil
        }
        unsafe tracker_curl_multi_poll(handle, 0)
        unsafe multi = tracker_curl_multi(handle: handle)
    }

    deinit { unsafe tracker_curl_multi_cleanup(multi.handle) }

    /// Ends a wait in ``poll(milliseconds:)``, or the next one.
    ///
    /// From any thread.
    func wake() { unsafe tracker_curl_multi_wakeup(multi.handle) }

    /// Adds a handle, and begins its transfer.
    func add(_ handle: borrowing CurlHandle) -> CURLMcode {
        unsafe tracker_curl_multi_add_handle(multi.handle, handle.raw)
    }

    /// Removes a handle, finished or not.
    func remove(_ handle: borrowing CurlHandle) { unsafe tracker_curl_multi_remove_handle(multi.handle, handle.raw) }

    /// Moves all transfers on as far as they go without waiting.
    func perform() {
        var running: Int32 = 0
        unsafe tracker_curl_multi_perform(multi.handle, &running)
    }

    /// Waits for the network, for ``wake()``, or for the time to pass.
    func poll(milliseconds: Int32) {
        unsafe tracker_curl_multi_poll(multi.handle, milliseconds)
    }

    /// A transfer that has ended since the last call, and how; `nil` if there is no other.
    func nextDone() -> (transfer: CurlTransfer, code: CURLcode)? {
        var queued: Int32 = 0
        while let message = unsafe tracker_curl_multi_info_read(multi.handle, &queued) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle,
                let transfer = unsafe CurlTransfer.of(easy)
            else { continue }
            return (transfer, unsafe message.pointee.data.result)
        }
        return nil
    }
}

/// Keeps child processes from inheriting the descriptors that wake a multi handle.
///
/// libcurl makes them itself, inheritable, and does not say which they are.
enum WakeDescriptors {
    /// Keeps loops that start at once from taking each other's descriptors for their own.
    private static let turn = Mutex(())

    /// Runs `make`, and has what it opened closed on exec.
    ///
    /// Another thread may open descriptors meanwhile. Its own are left alone unless they look like libcurl's: a socket,
    /// pipe or event counter that does not block, and that a child would inherit.
    static func closedOnExec<Made>(_ make: () -> Made) -> Made {
        turn.withLock { _ in
            // If they cannot be listed, none is known to be new.
            let before = open().map { Set($0) }
            defer {
                if let before, let after = open() {
                    for descriptor in after where !before.contains(descriptor) && isOfWaking(descriptor) {
                        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                    }
                }
            }
            return make()
        }
    }

    private static func isOfWaking(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return false }
        let kind = status.st_mode & S_IFMT
        return (kind == S_IFSOCK || kind == S_IFIFO || kind == 0) && fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0
            && fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0
    }

    /// The descriptors that are open now; `nil` if the system does not list them.
    private static func open() -> [Int32]? {
        #if canImport(Darwin)
            let path = "/dev/fd"
        #else
            let path = "/proc/self/fd"
        #endif
        guard let folder = unsafe opendir(path) else { return nil }
        defer { unsafe closedir(folder) }
        // It is closed on return, and libcurl may get its number next.
        let own = unsafe dirfd(folder)
        var descriptors: [Int32] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                unsafe $0.withMemoryRebound(to: CChar.self, capacity: 1) { unsafe String(cString: $0) }
            }
            if let descriptor = Int32(name), descriptor != own { descriptors.append(descriptor) }
        }
        return descriptors
    }
}
