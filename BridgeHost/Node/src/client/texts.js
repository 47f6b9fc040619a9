// Made by `make generate` from the host's texts: a change here is lost.

/**
 * What is wrong, in words: the text of each fault and of each reason. `{name}` is the mark of a fact; what is between
 * brackets is left out if one of its facts is missing.
 *
 * @type {Record<string, string>}
 */
export const TEXTS = {
    NOT_INITIALIZED: "Not initialized. Call {init} first.",
    INVALID_EVENT_NAME: "Its name is empty.",
    INVALID_USER_ID: "A user id is required.",
    INVALID_VALUE: "A value is missing or out of range.",
    REPEATED_SCREEN: "It is the screen that was shown last.",
    TRACKING_NOT_ALLOWED: "Consent is not granted.",
    SERIALIZATION_ERROR: "A value cannot be written as JSON.",
    TOO_LARGE: "It is larger than an event may be (`maxEventBytes`, 512 KiB by default).",
    STORAGE_ERROR: "The disk did not take it.",
    QUEUE_FULL: "The queue is full.",
    DISABLED: "The client is disabled: `disabledBecause` of its debug information says why.",
    BEFORE_SEND: "`beforeSend` has dropped it.",
    PLAN: "It breaks the plan.",
    FORGOTTEN: "It is of a person who was forgotten. `unforget` ends that.",
    required: "'{option}' is required[, such as {example}]",
    wrongKind: "'{option}' must be {expected}",
    outOfRange: "'{option}' must be from {least} to {most}, not {value}",
    tooSmall: "'{option}' must be at least {least}, not {value}",
    tooLarge: "'{option}' must be at most {most}, not {value}",
    unknown: "'{option}' is not known[; did you mean '{suggestion}'?|.][ {others}][ There are: {known}.]",
    repeated: "'{option}' is given a second time as '{other}'",
    invalid: "'{option}' {detail}",
    insecureURL: "'{option}' is not usable. Plain http leads to a loopback host only; use https, or set `allowInsecureHTTP`.",
    exceeded: "{work} did not finish within '{option}' ({most}). {advice}",
    excluded: "'{option}' cannot be given besides '{other}'",
    lacking: "'{option}' must be given as well, since '{other}' is",
    onlyHalt: "'{option}' must be 'halt' with '{other}': a key that is being replaced would drop the queue",
    location: "The latitude is from -90 to 90, the longitude from -180 to 180, and the accuracy not below 0.",
    email: "An email address has one @ and no spaces.",
    crossSiteCookie: "`crossSiteCookie` is off. Turn it on in {init} to carry sessions between sites.",
    sessionInURL: "The URL carries no gt_session_id.",
    sourceSession: "The id of the other session is empty.",
    groupID: "The id of the group is empty.",
    advertisingID: "The id is blank. `null` clears it.",
    messageID: "'{option}' must be 1 to 128 printable ASCII characters without spaces at either end.",
    noOptions: "It is no event and takes no options.",
    noValue: "'{option}' is given and has no value. Leave it out to mean the client's own.",
    blank: "'{option}' is blank.",
    tooLong: "'{option}' has more than {most} bytes.",
    notTheArgument: "'{option}' is another than the call's own {argument}.",
    noVisitor: "It is about a user alone. Give '{option}': the visitor with that id gets the other user id.",
    wrongYear: "'{option}' is not in the years 0 to 9999.",
    notJSON: "[{option}: ]{detail}",
    size: "As JSON it is larger than {option} allows, {most} bytes.",
    offByOption: "Tracking is off: `enabled` is false.",
    offByEnvironment: "Tracking is off: MOBILE_TRACKER_ENABLED is false in the environment.",
    closed: "The tracker was closed. Call {init} to open it again.",
    unanswered: "The host has not answered {calls} calls, or {megabytes} MiB of them: wait for the outcome of some.",
    notStored: "Events that no host had stored are lost.",
    plan: "It breaks the plan: {detail}",
    inBackground: "To start all the same, and have the session made later, set `sessionCreation` to inBackground.",
    checkKey: "The server refuses the key: check `xApiKey`.",
    checkAddress: "The server has no such endpoint: check `apiUrl`.",
}

/** What became of dropped calls, with marks as the texts. @type {Record<string, string>} */
export const DROPS = {
    call: "{call} [failed{failed}|was dropped]: {reason}.[ {why}]{place}",
    oneMore: "1 more call [failed{failed}|was dropped]: {reason}.[ {why}]",
    more: "{count} more calls [failed{failed}|were dropped]: {reason}.[ {why}]",
    several: "{count} calls [failed{failed}|were dropped]: {reason}.[ {why}] The first was {call}{place}.",
}

/** Why a client is off, by the word of the fault. @type {Record<string, string>} */
export const OFF_PHRASES = {
    offByOption: "enabled is false",
    offByEnvironment: "MOBILE_TRACKER_ENABLED is false in the environment",
}
