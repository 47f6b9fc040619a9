package import TrackerModels

/// The session, device and user of a generation.
package struct GenerationEntry: Hashable, Sendable {
    /// The session its records are delivered to.
    package var session: SessionID?
    /// The device the session was made for.
    package var device: DeviceID?
    /// The user the session was last identified with.
    package var identifyID: UserID?

    package init(session: SessionID? = nil, device: DeviceID? = nil, identifyID: UserID? = nil) {
        self.session = session
        self.device = device
        self.identifyID = identifyID
    }
}
