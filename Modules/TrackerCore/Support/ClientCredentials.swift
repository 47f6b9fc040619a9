public import TrackerModels

extension MobileTracker {
    /// Changes the key, the headers or both. They are used from the next request on, without another `initialize`; a halt
    /// of delivery ends at once.
    ///
    /// Nothing of them is stored or logged. Before `initialize` they are kept in memory, and the next `initialize` goes
    /// on with them instead of its own. A later `initialize` that is not ignored brings its own again.
    ///
    /// - Throws: ``TrackerError`` with the code `invalidConfiguration`, if they cannot be sent or there are none, or for a
    ///   key where ``DeliveryOptions/keyFile`` gives it.
    public func setCredentials(_ credentials: Credentials) throws(TrackerError) {
        try control.setCredentials(credentials)
    }
}

extension AnalyticsClient {
    /// Changes the key, the headers or both, as ``MobileTracker/setCredentials(_:)`` does. The queue stays the one of the
    /// key that the client was initialised with.
    public func setCredentials(_ credentials: Credentials) throws(TrackerError) {
        try control.setCredentials(credentials)
    }
}

extension BasicTracker {
    /// Changes the key, the headers or both, as ``MobileTracker/setCredentials(_:)`` does.
    public func setCredentials(_ credentials: Credentials) throws(TrackerError) {
        try control.setCredentials(credentials)
    }
}
