import TrackerModels

/// Something that a model wants done after what has happened.
enum ModelEffect<Given: Sendable>: Sendable {
    case report(Diagnostic)
    case call(Given)
    /// Ask for the device's place, and make a call of the answer.
    case locate(any LocationProvider, @Sendable (LocationData) -> Given)
    /// Send nothing by itself from now on, or again.
    case setInBackground(Bool)
    case makeDue(through: Int64)
}
