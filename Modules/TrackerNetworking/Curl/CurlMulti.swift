import CCurl

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
