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
    wrongKind: "'{option}' must be {expected}[ (for '{value}' it is '{synonym}')| (did you mean '{suggestion}'?)]",
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

/** The faults whose text is a phrase, a part of other sentences: it ends without a full stop. @type {Set<string>} */
export const PHRASES = new Set([
    'required', 'wrongKind', 'outOfRange', 'tooSmall', 'tooLarge', 'repeated', 'invalid', 'excluded', 'lacking', 'onlyHalt',
])

/** What became of dropped calls, with marks as the texts. @type {Record<string, string>} */
export const DROPS = {
    call: "{call} [failed{failed}|was dropped]: {reason}.[ {why}]{place}",
    oneMore: "1 more call [failed{failed}|was dropped]: {reason}.[ {why}]",
    more: "{count} more calls [failed{failed}|were dropped]: {reason}.[ {why}]",
    several: "{count} calls [failed{failed}|were dropped]: {reason}.[ {why}] The first was {call}{place}.",
}

/** What a client says of its host and of itself, with marks as the texts. @type {Record<string, string>} */
export const CLIENT_TEXTS = {
    hostEnded: "The host ended[ before it answered {method}]: {how}.",
    hostEndedTooOften: "The host ended 5 times within a minute. Until that minute is over it is not started again, and calls fail. The last time: {how}.",
    hostEndedUnexpectedly: "The host ended unexpectedly ({how}).",
    hostNotStarted: "The host could not be started: {how}.",
    hostNotStartedYet: "The host cannot be started now ({how}). This is tried again; calls wait.",
    agentNotReached: "The agent at {path} could not be reached: {how}.[ Start it with: BridgeHost --listen {path}{absent}]",
    agentNotReachedYet: "The agent at {path} cannot be reached ({how}). This is tried again; calls wait.",
    otherProtocol: "The host at {path} (version [{version}|unknown]) speaks protocol version [{theirs}|an unknown version], this package speaks {ours}. Use the host that belongs to this version of the package.",
    otherPlatform: "The host at {path} was built for {platform}, and this is {here}.",
    wrongArguments: "The host at {path} rejects its arguments (`hostArguments`): {line}",
    oldLibrary: "The host at {path} needs GLIBC {version}, and the C library of this system is older.",
    noLibrary: "The host at {path} needs the library {library}, which is not installed.",
    notRunnable: "The system cannot run the host at {path}[: {line}].",
    notExecutable: "The host at {path} may not be executed: its file has no execute permission, or its disk is mounted with noexec.",
    otherLibrary: "The host at {path} needs another C library than this system has (it is built for glibc).",
    noProgram: "The host at {path} is not a program for this system.",
    notStartable: "The host at {path} cannot be started: {how}.",
    agentForbidden: "This user may not connect to the agent at {path}: see its --listen-mode, and who may enter its folder.",
    notListening: "There is no agent at {path}: it is no socket that listens.",
    noSocket: "There is no agent at {path}: it is {what}, and no socket. Give the path that stands after --listen.",
    longPath: "The path of the agent is too long for a socket: {path}",
    agentRefuses: "The agent at {path} refuses the connection: {how}",
    ignoredArguments: "`hostArguments` are not used: the agent at {path} was started with arguments of its own. Give them to the agent, or leave them out.",
    noCall: "`beforeSend` must return the call, or `null` to drop it, and no {promise}",
    unreadableCall: "`beforeSend` has returned what cannot be read: {error}",
    noCredentials: "The function credentials gave none to {client}: {why}",
    loneSurrogate: "holds a lone surrogate",
    wrongKey: "has a key that is no string",
    sameKeys: "has two keys that are {key} in JSON",
    cycle: "is part of a cycle",
    tooDeep: "is nested deeper than {levels} levels",
    failedLater: "{method}, which was called while tracking was off, failed: {why}",
    unhandled: "{method} failed, and its error was not handled: {error}{place}",
}

/** Why a client is off, by the word of the fault. @type {Record<string, string>} */
export const OFF_PHRASES = {
    offByOption: "enabled is false",
    offByEnvironment: "MOBILE_TRACKER_ENABLED is false in the environment",
}
