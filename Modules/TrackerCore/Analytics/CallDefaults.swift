import TrackerModels

/// The properties and the context that every event of a client has.
package struct CallDefaults: Hashable, Sendable {
    let properties: JSONText?
    let context: JSONText?

    private static let maxBytes = 32 * 1024

    /// - Returns: `nil` if there are none.
    /// - Throws: `invalidConfiguration` if JSON cannot hold them, or if they are larger than 32 KiB.
    init?(properties: Properties?, context: Properties?) throws(TrackerError) {
        self.properties = try Self.checked(properties, "properties")
        self.context = try Self.checked(context, "context")
        let size = (self.properties?.byteCount ?? 0) + (self.context?.byteCount ?? 0)
        guard size <= Self.maxBytes else {
            let option = self.context.map { $0.byteCount > size / 2 } == true ? "context" : "properties"
            throw FieldCheck.fault(
                option, .invalid(.largeDefaults, ["size": JSONValue(size), "most": JSONValue(Self.maxBytes)]))
        }
        if size == 0 { return nil }
    }

    private static func checked(_ values: Properties?, _ option: String) throws(TrackerError) -> JSONText? {
        do throws(JSONConversionError) {
            return try values?.json()
        } catch {
            throw TrackerError(error.fault(of: option))
        }
    }
}
