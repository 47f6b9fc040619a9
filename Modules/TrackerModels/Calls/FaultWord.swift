import TrackerJSON

/// What is wrong with a call, an option or an answer, as a word that does not change between versions.
///
/// Each has its ``text`` here, the only place for all languages: the clients in other languages get theirs from this list.
package enum FaultWord: String, CaseIterable, Sendable {
    // Of an option.
    case required, wrongKind, outOfRange, tooSmall, tooLarge, unknown, repeated, exceeded, excluded, lacking, onlyHalt
    case emptyText, noName, emptyList, wrapped, notBoolean, controlCharacter, longKey
    case largeDefaults, homePath, relativePath, inexact
    // Of a value that JSON cannot hold, or as a whole of the call.
    case notJSON, notFinite, tooDeep, cycle, loneSurrogate, wrongKey, sameKeys, unreadable, unencodable, notConverted
    case leftOut
    // Of a file that an option names.
    case unreadableFile, folder, device, emptyKeyFile, notUTF8, unusableCertificate, unusableKey
    case unreadablePlan, largePlan, wrongPlan
    // Of the headers in an option.
    case manyHeaders, largeHeaders, headerName, headerValue, ownHeader, repeatedHeader
    // Of a URL in an option.
    case insecureURL, urlCharacters, longURL, relativeURL, urlScheme, urlQuery, urlFragment, urlUserInfo, urlEndpoint
    case urlPort, urlPercent, urlPathCharacter, noURLHost, urlBracket, urlAfterHost, urlIPv6, urlIPv4, urlHostName
    // Of a call that is dropped, beside its reason.
    case location, email, crossSiteCookie, sessionInURL, sourceSession, groupID, advertisingID, messageID
    case noOptions, noValue, blank, tooLong, notTheArgument, noVisitor, wrongYear, size
    case offByOption, offByEnvironment
    // Of a call that a client in another language drops itself.
    case closed, unanswered, notStored
    // Of a call that breaks the plan.
    case plan
    // What to do when the backend makes no session.
    case inBackground, checkKey, checkAddress

    /// Every text by its word: those of reasons by the reason.
    package static let texts: [(word: String, text: String)] =
        RefusalReason.allCases.map { ($0.rawValue, $0.text) } + allCases.map { ($0.rawValue, $0.text) }

    /// The words whose text is a phrase.
    package static let phrases = allCases.filter(\.isPhrase)

    /// Whether the text is a part of other sentences, and ends without a full stop. Every other text is whole sentences.
    package var isPhrase: Bool {
        switch self {
        case .required, .wrongKind, .outOfRange, .tooSmall, .tooLarge, .repeated, .excluded, .lacking, .onlyHalt,
            .emptyText, .noName, .emptyList, .wrapped, .notBoolean, .controlCharacter, .longKey, .tooDeep,
            .notFinite, .notJSON, .cycle, .loneSurrogate, .wrongKey, .sameKeys, .unreadable, .unencodable,
            .notConverted, .leftOut, .largeDefaults, .homePath, .relativePath, .inexact, .unreadableFile, .folder,
            .device, .emptyKeyFile, .notUTF8, .unusableCertificate, .unusableKey, .unreadablePlan, .largePlan,
            .manyHeaders, .largeHeaders, .headerName, .headerValue, .ownHeader, .repeatedHeader, .messageID:
            true
        case .unknown, .exceeded, .wrongPlan, .insecureURL, .urlCharacters, .longURL, .relativeURL, .urlScheme,
            .urlQuery, .urlFragment, .urlUserInfo, .urlEndpoint, .urlPort, .urlPercent, .urlPathCharacter, .noURLHost,
            .urlBracket, .urlAfterHost, .urlIPv6, .urlIPv4, .urlHostName, .location, .email, .crossSiteCookie,
            .sessionInURL, .sourceSession, .groupID, .advertisingID, .noOptions, .noValue, .blank, .tooLong,
            .notTheArgument, .noVisitor, .wrongYear, .size, .offByOption, .offByEnvironment, .closed,
            .unanswered, .notStored, .plan, .inBackground, .checkKey, .checkAddress:
            false
        }
    }

    /// A sentence or a phrase, with marks.
    ///
    /// `{name}` is the mark of a fact; `{init}` is that of the call that initialises the client. What is between brackets
    /// is left out if one of its facts is missing; what follows a `|` stands in its place. A name between backquotes has
    /// its own form in each language.
    package var text: String {
        switch self {
        case .required: ValueFault.required.text
        case .wrongKind: ValueFault.wrongKind.text
        case .outOfRange: "'{option}' must be from {least} to {most}, not {value}"
        case .tooSmall: "'{option}' must be at least {least}, not {value}"
        case .tooLarge: "'{option}' must be at most {most}, not {value}"
        case .unknown: ValueFault.unknown.text
        case .repeated: "'{option}' is given a second time as '{other}'"
        case .exceeded: "Initialization with {address} did not finish within '{option}' ({most}). {advice}"
        case .excluded: "'{option}' cannot be given besides '{other}'"
        case .lacking: "'{option}' must be given as well, since '{other}' is"
        case .onlyHalt: "'{option}' must be 'halt' with '{other}': a key that is being replaced would drop the queue"
        case .emptyText: "'{option}' must not be empty or hold a NUL character"
        case .noName: "'{option}' must have a name"
        case .emptyList: "'{option}' must name at least one; without it all are meant"
        case .wrapped:
            "'{option}' is not known, and holds '{other}': give that[ in '{parent}'] without '{key}' around it"
        case .notBoolean: "'{option}' must be true or false (or 1 and 0, yes and no, on and off), not '{value}'"
        case .controlCharacter:
            "'{option}' [must hold a key, and the text of {path} ]holds a control character, such as a line break"
        case .longKey: "'{option}' [must hold a key, and the text of {path} ]is longer than {most} bytes"
        case .notJSON: "['{option}'|It] is [of type {type}|{value}], which JSON does not have"
        case .notFinite: "'{option}' holds a number that is not finite"
        case .tooDeep: ValueFault.tooDeep.text
        case .cycle: "['{option}'|It] is part of a cycle"
        case .loneSurrogate: ValueFault.loneSurrogate.text
        case .wrongKey: "['{option}'|It] has a key that is no string"
        case .sameKeys: "['{option}'|It] has two keys that are {key} in JSON"
        case .unreadable: "['{option}'|It] cannot be read: {error}"
        case .unencodable: "['{option}'|It] cannot be encoded: {error}"
        case .notConverted: "'{option}' cannot be sent: `default` has failed: {error}"
        case .leftOut:
            "'{option}' has no form in JSON, and would be left out: leave it out where it does not matter"
        case .largeDefaults: "'{option}' is too large: all defaults together have {size} bytes, of {most}"
        case .homePath:
            "'{option}' must be a path from the root, such as '/var/lib/shop/tracker', not '{value}': only a shell knows "
                + "'~', so write the home folder's path"
        case .relativePath:
            "'{option}' must be a path from the root, such as '/var/lib/shop/tracker', not '{value}': it would be another "
                + "folder wherever the program is started"
        case .inexact: "'{option}' is a number too large to be exact: give its text[, or a {type}]"
        case .unreadableFile: "'{option}' must be a file that can be read. {path}: {detail}"
        case .folder: "'{option}' must be a file, and {path} is a folder"
        case .device: "'{option}' must be a file, and {path} is a pipe or a device"
        case .emptyKeyFile: "'{option}' must hold a key, and {path} is empty"
        case .notUTF8: "'{option}' must hold a key, and the text of {path} is not UTF-8"
        case .unusableCertificate: "'{option}' cannot be used. {path}: {detail}"
        case .unusableKey: "'{option}' cannot be used with {certificate}. {path}: {detail}"
        case .unreadablePlan: "'{option}' must be a plan, and {path} is not JSON: {detail}"
        case .largePlan: "'{option}' must be a plan, and {path} has more than {megabytes} MiB"
        case .wrongPlan: "'{option}' must be a plan, and {path} is none. {detail}[ And {more} more.]"
        case .manyHeaders: "'{option}' has {count} headers; at most {most} are sent"
        case .largeHeaders: "'{option}' takes {size} bytes; at most {most} are sent"
        case .headerName:
            "'{option}' holds a name that is empty or has a character that names of headers cannot have: {shown}"
        case .headerValue: "'{option}' holds a line break or another control character in the value of '{name}'"
        case .ownHeader: "'{option}' cannot hold '{name}', which the client sets itself"
        case .repeatedHeader: "'{option}' holds '{name}' twice: upper and lower case are the same in names of headers"
        case .insecureURL:
            "'{option}' is not usable. Plain http leads to a loopback host only; use https, or set `allowInsecureHTTP`."
        case .urlCharacters:
            "'{option}' is not usable. The URL holds a space, a control character or a character outside ASCII; "
                + "percent-encode its path, and write its host in its xn-- form."
        case .longURL: "'{option}' is not usable. The URL is longer than {most} bytes; no server takes such a request."
        case .relativeURL: "'{option}' is not usable. The URL is not absolute; write it out, such as {example}."
        case .urlScheme: "'{option}' is not usable. The URL's scheme is neither https nor http."
        case .urlQuery: "'{option}' is not usable. The URL has a query; leave it out."
        case .urlFragment: "'{option}' is not usable. The URL has a fragment; leave it out."
        case .urlUserInfo: "'{option}' is not usable. The URL has user info before its host; leave it out."
        case .urlEndpoint:
            "'{option}' is not usable. The URL ends in {path}, which the client appends by itself; leave it out."
        case .urlPort: "'{option}' is not usable. The URL's port is not a number from 1 to 65535."
        case .urlPercent:
            "'{option}' is not usable. The URL's path has a % that does not begin a percent-encoded byte."
        case .urlPathCharacter:
            "'{option}' is not usable. The URL's path holds “{character}”, which must be percent-encoded."
        case .noURLHost: "'{option}' is not usable. The URL has no host."
        case .urlBracket: "'{option}' is not usable. The URL's IPv6 address has no closing bracket."
        case .urlAfterHost: "'{option}' is not usable. The URL has something other than a port after its host."
        case .urlIPv6: "'{option}' is not usable. The URL's host is not an IPv6 address."
        case .urlIPv4: "'{option}' is not usable. The URL's host is not an IPv4 address of four decimal numbers."
        case .urlHostName:
            "'{option}' is not usable. The URL's host is not a name: labels of 1 to 63 letters, digits, hyphens or "
                + "underscores, with dots between."
        case .location:
            "The latitude is from -90 to 90, the longitude from -180 to 180, and the accuracy not below 0."
        case .email: "An email address has one @ and no spaces."
        case .crossSiteCookie: "`crossSiteCookie` is off. Turn it on in {init} to carry sessions between sites."
        case .sessionInURL: "The URL carries no gt_session_id."
        case .sourceSession: "The id of the other session is empty."
        case .groupID: "The id of the group is empty."
        case .advertisingID: "The id is blank. `null` clears it."
        case .messageID: "'{option}' \(MessageID.rule)"
        case .noOptions: "It is no event: it takes no options, and belongs to no person of a scope."
        case .noValue: "'{option}' is given and has no value. Leave it out to mean the client's own."
        case .blank: "'{option}' is blank."
        case .tooLong: "'{option}' has more than {most} bytes."
        case .notTheArgument: "'{option}' is another than the call's own {argument}."
        case .noVisitor:
            "It is about a user alone. Give '{option}': the visitor with that id gets the other user id."
        case .wrongYear: "'{option}' is not in the years 0 to 9999."
        case .size: "As JSON it is larger than {option} allows, {most} bytes."
        case .offByOption: "Tracking is off: `enabled` is false."
        case .offByEnvironment: "Tracking is off: MOBILE_TRACKER_ENABLED is false in the environment."
        case .closed: "The tracker was closed. Call {init} to open it again."
        case .unanswered:
            "The host has not answered {calls} calls, or {megabytes} MiB of them: wait for the outcome of some."
        case .notStored: "Events that no host had stored are lost."
        case .plan: "It breaks the plan: {detail}"
        case .inBackground:
            "To start all the same, and have the session made later, set `sessionCreation` to inBackground."
        case .checkKey: "The server refuses the key: check `xApiKey`."
        case .checkAddress: "The server has no such endpoint: check `apiUrl`."
        }
    }
}

extension RefusalReason {
    /// Why a call was dropped, if nothing more is known. It is a text as those of ``FaultWord``.
    var text: String {
        switch self {
        case .notInitialized: "Not initialized. Call {init} first."
        case .invalidEventName: "Its name is empty."
        case .invalidUserId: "A user id is required."
        case .invalidValue: "A value is missing or out of range."
        case .repeatedScreen: "It is the screen that was shown last."
        case .trackingNotAllowed: "Consent is not granted."
        case .serialization: "A value cannot be written as JSON."
        case .tooLarge: "It is larger than an event may be (`maxEventBytes`, 512 KiB by default)."
        case .storage: "The disk did not take it."
        case .queueFull: "The queue is full."
        case .disabled: "The client is disabled: `disabledBecause` of its debug information says why."
        case .beforeSend: "`beforeSend` has dropped it."
        case .plan: "It breaks the plan."
        case .forgotten: "It is of a person who was forgotten. `unforget` ends that."
        }
    }
}

extension TrackerError.Code {
    /// Every ``frame`` by its code.
    package static let frames: [(word: String, text: String)] = allCases.compactMap { code in
        code.frame.map { (code.rawValue, $0) }
    }

    /// The sentence of an error around what is wrong, if it has one. It is a text as those of ``FaultWord``.
    var frame: String? {
        switch self {
        case .invalidConfiguration: "Invalid configuration: {fault}"
        case .sessionCreationFailed: "No session could be created: {why} {advice}"
        case .invalidBrandId, .serializationFailed, .networkError, .initializationFailed, .invalidAPIKey,
            .invalidEndpoint, .storage, .invalidValue, .notInitialized, .listFull:
            nil
        }
    }
}
