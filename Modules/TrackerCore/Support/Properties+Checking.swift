import TrackerModels

extension Properties {
    /// The object as text.
    ///
    /// - Parameter call: What the log names: an event by its name.
    /// - Throws: `serialization` if JSON cannot hold it, with the way to the value.
    func checked(for call: String) throws(Refusal) -> JSONText {
        switch content {
        case .success(let text): return text
        case .failure(let error): throw Refusal(.serialization, "Dropped \(call): \(error)")
        }
    }
}

extension Refusal {
    /// A message id that is none.
    static func invalidMessageID(of call: String) -> Refusal {
        Refusal(
            .invalidValue,
            "Dropped \(call): a messageId is 1 to 128 printable ASCII characters without spaces at either end")
    }
}
