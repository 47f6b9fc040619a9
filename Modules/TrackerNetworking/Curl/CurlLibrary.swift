import CCurl
import Dispatch
import Synchronization

/// libcurl, which is loaded and set up once for the process, when it is first needed.
///
/// Nothing links with it: with its own libraries it takes longer to load than a program to start.
package enum CurlLibrary {
    private static let isLoaded = Atomic(false)
    /// Loads one after the other. Loading takes milliseconds, and who waits for a `Mutex` spins as long as its owner runs.
    private static let loading = DispatchQueue(label: "tracker.libcurl")

    /// The version of libcurl; empty until it is loaded.
    package static var version: String {
        isLoaded.load(ordering: .acquiring) ? unsafe String(cString: tracker_curl_version()) : ""
    }

    /// Loads libcurl, unless it is loaded. The first to ask does it; the others wait.
    ///
    /// - Returns: Why it cannot be used, and what to do; `nil` if it can. A later call tries again.
    @discardableResult
    package static func load() -> String? {
        if isLoaded.load(ordering: .acquiring) { return nil }
        return loading.sync {
            if isLoaded.load(ordering: .relaxed) { return nil }
            if let reason = unsafe tracker_curl_load() {
                return "libcurl cannot be loaded: \(unsafe String(cString: reason)). Install libcurl 7.74 or newer: on "
                    + "Debian and Ubuntu with `apt-get install libcurl4`, on Fedora and RHEL with `dnf install libcurl`."
            }
            guard tracker_curl_global_init() == CURLE_OK else {
                return "libcurl could not be set up. It needs memory: try again when there is some."
            }
            isLoaded.store(true, ordering: .releasing)
            return nil
        }
    }
}
