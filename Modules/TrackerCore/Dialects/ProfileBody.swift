import TrackerModels

/// Turns what callers say of a user into the body of a profile update.
enum ProfileBody {
    /// The fields that the backend knows by name; every other goes into `extra`.
    private static let known: Set<String> = [
        "name", "phone", "gender", "business_domain", "metadata", "email", "source", "birthday",
    ]

    /// The body of `identify`: the user, and what is known of them. `user` replaces a user id in `data`.
    static func identify(_ user: UserID, _ data: JSONText?) -> JSONText {
        make(user: user, data)
    }

    /// The body of `set`, which never changes the user: a user id in `data` goes into `extra`.
    static func set(_ data: JSONText) -> JSONText {
        make(user: nil, data)
    }

    /// The user that a body names.
    static func user(in body: JSONText) -> UserID? {
        body.value(forKey: "user_id")?.stringValue.flatMap(UserID.init)
    }

    private static func make(user: UserID?, _ data: JSONText?) -> JSONText {
        var fields = JSONObjectWriter()
        var extra: [JSONText] = []
        if let user { fields.append("user_id", user.text) }
        for member in data.map({ JSONText.merging([$0]).members }) ?? [] {
            let (key, value) = (member.key, member.value)
            switch key {
            case "user_id" where user != nil, "userId" where user != nil:
                continue
            case "businessDomain":
                // The two spellings are one field: the last one given counts.
                if lastSpelling(in: data) == key { fields.append("business_domain", value) }
            case "business_domain":
                if lastSpelling(in: data) == key { fields.append(key, value) }
            case "extra" where value.kind == .object:
                extra.append(value)
            case _ where known.contains(key):
                fields.append(key, value)
            default:
                var member = JSONObjectWriter()
                member.append(key == "userId" ? "user_id" : key, value)
                extra.append(member.finish())
            }
        }
        let merged = JSONText.merging(extra)
        if merged.bytes.count > 2 { fields.append("extra", merged) }
        return fields.finish()
    }

    private static func lastSpelling(in data: JSONText?) -> String? {
        data?.members.last { $0.key == "businessDomain" || $0.key == "business_domain" }?.key
    }
}
