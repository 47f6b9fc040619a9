// Made by `make generate` from the host's method table: a change here is lost.

/**
 * The properties of an event, the data of a profile and the like: a JSON object. Undefined
 * members are left out, and `toJSON` is called. A Date is its ISO text, a URL its text, a BigInt an exact number, a
 * Map an object, a Set an array, an Error its name, message and stack. Functions and symbols are left out, with a
 * warning.
 *
 * NaN, infinities, cycles, lone surrogates and more than 128 levels are refused: the call is dropped as
 * `SERIALIZATION_ERROR`, and a warning says where the value is. {@link Convert} can turn what JSON does not have
 * into something that it has.
 *
 * An array, a Date, a function, a Set or a RegExp is no object of properties, and does not compile.
 */
export type Properties = ((object | { readonly [name: string]: unknown }) & NoOtherObject) | ReadonlyMap<any, unknown>

/** What arrays and Sets, Dates, RegExps and functions have, and an object of properties has not. */
export interface NoOtherObject {
    readonly [Symbol.iterator]?: never
    readonly [Symbol.toPrimitive]?: never
    readonly [Symbol.match]?: never
    readonly [Symbol.hasInstance]?: never
}

/** The id of a user, a visitor or a group: text, or a whole number or a UUID, which stands for its text. */
export type Id = string | number | bigint | { toJSON(): string }

/** When something happened: a Date, or ISO 8601 with the zone, such as `2025-11-27T10:30:00.000Z`. */
export type Timestamp = Date | string

/**
 * A call as `beforeSend` receives it: plain values, as they would be sent, and all of the call that leaves the machine.
 * A member that the call lacks is undefined. A BigInt stays one, so that its digits are kept.
 */
export interface OutgoingCall {
    /** Which call, as the bridge names it: `track`, `analytics.identify`, … */
    readonly method: string
    /** The name of an event, a screen or a page. */
    name?: string | undefined
    /** The user of `identify` and `alias`, or the one that an analytics call names in its options. */
    userId?: string | undefined
    /** The visitor that an analytics call names. */
    anonymousId?: string | undefined
    /** The group of `group`, or the one that an analytics call names in its options. */
    groupId?: string | undefined
    /** Attributes, properties, traits, profile data, or the metadata of `setMetadata`. */
    properties?: Record<string, any> | undefined
    /** The metadata of `track`. */
    metadata?: Record<string, any> | undefined
    /** The context of an analytics call. */
    context?: Record<string, any> | undefined
    /** When it happened, if an analytics call says so: ISO 8601. */
    timestamp?: string | undefined
    /** The id of `analytics.setAdvertisingId`. */
    advertisingId?: string | undefined
    /** The address of `updateSessionEmail`. */
    email?: string | undefined
    /** The URL of `screenDidAppear` and `continueSession`. */
    url?: string | undefined
    /** The location of `updateLocation`. */
    location?: { latitude: number; longitude: number; accuracy: number } | undefined
    /** The session of `linkSession`. */
    sourceSessionId?: string | undefined
    /** What the scopes around an analytics call give it, the outermost first. The call's own members win. */
    scope?: AnalyticsScope[] | undefined
}

/**
 * Receives each valid tracking call before anything is written. Change the call or return another; return
 * `null` or `false` to drop it, with the outcome `BEFORE_SEND`. If it throws, the call is dropped too, with a warning.
 */
export type BeforeSend = (call: OutgoingCall) => OutgoingCall | null | false | undefined | void

/**
 * Receives each value that JSON has no form for (NaN, an infinity, an invalid Date, a function, a symbol, a promise,
 * a regular expression) and where it is, such as `attributes.items[2]`. Return what stands for it. After
 * `undefined` the value is refused or left out as without this function.
 */
export type Convert = (value: unknown, path: string) => unknown

/** Where messages go, such as `console` or a logger with methods of the same names. */
export interface Logger {
    debug?(message: string): void
    info?(message: string): void
    warn?(message: string): void
    error?(message: string): void
}

/** What a client proves itself with to the server. What is left out stays as it is. */
export interface Credentials {
    /** The client's key. */
    key?: string | null
    /** Header fields for every request, instead of those before. */
    headers?: RequestHeaders | null
}

/**
 * Gives a client its credentials, if it has no key and after the server has answered 401. If it throws, or takes
 * longer than 10 s, delivery halts.
 */
export type CredentialsProvider = (client: 'tracker' | 'analytics' | 'basic') => Credentials | Promise<Credentials>

/** What a client's configuration may hold besides what goes to the host. */
export interface ClientHooks {
    /** Gives this client its key and headers, which the configuration may leave out then. */
    credentials?: CredentialsProvider | null
    /** Receives the calls of this client. */
    beforeSend?: BeforeSend | null
    /** Turns what JSON does not have in the calls of this client into something that it has. */
    convert?: Convert | null
    /** Receives the warnings and the host's log of all clients of this tracker from now on. */
    logger?: Logger | null
}

/** What may follow the arguments of a call that has an effect. */
export interface CallOptions {
    /** An id for the call: a second call with it has no effect. Made if left out. */
    messageId?: string
}

/** The options that every client takes. */
export interface ClientOptions {
    /** With `false` nothing is stored or sent, calls are dropped as `DISABLED`, and no other option is looked at; by default as `MOBILE_TRACKER_ENABLED` says in the environment, else true. */
    enabled?: boolean | null
    /** Whether informative and debug messages are logged; by default false. */
    debug?: boolean | null
    /** The path of the state folder, from the root; by default the host's `--storage-dir`, else `MOBILE_TRACKER_STORAGE_DIR`, else `$XDG_STATE_HOME/mobile-tracker/<app>`, else `~/.local/state/mobile-tracker/<app>`, where `<app>` is the host's `--app-name`. */
    storageDirectory?: string | null
    /** Where undelivered events live; by default `disk`. */
    persistence?: 'disk' | 'memory' | null
    /** Whether events survive the death of the process or of the machine; by default `process`. */
    durability?: 'process' | 'full' | null
    /** How many events the queue holds; by default 100,000. */
    maxQueuedEvents?: number | null
    /** How many bytes of events the queue holds; by default 64 MiB. */
    maxQueuedBytes?: number | null
    /** A larger event is refused; by default 512 KiB. */
    maxEventBytes?: number | null
    /** How long an event may wait before it is dropped; by default for ever. */
    eventTTLMs?: number | null
    /** What happens past either bound: the call is refused, or the oldest event is dropped; by default `refuseNew`, of analytics and basic `dropOldest`. */
    overflow?: 'refuseNew' | 'dropOldest' | null
    /** Requests under way at once (more than 1 trades order for speed); by default 1. */
    maxConcurrentRequests?: number | null
    /** How request bodies are compressed; by default `gzip`. */
    compression?: 'gzip' | 'none' | null
    /** Bodies of at least this many bytes are compressed; by default 1 KiB. */
    compressionThreshold?: number | null
    /** The wait after a first failure, doubled with each further one; by default 250. */
    retryDelayMs?: number | null
    /** After this many failures in a row the circuit breaker opens; by default 3. */
    failureThreshold?: number | null
    /** How long the breaker stays open at first; by default 10,000, at least `retryDelayMs`. */
    cooldownMs?: number | null
    /** How long it stays open at most; by default 120,000, at least `cooldownMs`. */
    maxCooldownMs?: number | null
    /** How far a wait may differ from its length, either way; by default 0.2. */
    jitter?: number | null
    /** When the server refuses the key or the address: how long until one request finds out whether it is well again; by default 300,000; 0: never. */
    haltRetryMs?: number | null
    /** How long the server must have failed before an event is looked for that alone makes it fail; by default 1,800,000; 0: never. */
    poisonAfterMs?: number | null
    /** How many events are kept apart that the server has refused; by default 1,000; 0: none is kept. */
    maxRefusedEvents?: number | null
    /** How many bytes of such events are kept; by default 8 MiB; 0: none is kept. */
    maxRefusedBytes?: number | null
    /** How long such events are kept; by default 604,800,000. */
    refusedTTLMs?: number | null
    /** A file of certificates, which can be read, to trust instead of the system's; by default the system's. */
    caBundle?: string | null
    /** A PEM file with the certificate that the client shows to the server; it needs `clientKey`; by default none. */
    clientCertificate?: string | null
    /** A PEM file with the key of `clientCertificate`, without a passphrase; by default none. */
    clientKey?: string | null
    /** A file whose text is the key, instead of the client's own option; a key that changes there is used from then on; by default none. */
    keyFile?: string | null
    /** A proxy's URL; by default as the environment says. */
    proxy?: string | null
    /** Header fields that every request gets besides the client's own; by default none. */
    headers?: Record<string, string> | null
    /** Whether plain http may be used to other machines; by default false. */
    allowInsecureHTTP?: boolean | null
    /** Whether the client posts its debug information once a second to the development collector on this machine; by default false. */
    collectorPanel?: boolean | null
    /** A plan that each call is checked against. */
    plan?: {
        /** The path of a plan file, from the root; by default no plan. */
        file?: string | null
        /** What becomes of a call that breaks the plan: a warning, a drop as `PLAN`, or a member `plan_violations`; by default `warn`. */
        onBroken?: 'warn' | 'drop' | 'tag' | null
    } | null
}

/** What became of a call. */
export type Outcome = AcceptedOutcome | DroppedOutcome

/** The call is on disk. If `pending`, it also waits for a session or for consent. */
export interface AcceptedOutcome {
    status: 'queued' | 'pending'
    /** The id of the call. */
    messageId: string
}

/** The call was refused, and nothing of it was stored. */
export interface DroppedOutcome {
    status: 'dropped'
    reason: DropReason
    /** What is wrong, if the reason does not say all. */
    fault?: Fault
}

/** What is wrong, as data. `FaultWord.swift` has a text for each reason. */
export interface Fault {
    /** A word that does not change between versions. */
    reason: string
    /** The option or the argument, or the way to a value in it. */
    option?: string
    /** The kind that it must have, or the words that it may be. */
    expected?: string | Array<string>
    /** The type that it has. */
    given?: string
    /** Its limit; a duration in milliseconds. */
    most?: number
    /** Of a file or a plan: more, in words. */
    detail?: string
    [more: string]: unknown
}

/** Why a call was refused. */
export type DropReason = 'NOT_INITIALIZED' | 'INVALID_EVENT_NAME' | 'INVALID_USER_ID' | 'INVALID_VALUE' | 'REPEATED_SCREEN' | 'TRACKING_NOT_ALLOWED' | 'SERIALIZATION_ERROR' | 'TOO_LARGE' | 'STORAGE_ERROR' | 'QUEUE_FULL' | 'DISABLED' | 'BEFORE_SEND' | 'PLAN' | 'FORGOTTEN'

/** The result of a flush. */
export interface FlushReport {
    /** How many events that were queued at the call have been delivered. */
    delivered: number
    /** How many of them still wait, or were dropped since the server refused the client. */
    remaining: number
    /** Why they were not delivered; absent if none remain. */
    stoppedBy?: StopReason
}

/** What became of a person's events. */
export interface ForgetReport {
    /** How many events were erased: that waited, or were refused. */
    erased: number
    /** How many events this queue has delivered since it was made, of anyone: whose they were is not kept. */
    deliveredOfAnyone: number
}

/** Why events that are queued are not sent at once. */
export type StopReason = 'timeout' | 'retryWait' | 'breakerOpen' | 'halted' | 'noConsent' | 'noSession' | 'notInitialized' | 'otherProcess' | 'storage'

/** The state of the tracker. Later versions may add members. */
export interface DebugInfo {
    /** `idle`, `initializing`, `ready`, `halted`, `disabled` and the like. */
    lifecycle: string
    /** Why it is disabled. */
    disabledBecause?: string
    /** Why delivery has halted, since when, and in how many milliseconds the next try is (`null`: with other credentials). */
    halted?: Record<string, unknown>
    /** How many events wait. */
    queueLength: number
    /** How many bytes they have. */
    queueBytes?: number
    /** How long the oldest of them waits; null if there is none. */
    oldestQueuedMs?: number | null
    /** The circuit breaker's state. */
    circuitState?: 'closed' | 'halfOpen' | 'open'
    /** How long it stays open. */
    circuitRemainingMs?: number
    /** Whether a request is under way. */
    flushInFlight?: boolean
    /** Which process sends: this one, another one, or none yet. */
    delivering?: 'here' | 'elsewhere' | 'waiting'
    /** The current session. */
    sessionId?: string | null
    /** The installation's identifier. */
    deviceId?: string | null
    /** What the user decided. */
    consent?: Consent
    /** Accepted, recovered, requeued, delivered, queued, dropped by reason. */
    account?: Record<string, unknown>
    /** How many events are kept apart that the server has refused, by reason. */
    refusedEvents?: Record<string, unknown>
    /** Calls refused when they were made, by reason. */
    refused?: Record<string, unknown>
    /** How many bytes of bodies the server has taken. */
    bytesBeforeCompression?: number
    /** How many of them were sent. */
    bytesAfterCompression?: number
    /** `ok`, or why the disk refuses; `awaitingDisk` while a reset or a consent waits for it. */
    storage?: string
    /** The queues of other addresses that hold events. */
    otherLanes?: Array<Record<string, unknown>>
    /** The last failure of a request. */
    lastError?: Record<string, unknown> | null
    /** The configuration, secrets masked. */
    config?: Record<string, unknown>
    [more: string]: unknown
}

/** The state of the analytics client. Later versions may add members. */
export interface AnalyticsDebugInfo {
    /** `idle`, `initializing`, `ready`, `halted`, `resetting` or `disabled`. */
    lifecycle: string
    /** Why it is disabled. */
    disabledBecause?: string
    /** Why delivery has halted, since when, and in how many milliseconds the next try is (`null`: with other credentials). */
    halted?: Record<string, unknown>
    /** How many events wait. */
    queueLength: number
    /** How many bytes they have. */
    queueBytes?: number
    /** How long the oldest of them waits; null if there is none. */
    oldestQueuedMs?: number | null
    /** Masked. */
    writeKey?: string
    ingestionHost?: string
    flushIntervalSeconds?: number
    maxQueueEvents?: number
    /** The circuit breaker's state. */
    circuitState?: 'closed' | 'halfOpen' | 'open'
    /** How long it stays open. */
    circuitRemainingMs?: number
    /** Whether a request is under way. */
    flushInFlight?: boolean
    /** Which process sends: this one, another one, or none yet. */
    delivering?: 'here' | 'elsewhere' | 'waiting'
    anonymousId?: string | null
    userId?: string | null
    groupId?: string | null
    /** Accepted, recovered, requeued, delivered, queued, dropped by reason. */
    account?: Record<string, unknown>
    /** How many events are kept apart that the server has refused, by reason. */
    refusedEvents?: Record<string, unknown>
    /** Calls refused when they were made, by reason. */
    refused?: Record<string, unknown>
    /** How many bytes of bodies the server has taken. */
    bytesBeforeCompression?: number
    /** How many of them were sent. */
    bytesAfterCompression?: number
    /** `ok`, or why the disk refuses; `awaitingDisk` while a reset or a consent waits for it. */
    storage?: string
    /** The queues of other addresses that hold events. */
    otherLanes?: Array<Record<string, unknown>>
    /** The last failure of a request. */
    lastError?: Record<string, unknown> | null
    /** The options, secrets masked, without `context`. */
    config?: Record<string, unknown>
    [more: string]: unknown
}

/** The state of the basic tracker. Later versions may add members. */
export interface BasicDebugInfo {
    /** `idle`, `ready`, `halted` or `disabled`. */
    lifecycle: string
    /** Why it is disabled. */
    disabledBecause?: string
    /** Why delivery has halted, since when, and in how many milliseconds the next try is (`null`: with other credentials). */
    halted?: Record<string, unknown>
    /** How many events wait. */
    queueLength: number
    /** How many bytes they have. */
    queueBytes?: number
    /** How long the oldest of them waits; null if there is none. */
    oldestQueuedMs?: number | null
    /** Where they go. */
    endpoint?: string
    /** How many may wait. */
    maxQueueSize?: number
    userId?: string | null
    /** The circuit breaker's state. */
    circuitState?: 'closed' | 'halfOpen' | 'open'
    /** How long it stays open. */
    circuitRemainingMs?: number
    /** Whether a request is under way. */
    flushInFlight?: boolean
    /** Which process sends: this one, another one, or none yet. */
    delivering?: 'here' | 'elsewhere' | 'waiting'
    /** Accepted, recovered, requeued, delivered, queued, dropped by reason. */
    account?: Record<string, unknown>
    /** How many events are kept apart that the server has refused, by reason. */
    refusedEvents?: Record<string, unknown>
    /** Calls refused when they were made, by reason. */
    refused?: Record<string, unknown>
    /** How many bytes of bodies the server has taken. */
    bytesBeforeCompression?: number
    /** How many of them were sent. */
    bytesAfterCompression?: number
    /** `ok`, or why the disk refuses; `awaitingDisk` while a reset or a consent waits for it. */
    storage?: string
    /** The queues of other addresses that hold events. */
    otherLanes?: Array<Record<string, unknown>>
    /** The last failure of a request. */
    lastError?: Record<string, unknown> | null
    /** The configuration, secrets masked. */
    config?: Record<string, unknown>
    [more: string]: unknown
}

/** An event that the server has refused for good. It is kept apart from the queue. */
export interface RefusedEvent {
    /** Whose it is. */
    client: 'tracker' | 'analytics' | 'basic'
    /** The id under which it was sent. */
    messageId: string
    /** The call that made it, such as `track`. */
    call: string
    /** The name of the event, screen or page, if it has one. */
    event: string | null
    /** Why the server would not have it. */
    reason: 'rejected' | 'tooLarge' | 'sessionGone' | 'poison' | 'plan'
    /** What the server answered; null if it was not sent. */
    status: number | null
    /** The first KiB of the answer's body. */
    answer: string
    /** When it left the queue: ISO 8601, milliseconds, UTC. */
    refusedAt: string
    /** When the call was made. */
    occurredAt: string
    /** How often it was sent, as far as is known. */
    attempts: number
    /** The session that it was for. */
    sessionId: string | null
    /** What it carried. */
    body: Record<string, unknown>
}

/** A call that a program under test has made, as `beforeSend` has left it, with whose event it became. */
export interface RecordedCall {
    /** Whose it is. */
    client: 'tracker' | 'analytics' | 'basic'
    /** Which call, such as `track`. */
    method: string
    /** The name of an event, a screen or a page. */
    name?: string
    /** The user of an event of `analytics` or `basic`. */
    userId?: string
    /** The visitor of an event of `analytics`. */
    anonymousId?: string
    /** The group of an event of `analytics`. */
    groupId?: string
    /** Its attributes, properties, traits or profile data. */
    properties?: Record<string, unknown>
    /** The metadata of `track`. */
    metadata?: Record<string, unknown>
    /** The context of an event of `analytics`. */
    context?: Record<string, unknown>
    /** When it happened, if its options say so. */
    timestamp?: string
    advertisingId?: string
    email?: string
    url?: string
    /** Latitude, longitude and accuracy. */
    location?: Record<string, unknown>
    sourceSessionId?: string
    /** What became of it; null while it waits for its client to be initialised. */
    outcome: {
        status: 'queued' | 'pending' | 'dropped'
        /** The id of the call. */
        messageId?: string
        /** Why it was dropped. */
        reason?: DropReason
    } | null
}

/** The calls that are as expected. */
export interface ExpectedCalls {
    /** The calls, in their order. */
    calls: Array<RecordedCall>
    /** If they are not as many as expected: what was expected, which call came nearest, and what of it differs. */
    failure: string | null
}

/** Values for one analytics call, instead of the client's own. */
export interface AnalyticsCallOptions {
    /** The user that the call is about; 1 to 1,024 bytes, not blank. */
    userId?: Id
    /** The visitor that the call is about; 1 to 1,024 bytes, not blank. */
    anonymousId?: Id
    /** The group that the user belongs to; 1 to 1,024 bytes, not blank. */
    groupId?: Id
    /** When it happened; by default when the call was made. */
    timestamp?: Timestamp | null
    /** Merged over the client's context, objects member by member. */
    context?: Properties | null
}

/** Values for every analytics call that a part of a program makes. */
export interface AnalyticsScope {
    /** The user that the calls are about; 1 to 1,024 bytes, not blank. */
    userId?: Id
    /** The visitor that the calls are about; 1 to 1,024 bytes, not blank. */
    anonymousId?: Id
    /** The group that the user belongs to; 1 to 1,024 bytes, not blank. */
    groupId?: Id
    /** Merged over the client's context, objects member by member. */
    context?: Properties | null
    /** For the properties of each `track`, `screen` and `page`. */
    properties?: Properties | null
}

/** Refused events: those that have one of the values in every member that is given. `null` is no value. */
export interface RefusedFilter {
    /** Whose; by default all. */
    client?: 'tracker' | 'analytics' | 'basic'
    /** Their ids. */
    messageIds?: Array<string>
    /** Names of events, screens or pages. */
    events?: Array<string>
    /** Why the server would not have them. */
    reasons?: Array<'rejected' | 'tooLarge' | 'sessionGone' | 'poison' | 'plan'>
    /** What the server answered. */
    statuses?: Array<number>
    /** Refused then or later. */
    since?: Timestamp
    /** Refused before. */
    until?: Timestamp
}

/** What the user decided about tracking. */
export type Consent = 'granted' | 'denied' | 'pending'

/** What became of a call that you make once more: `unanswered` if it may have taken effect, `answered` if it did. */
export type CallRepetition = 'unanswered' | 'answered'

/** The configuration of `init`. `apiUrl` and `xApiKey` are required, or in the environment. */
export interface TrackerConfig extends ClientOptions {
    /** The backend's base URL. Required, or `MOBILE_TRACKER_API_URL` in the environment. Plain http only to this machine, or with `allowInsecureHTTP`. */
    apiUrl?: string | null
    /** The key sent as `X-API-Key`. Required, or `MOBILE_TRACKER_KEY` in the environment. */
    xApiKey?: string | null
    /** The domain, with its subdomains, to which a session may be passed on; any by default. */
    cookieDomain?: string | null
    /** Whether sessions may be carried between sites; by default false. */
    crossSiteCookie?: boolean | null
    /** How many days stored values last; by default 365. */
    cookieExpiration?: number | null
    /** Whether `init` makes the session, or leaves it to the background; by default `duringInit`. */
    sessionCreation?: 'duringInit' | 'inBackground' | null
    /** How long the whole of `init` may take; by default 30,000. */
    initTimeoutMs?: number | null
    /** The consent of a first start (a stored one goes before it); by default `granted`. */
    consent?: 'granted' | 'denied' | 'pending' | null
    /** How many calls may wait for a session; by default as many as the queue holds. */
    maxPendingEvents?: number | null
    /** The device as reported to the backend; by default the real one. */
    device?: {
        /** `iOS`, `iPadOS`, `MacOS`, `Linux`, `Windows` or `Android`. */
        osName?: string | null
        /** `Mobile`, `Tablet` or `Desktop`. */
        deviceType?: string | null
    } | null
    /** A screen to track once the tracker is ready: its name, or name and URL. */
    initialScreen?: string | {
        /** The name, or the title of a page. */
        name: string
        /** Identifies the screen; by default its name does. */
        url?: string | null
    } | null
    /** How long a request may take; by default 30,000. */
    requestTimeoutMs?: number | null
    /** The same as `apiUrl`. */
    api_url?: string | null
    /** The same as `xApiKey`. */
    x_api_key?: string | null
    /** The same as `cookieDomain`. */
    cookie_domain?: string | null
    /** The same as `crossSiteCookie`. */
    cross_site_cookie?: boolean | null
    /** The same as `cookieExpiration`. */
    cookie_expiration?: number | null
}

/** A config that names the brand as `apiKey`; `x_api_key` and `endpoint` stand for `xApiKey` and `apiUrl`. */
export interface ReactNativeConfig extends ClientOptions {
    /** The brand. */
    apiKey: string
    /** The backend's base URL. Required, or `MOBILE_TRACKER_API_URL` in the environment. Plain http only to this machine, or with `allowInsecureHTTP`. */
    apiUrl?: string | null
    /** The key sent as `X-API-Key`. Required, or `MOBILE_TRACKER_KEY` in the environment. */
    xApiKey?: string | null
    /** The domain, with its subdomains, to which a session may be passed on; any by default. */
    cookieDomain?: string | null
    /** Whether sessions may be carried between sites; by default false. */
    crossSiteCookie?: boolean | null
    /** How many days stored values last; by default 365. */
    cookieExpiration?: number | null
    /** Whether `init` makes the session, or leaves it to the background; by default `duringInit`. */
    sessionCreation?: 'duringInit' | 'inBackground' | null
    /** How long the whole of `init` may take; by default 30,000. */
    initTimeoutMs?: number | null
    /** The consent of a first start (a stored one goes before it); by default `granted`. */
    consent?: 'granted' | 'denied' | 'pending' | null
    /** How many calls may wait for a session; by default as many as the queue holds. */
    maxPendingEvents?: number | null
    /** The device as reported to the backend; by default the real one. */
    device?: {
        /** `iOS`, `iPadOS`, `MacOS`, `Linux`, `Windows` or `Android`. */
        osName?: string | null
        /** `Mobile`, `Tablet` or `Desktop`. */
        deviceType?: string | null
    } | null
    /** A screen to track once the tracker is ready: its name, or name and URL. */
    initialScreen?: string | {
        /** The name, or the title of a page. */
        name: string
        /** Identifies the screen; by default its name does. */
        url?: string | null
    } | null
    /** How long a request may take; by default 30,000. */
    requestTimeoutMs?: number | null
    /** The same as `apiUrl`. */
    api_url?: string | null
    /** The same as `apiUrl`. */
    endpoint?: string | null
    /** The same as `xApiKey`. */
    x_api_key?: string | null
    /** The same as `cookieDomain`. */
    cookie_domain?: string | null
    /** The same as `crossSiteCookie`. */
    cross_site_cookie?: boolean | null
    /** The same as `cookieExpiration`. */
    cookie_expiration?: number | null
}

/** The options of `analytics.initialize`. `writeKey` and `ingestionHost` are required, or in the environment. */
export interface AnalyticsOptions extends ClientOptions {
    /** The key that names the source of the events. Required, or `MOBILE_TRACKER_KEY` in the environment. */
    writeKey?: string | null
    /** Where the events go: batches are posted below it, to `/v1/batch` or the path of `api`. Required, or `MOBILE_TRACKER_API_URL` in the environment. */
    ingestionHost?: string | null
    /** Whose API the server speaks; by default `metaRouter`. */
    api?: 'metaRouter' | 'segment' | 'postHog' | 'amplitude' | 'mixpanel' | 'otlp' | null
    /** What the server calls the kind of group that `group` names: PostHog's and Amplitude's group type, Mixpanel's group key; by default `company`. */
    groupType?: string | null
    /** The longest an event waits for others; by default 10. */
    flushIntervalSeconds?: number | null
    /** Past this many events the oldest is dropped; by default as `maxQueuedEvents`, 2,000 in memory. */
    maxQueueEvents?: number | null
    /** Events are sent as soon as there are so many; by default 20. */
    flushAt?: number | null
    /** How many events travel together at most; by default 100. */
    maxBatchSize?: number | null
    /** How many bytes a batch has at most before compression; by default 475,000. */
    maxBatchBytes?: number | null
    /** What happens when the server refuses the key or the address: delivery halts and keeps the queue, or the client is disabled and its queue dropped; by default `halt`. */
    whenRefused?: 'halt' | 'disable' | null
    /** How long a request may take; by default 8,000. */
    requestTimeoutMs?: number | null
    /** The application that events come from. */
    app?: {
        /** Its name. */
        name?: string | null
        /** Its version. */
        version?: string | null
        /** Its build. */
        build?: string | null
        /** Its identifier, such as `com.example.shop`. */
        namespace?: string | null
    } | null
    /** Merged over the context that the client collects itself. */
    context?: Properties | null
}

/** Header fields by their names. */
export type RequestHeaders = Record<string, string>

/** The options of `basic.initialize`. */
export interface BasicOptions extends ClientOptions {
    /** Past this many events the oldest is dropped; by default as `maxQueuedEvents`, 100 in memory. */
    maxQueueSize?: number | null
    /** How long a request may take; by default 30,000. */
    requestTimeoutMs?: number | null
}

/** A log message. */
export interface LogNotification {
    level: 'debug' | 'info' | 'warning' | 'error'
    message: string
    /** ISO 8601, milliseconds, UTC. */
    at: string
    /** The call that was dropped: an event by its name. */
    call?: string
    /** Why calls were dropped, as their outcomes say. */
    reason?: DropReason
    /** What is wrong with the call. */
    fault?: Fault
    /** Why `init` has failed, as its answer says. */
    code?: string
}

/** What happened to events. */
export interface DiagnosticNotification {
    /** Whose events they are. */
    client: 'tracker' | 'analytics' | 'basic'
    kind: 'dropped' | 'delivered' | 'refused' | 'retried' | 'breaker' | 'storage' | 'lane' | 'missed'
    /** Why; of a breaker, its new state. */
    reason?: string
    /** Which record. */
    messageId?: string
    /** The server's answer. */
    status?: number
    /** Which call was refused. */
    call?: string
    /** How many records that are not named, or diagnostics. */
    count?: number
    /** A sentence. */
    message?: string
}

/** Other credentials are needed: answer with `setCredentials` of that client within 10 s. */
export interface CredentialsNotification {
    /** Whose they are. */
    client: 'tracker' | 'analytics' | 'basic'
    /** Why the server refuses those that the client has. */
    message?: string
}

/** The session changed; null: there is none now. */
export interface SessionNotification {
    sessionId: string | null
}

/** The code of an error that the host answers. */
export type HostErrorCode =
    /** The brand ID is missing, empty or not a number. */
    | 'INVALID_BRAND_ID'
    /** A key of the configuration is missing, unknown or out of range. */
    | 'INVALID_CONFIGURATION'
    /** The backend made no session; data.status or data.cause says why. */
    | 'SESSION_CREATION_FAILED'
    /** Initialisation failed for another reason. */
    | 'INIT_ERROR'
    /** The API key is missing, empty or not printable. */
    | 'INVALID_API_KEY'
    /** The endpoint is missing or not a usable URL. */
    | 'INVALID_ENDPOINT'
    /** The state folder cannot be used. */
    | 'STORAGE_ERROR'
    /** An id is missing, blank or too long. */
    | 'INVALID_VALUE'
    /** The client is not initialised. */
    | 'NOT_INITIALIZED'
    /** The list of persons to forget is full. */
    | 'LIST_FULL'
    /** An agent does not serve the connection, and closes it. */
    | 'CONNECTION_REFUSED'
    /** Wrong number, name or type of params; the message names the param. */
    | 'INVALID_PARAMS'
    /** There is no such method. */
    | 'METHOD_NOT_FOUND'
    /** The message is JSON, and no request. */
    | 'INVALID_REQUEST'
    /** The message is not JSON. */
    | 'PARSE_ERROR'
    /** A defect of the host, not of the caller. */
    | 'INTERNAL_ERROR'
    /** The message is longer than `--max-message-bytes`; it is skipped. */
    | 'MESSAGE_TOO_LARGE'
    /** A value cannot be written as JSON. */
    | 'SERIALIZATION_ERROR'
    /** The network failed. */
    | 'NETWORK_ERROR'

/** The methods of the session-based tracker. */
export interface TrackerMethods {
    /**
     * Prepares the tracker for a brand. Tracking calls made before it has answered are kept, in order.
     *
     * @param brandId Your number at the backend: ASCII digits.
     * @param config Where and how to deliver; `apiUrl` and `xApiKey` are required, or in the environment.
     * @throws {MobileTrackerError} `INVALID_BRAND_ID`, `INVALID_CONFIGURATION`, `SESSION_CREATION_FAILED`, `STORAGE_ERROR`, `INIT_ERROR`
     */
    init(brandId: string, config?: TrackerConfig & ClientHooks | null): Promise<void>
    init(config: ReactNativeConfig & ClientHooks): Promise<void>
    /**
     * Records that an event happened.
     *
     * @param eventName What happened. Not blank.
     * @param attributes Facts about this event.
     * @param metadata Technical context. Wins over an attribute of the same name.
     */
    track(eventName: string, attributes?: Properties | null, metadata?: Properties | null, options?: CallOptions): Promise<Outcome>
    /**
     * Identifies the user, and sets facts about them.
     *
     * @param userId The application's name for the user. Not empty.
     * @param profileData Facts about the user.
     */
    identify(userId: Id, profileData?: Properties | null, options?: CallOptions): Promise<Outcome>
    /**
     * Sets facts about the user, without changing the user id.
     *
     * @param profileData Facts about the user.
     */
    set(profileData: Properties, options?: CallOptions): Promise<Outcome>
    /**
     * Sets metadata of the session, which go with all its later events.
     *
     * @param metadata Merged over the metadata that the session has.
     */
    setMetadata(metadata: Properties, options?: CallOptions): Promise<Outcome>
    /**
     * Records that a screen was shown, as the event `VIEW_PAGE`.
     *
     * @param name The screen. Not blank.
     * @param properties Facts about the view. They win over `screen` and `url`.
     */
    screen(name: string, properties?: Properties | null, options?: CallOptions): Promise<Outcome>
    /**
     * Records that the platform shows a screen. The same screen twice in a row is recorded once.
     *
     * @param name The screen, or the title of a page. Not blank.
     * @param url Identifies the screen; by default its name does.
     * @param properties Facts about the view. They win over `screen` and `url`.
     */
    screenDidAppear(name: string, url?: string | null, properties?: Properties | null, options?: CallOptions): Promise<Outcome>
    /**
     * Sends the location of the session's device.
     *
     * @param latitude Degrees north, from -90 to 90.
     * @param longitude Degrees east, from -180 to 180.
     * @param accuracy The radius of uncertainty in metres, at least 0.
     */
    updateLocation(latitude: number, longitude: number, accuracy: number, options?: CallOptions): Promise<Outcome>
    /**
     * Sends the session's email address, and stores it once the backend has accepted it.
     *
     * @param email One `@` and no spaces.
     */
    updateSessionEmail(email: string, options?: CallOptions): Promise<Outcome>
    /**
     * Links another session of the same visitor to this one.
     *
     * @param sourceSessionId The other session. Not empty.
     */
    linkSession(sourceSessionId: Id, options?: CallOptions): Promise<Outcome>
    /**
     * Forgets the user: session, email, user id, metadata and device id. Makes a new session.
     *
     * @param all Also forgets the brand and drops every queued event.
     * @throws {MobileTrackerError} `STORAGE_ERROR`
     */
    reset(all?: boolean | null, options?: CallOptions): Promise<void>
    /**
     * Sends what is queued now. Other calls do not wait for it.
     *
     * @param timeoutMs How long to try; 30,000 by default.
     */
    flush(timeoutMs?: number | null): Promise<FlushReport>
    /**
     * Changes the key, the headers or both, from the next request on. A halt of delivery ends at once. Nothing of them is stored or logged. Before the client is initialised they are kept for that.
     *
     * @param key The client's key. Not blank; left out, it stays as it is.
     * @param headers Header fields for every request, instead of those before.
     * @throws {MobileTrackerError} `INVALID_CONFIGURATION`
     */
    setCredentials(key?: string | null, headers?: RequestHeaders | null): Promise<void>
    setCredentials(params: { key?: string | null; headers?: RequestHeaders | null }): Promise<void>
    /**
     * Records the user's decision. It outlives restarts and resets.
     *
     * @param consent What the user decided.
     * @throws {MobileTrackerError} `STORAGE_ERROR`
     */
    setConsent(consent: Consent, options?: CallOptions): Promise<void>
    /**
     * Whether consent is granted.
     */
    isTrackingAllowed(): Promise<boolean>
    /**
     * The backend's name for the current session.
     */
    getSessionId(): Promise<string | null>
    /**
     * The installation's identifier.
     */
    getDeviceId(): Promise<string | null>
    /**
     * The email that `updateSessionEmail` set.
     */
    getSessionEmail(): Promise<string | null>
    /**
     * The brand, as it is stored.
     */
    getBrandId(): Promise<string | null>
    /**
     * Adds the session to a URL's query, so that another site can continue it.
     *
     * @param url An absolute URL.
     */
    getCrossDomainUrl(url: string): Promise<string>
    /**
     * Continues the session that a URL names.
     *
     * @param url A URL that `getCrossDomainUrl` made.
     */
    continueSession(url: string, options?: CallOptions): Promise<Outcome>
    /**
     * The state of the tracker: queue, session, circuit, account, configuration. Secrets are masked.
     */
    getDebugInfo(): Promise<DebugInfo>
    /**
     * Says that the network is back: each client that waits for its next attempt makes it at once.
     */
    networkDidChange(): Promise<void>
}

/** The methods of the analytics client. */
export interface AnalyticsMethods {
    /**
     * Initialises the analytics client. Calls made meanwhile take effect after it.
     *
     * @param options Where and how to deliver.
     * @throws {MobileTrackerError} `INVALID_CONFIGURATION`, `STORAGE_ERROR`, `INIT_ERROR`
     */
    initialize(options?: AnalyticsOptions & ClientHooks | null): Promise<void>
    /**
     * Records that an event happened.
     *
     * @param event What happened. Not blank.
     * @param properties Facts about it.
     */
    track(event: string, properties?: Properties | null, options?: AnalyticsCallOptions & CallOptions): Promise<Outcome>
    /**
     * Identifies the user of this event and all later ones.
     *
     * @param userId The application's name for the user. Not blank.
     * @param traits Facts about the user.
     */
    identify(userId: Id, traits?: Properties | null, options?: AnalyticsCallOptions & CallOptions): Promise<Outcome>
    /**
     * Sets the user's group for this event and all later ones.
     *
     * @param groupId The group. Not blank.
     * @param traits Facts about the group.
     */
    group(groupId: Id, traits?: Properties | null, options?: AnalyticsCallOptions & CallOptions): Promise<Outcome>
    /**
     * Records that a screen was shown.
     *
     * @param name The screen. Not blank.
     * @param properties Facts about the view.
     */
    screen(name: string, properties?: Properties | null, options?: AnalyticsCallOptions & CallOptions): Promise<Outcome>
    /**
     * Records that a page was shown.
     *
     * @param name The page. Not blank.
     * @param properties Facts about the view.
     */
    page(name: string, properties?: Properties | null, options?: AnalyticsCallOptions & CallOptions): Promise<Outcome>
    /**
     * Gives the user another id, for this event and all later ones.
     *
     * @param newUserId The other name. Not blank.
     */
    alias(newUserId: Id, options?: AnalyticsCallOptions & CallOptions): Promise<Outcome>
    /**
     * Sets the advertising identifier of all later events.
     *
     * @param advertisingId The identifier; `null` clears it, a blank one is ignored.
     */
    setAdvertisingId(advertisingId?: Id | null, options?: CallOptions): Promise<Outcome>
    /**
     * Removes the advertising identifier from all later events.
     */
    clearAdvertisingId(options?: CallOptions): Promise<Outcome>
    /**
     * Gives every event from now on these values, instead of those before: at most 32 KiB. What a call and its scope say themselves wins.
     *
     * @param properties For the properties of each `track`, `screen` and `page`.
     * @param context For the context of each event.
     * @throws {MobileTrackerError} `INVALID_CONFIGURATION`
     */
    setDefaults(properties?: Properties | null, context?: Properties | null): Promise<void>
    setDefaults(params: { properties?: Properties | null; context?: Properties | null }): Promise<void>
    /**
     * Erases what waits or was refused of a person, in all queues of the state folder, and has their later calls dropped as FORGOTTEN.
     *
     * @param userId The application's name for the user. One of the two is required.
     * @param anonymousId The client's name for the visitor.
     * @throws {MobileTrackerError} `INVALID_VALUE`, `NOT_INITIALIZED`, `LIST_FULL`, `STORAGE_ERROR`
     */
    forget(userId?: Id | null, anonymousId?: Id | null): Promise<ForgetReport>
    forget(params: { userId?: Id | null; anonymousId?: Id | null }): Promise<ForgetReport>
    /**
     * Has calls of a person who was forgotten taken again. What was erased does not come back.
     *
     * @param userId The application's name for the user. One of the two is required.
     * @param anonymousId The client's name for the visitor.
     * @throws {MobileTrackerError} `INVALID_VALUE`, `NOT_INITIALIZED`, `LIST_FULL`, `STORAGE_ERROR`
     */
    unforget(userId?: Id | null, anonymousId?: Id | null): Promise<void>
    unforget(params: { userId?: Id | null; anonymousId?: Id | null }): Promise<void>
    /**
     * Sends what is queued now. Other calls do not wait for it.
     *
     * @param timeoutMs How long to try; 30,000 by default.
     */
    flush(timeoutMs?: number | null): Promise<FlushReport>
    /**
     * Changes the key, the headers or both, from the next request on. A halt of delivery ends at once. Nothing of them is stored or logged. Before the client is initialised they are kept for that.
     *
     * @param key The client's key. Not blank; left out, it stays as it is.
     * @param headers Header fields for every request, instead of those before.
     * @throws {MobileTrackerError} `INVALID_CONFIGURATION`
     */
    setCredentials(key?: string | null, headers?: RequestHeaders | null): Promise<void>
    setCredentials(params: { key?: string | null; headers?: RequestHeaders | null }): Promise<void>
    /**
     * Drops what is queued and forgets the user. Calls are refused until `analytics.initialize`.
     * @throws {MobileTrackerError} `STORAGE_ERROR`
     */
    reset(options?: CallOptions): Promise<void>
    /**
     * Logs info and debug messages from now on.
     */
    enableDebugLogging(): Promise<void>
    /**
     * The state of the client: lifecycle, queue, circuit, identity, options. Secrets are masked.
     */
    getDebugInfo(): Promise<AnalyticsDebugInfo>
    /**
     * The application is in the foreground: what is queued is sent.
     */
    foreground(): Promise<void>
    /**
     * The application is in the background: what is queued is sent once, then nothing until the foreground.
     */
    background(): Promise<void>
}

/** The methods of the basic tracker. */
export interface BasicMethods {
    /**
     * Initialises the basic tracker, or changes its configuration: what is queued goes to the new endpoint.
     *
     * @param apiKey Sent as `X-API-Key`. Required, or `MOBILE_TRACKER_KEY` in the environment. Not blank.
     * @param endpoint The URL that events are posted to. Required, or `MOBILE_TRACKER_API_URL` in the environment.
     * @param appVersion The application's version, for the events' context.
     * @param options How events are kept and delivered.
     * @throws {MobileTrackerError} `INVALID_API_KEY`, `INVALID_ENDPOINT`, `INVALID_CONFIGURATION`, `STORAGE_ERROR`, `INIT_ERROR`
     */
    initialize(apiKey?: string | null, endpoint?: string | null, appVersion?: string | null, options?: BasicOptions & ClientHooks | null): Promise<void>
    initialize(params: { apiKey?: string | null; endpoint?: string | null; appVersion?: string | null; options?: BasicOptions & ClientHooks | null }): Promise<void>
    /**
     * Records that an event happened.
     *
     * @param event What happened. Not blank.
     * @param properties Facts about it.
     */
    track(event: string, properties?: Properties | null, options?: CallOptions): Promise<Outcome>
    /**
     * Identifies the user of all later events.
     *
     * @param userId The application's name for the user. Not blank.
     * @param traits Facts about the user.
     */
    identify(userId: Id, traits?: Properties | null, options?: CallOptions): Promise<Outcome>
    /**
     * Records that a screen was shown.
     *
     * @param name The screen. Not blank.
     * @param properties Facts about the view.
     */
    screen(name: string, properties?: Properties | null, options?: CallOptions): Promise<Outcome>
    /**
     * Sends what is queued now. Other calls do not wait for it.
     *
     * @param timeoutMs How long to try; 30,000 by default.
     */
    flush(timeoutMs?: number | null): Promise<FlushReport>
    /**
     * Changes the key, the headers or both, from the next request on. A halt of delivery ends at once. Nothing of them is stored or logged. Before the client is initialised they are kept for that.
     *
     * @param key The client's key. Not blank; left out, it stays as it is.
     * @param headers Header fields for every request, instead of those before.
     * @throws {MobileTrackerError} `INVALID_CONFIGURATION`
     */
    setCredentials(key?: string | null, headers?: RequestHeaders | null): Promise<void>
    setCredentials(params: { key?: string | null; headers?: RequestHeaders | null }): Promise<void>
    /**
     * The state of the tracker: queue, circuit, user, account, configuration. Secrets are masked.
     */
    getDebugInfo(): Promise<BasicDebugInfo>
}

/** What the server has refused, of all clients. */
export interface RefusedMethods {
    /**
     * The events that the server has refused for good and that are kept apart, of each client the oldest first.
     *
     * @param filter Which events; by default all.
     * @throws {MobileTrackerError} `STORAGE_ERROR`
     */
    list(filter?: RefusedFilter | null): Promise<Array<RefusedEvent>>
    /**
     * Queues refused events again, at the end of the queue, each under its message id and for its own session.
     *
     * @param filter Which events; by default all.
     * @throws {MobileTrackerError} `STORAGE_ERROR`
     */
    retry(filter?: RefusedFilter | null): Promise<number>
    /**
     * Removes refused events for good.
     *
     * @param filter Which events; by default all.
     * @throws {MobileTrackerError} `STORAGE_ERROR`
     */
    drop(filter?: RefusedFilter | null): Promise<number>
}

/** The calls of a test, of all clients. */
export interface RecordMethods {
    /**
     * The calls so far, of all clients, in the order in which they were made. As the others here only in a host that was started with `--record`.
     */
    calls(): Promise<Array<RecordedCall>>
    /**
     * Looks for calls, and says in words what is wrong with those that came.
     *
     * @param name The name of the event, screen or page; of other calls the method.
     * @param properties Values that the call has, among others. Objects are compared member by member, lists as a whole.
     * @param call What else the call has, such as `userId` or `client`. A dropped call is found by its `outcome` alone.
     * @param count How many calls; by default at least one.
     */
    expect(name: string, properties?: Properties | null, call?: Properties | null, count?: number | null): Promise<ExpectedCalls>
    /**
     * The calls that have a name and some values.
     *
     * @param name The name of the event, screen or page; of other calls the method.
     * @param properties Values that the call has, among others. Objects are compared member by member, lists as a whole.
     * @param call What else the call has, such as `userId` or `client`. A dropped call is found by its `outcome` alone.
     */
    find(name: string, properties?: Properties | null, call?: Properties | null): Promise<Array<RecordedCall>>
    /**
     * Drops valid calls for a reason from now on, as the product would.
     *
     * @param reason The reason; without one calls are taken again.
     */
    fail(reason?: DropReason | null): Promise<void>
    /**
     * Forgets the calls so far, and takes calls again. The clients stay as they are.
     */
    clear(): Promise<void>
    /**
     * Ends the clients, as `host.shutdown` does. The calls so far stay, and the host goes on.
     */
    shutdown(): Promise<void>
}

/** What the host says of all clients. */
export interface HostMethods {
    /**
     * Metrics of all clients, as text for Prometheus. They count all earlier calls, and maybe some later ones.
     */
    metrics(): Promise<string>
}

// The functions of the tracker that all share, each by its name.
export const init: TrackerMethods['init']
export const track: TrackerMethods['track']
export const identify: TrackerMethods['identify']
export const set: TrackerMethods['set']
export const setMetadata: TrackerMethods['setMetadata']
export const screen: TrackerMethods['screen']
export const screenDidAppear: TrackerMethods['screenDidAppear']
export const updateLocation: TrackerMethods['updateLocation']
export const updateSessionEmail: TrackerMethods['updateSessionEmail']
export const linkSession: TrackerMethods['linkSession']
export const reset: TrackerMethods['reset']
export const flush: TrackerMethods['flush']
export const setCredentials: TrackerMethods['setCredentials']
export const setConsent: TrackerMethods['setConsent']
export const isTrackingAllowed: TrackerMethods['isTrackingAllowed']
export const getSessionId: TrackerMethods['getSessionId']
export const getDeviceId: TrackerMethods['getDeviceId']
export const getSessionEmail: TrackerMethods['getSessionEmail']
export const getBrandId: TrackerMethods['getBrandId']
export const getCrossDomainUrl: TrackerMethods['getCrossDomainUrl']
export const continueSession: TrackerMethods['continueSession']
export const getDebugInfo: TrackerMethods['getDebugInfo']
export const networkDidChange: TrackerMethods['networkDidChange']
