import TrackerModels

/// Turns the forms in which callers give values into text, at the door.
enum CallValues {
    /// The text of a tree.
    static func text(_ object: JSONObject?) -> Result<JSONText?, JSONConversionError> {
        guard let object else { return .success(nil) }
        do throws(JSONSyntaxError) {
            return .success(try JSONText(object))
        } catch {
            // A tree has no other fault than its depth.
            return .failure(JSONConversionError(keyPath: "", reason: .tooDeep))
        }
    }

    /// The text of a dictionary.
    static func text(_ dictionary: [String: Any]?) -> Result<JSONText?, JSONConversionError> {
        guard let dictionary else { return .success(nil) }
        do throws(JSONConversionError) {
            return .success(try JSONText(bridging: dictionary))
        } catch {
            return .failure(error)
        }
    }

    /// Refuses text that is no object, or is nested deeper than what is kept may be.
    static func object(_ text: JSONText?, of call: String) throws(Refusal) -> JSONText? {
        guard let text else { return nil }
        guard text.kind == .object else {
            throw Refusal(.serialization, "\(call): the value is not a JSON object but of kind \(text.kind)")
        }
        do throws(JSONSyntaxError) {
            // Text that came with a message may have been accepted under a more generous bound.
            return try JSONText(validating: text.bytes)
        } catch {
            throw Refusal(.serialization, "\(call): the value is nested more than \(JSONText.maxDepth) deep")
        }
    }
}
