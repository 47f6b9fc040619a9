import TrackerPlatform

/// A call of the system that has failed.
package struct SystemError: Error, Hashable, Sendable {
    package let call: String
    /// The system's number for the reason.
    package let number: Int32

    /// Takes the number of the call that has just failed on this thread.
    package init(_ call: String) {
        self.call = call
        number = errno
    }

    /// The system's sentence.
    package var message: String { unsafe "\(call): \(String(cString: strerror(number)))" }
}
