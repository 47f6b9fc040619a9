import TrackerModels

extension JSONText {
    /// `{}`.
    static let emptyObject = JSONObjectWriter().finish()
}

/// The forms in which callers give values, turned into text at the door.
extension MobileTracker {
    func submit(
        _ name: String, _ values: [JSONObject?], _ messageID: MessageID?, _ call: ([JSONText?]) -> TrackerCall
    ) async -> TrackOutcome {
        guard let texts = texts(of: values, in: name) else { return .dropped(.serialization) }
        return await submit(call(texts), messageID: messageID)
    }

    func accept(
        _ name: String, _ values: [JSONObject?], _ messageID: MessageID?, _ call: ([JSONText?]) -> TrackerCall
    ) {
        guard let texts = texts(of: values, in: name) else { return }
        accept(call(texts), messageID: messageID)
    }

    func submit(
        _ name: String, _ values: [[String: Any]?], _ messageID: MessageID?, _ call: ([JSONText?]) -> TrackerCall
    ) async -> TrackOutcome {
        guard let texts = texts(of: values, in: name) else { return .dropped(.serialization) }
        return await submit(call(texts), messageID: messageID)
    }

    func accept(
        _ name: String, _ values: [[String: Any]?], _ messageID: MessageID?, _ call: ([JSONText?]) -> TrackerCall
    ) {
        guard let texts = texts(of: values, in: name) else { return }
        accept(call(texts), messageID: messageID)
    }

    private func texts(of values: [JSONObject?], in name: String) -> [JSONText?]? {
        var texts: [JSONText?] = []
        for value in values {
            do throws(JSONSyntaxError) {
                texts.append(try value.map { (object) throws(JSONSyntaxError) in try JSONText(object) })
            } catch {
                refuseSerialization(of: name, "\(error)")
                return nil
            }
        }
        return texts
    }

    private func texts(of values: [[String: Any]?], in name: String) -> [JSONText?]? {
        var texts: [JSONText?] = []
        for value in values {
            guard let value else {
                texts.append(nil)
                continue
            }
            do throws(JSONConversionError) {
                texts.append(try JSONText(bridging: value))
            } catch {
                refuseSerialization(of: name, "\(error)")
                return nil
            }
        }
        return texts
    }
}
