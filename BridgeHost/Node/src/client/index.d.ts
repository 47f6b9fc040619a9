/**
 * The properties of an event, the data of a profile and the like: an object of what JSON can hold. Undefined members
 * are left out, a Date is its ISO text, and `toJSON` is asked.
 *
 * NaN, infinities, BigInt, cycles, lone surrogates and more than 128 levels are refused: the call is dropped as
 * `SERIALIZATION_ERROR`, and a warning says where the value is.
 */
export type Properties = object

/** Why a call was dropped at once. */
export type DropReason =
    | 'NOT_INITIALIZED'
    | 'INVALID_EVENT_NAME'
    | 'INVALID_USER_ID'
    | 'INVALID_VALUE'
    | 'REPEATED_SCREEN'
    | 'TRACKING_NOT_ALLOWED'
    | 'SERIALIZATION_ERROR'
    | 'TOO_LARGE'
    | 'STORAGE_ERROR'
    | 'QUEUE_FULL'
    | 'DISABLED'

/**
 * What became of a tracking call. Queued: it is on disk, outlives a crash and is delivered at least once, in order.
 * Pending: on disk too, waiting for a session or for consent. Dropped: it left no trace, and a warning was logged.
 */
export type Outcome =
    | { status: 'queued'; messageId: string }
    | { status: 'pending'; messageId: string }
    | { status: 'dropped'; reason: DropReason }

/** Why a flush left something behind. */
export type StopReason =
    | 'timeout'
    | 'retryWait'
    | 'breakerOpen'
    | 'halted'
    | 'noConsent'
    | 'noSession'
    | 'notInitialized'
    | 'otherProcess'
    | 'storage'

/** What a flush did with what was queued when it was called. */
export interface FlushReport {
    delivered: number
    remaining: number
    /** Present if anything remains. */
    stoppedBy?: StopReason
}

/** The code of an error. */
export type ErrorCode =
    | 'INVALID_BRAND_ID'
    | 'INVALID_CONFIGURATION'
    | 'SESSION_CREATION_FAILED'
    | 'SERIALIZATION_ERROR'
    | 'NETWORK_ERROR'
    | 'INIT_ERROR'
    | 'INVALID_API_KEY'
    | 'INVALID_ENDPOINT'
    | 'STORAGE_ERROR'
    | 'INVALID_PARAMS'
    | 'MESSAGE_TOO_LARGE'
    | 'INTERNAL_ERROR'
    | 'METHOD_NOT_FOUND'
    /** There is no host program where one could be. */
    | 'HOST_NOT_FOUND'
    /** The host program cannot run on this machine. */
    | 'HOST_START_FAILED'
    /** The host program belongs to another version of this package. */
    | 'PROTOCOL_MISMATCH'
    /** The host ended before it answered. */
    | 'HOST_EXITED'

/** Something a caller can act on: by its `code`, which is stable, and not by its message. */
export class MobileTrackerError extends Error {
    readonly code: ErrorCode
    /** The number in JSON-RPC; undefined for errors that come from no message. */
    readonly number: number | undefined
    /** Whether the same call may succeed later. */
    readonly retryable: boolean
    /** What else is known. With `SESSION_CREATION_FAILED`: `status` or `cause`. */
    readonly data: Readonly<Record<string, unknown>>
}

/** What may follow the arguments of a tracking call. */
export interface CallOptions {
    /**
     * 1 to 128 printable ASCII characters: a second call with the same id is not queued again. Made up if left out.
     */
    messageId?: string
}

/** A user's decision about tracking. */
export type Consent = 'granted' | 'denied' | 'pending'

/** How events are kept and delivered; the same for every client. Null means left out. */
export interface DeliveryOptions {
    /** The state folder; by default `$XDG_STATE_HOME/mobile-tracker` or `~/.local/state/mobile-tracker`. */
    storageDirectory?: string | null
    /** Where undelivered events live: `disk` by default. */
    persistence?: 'disk' | 'memory' | null
    /** What an accepted event survives: the death of the process by default, a loss of power with `full`. */
    durability?: 'process' | 'full' | null
    /** Past this many events the oldest is dropped and counted; 10,000 by default. */
    maxQueuedEvents?: number | null
    /** Past this many bytes the oldest is dropped and counted; 64 MiB by default. */
    maxQueuedBytes?: number | null
    /** A larger event is refused; 512 KiB by default. */
    maxEventBytes?: number | null
    /** How long an event may wait before it is dropped and counted; for ever by default. */
    eventTTLMs?: number | null
    /** How many requests may be under way at once; 1 by default. More trades order for speed. */
    maxConcurrentRequests?: number | null
    /** How long a request may take; 30,000 by default. */
    requestTimeoutMs?: number | null
    /** How bodies are compressed; `gzip` by default. */
    compression?: 'gzip' | 'none' | null
    /** Bodies of at least this many bytes are compressed; 1,024 by default. */
    compressionThreshold?: number | null
    /** The wait after the first failure; 1,000 by default. */
    retryDelayMs?: number | null
    /** After this many failures in a row the circuit breaker opens; 3 by default. */
    failureThreshold?: number | null
    /** How long it stays open at first; 10,000 by default. */
    cooldownMs?: number | null
    /** How long it stays open at most; 120,000 by default. */
    maxCooldownMs?: number | null
    /** How far a wait may differ from its length, either way; 0.2 by default. */
    jitter?: number | null
    /** A file of certificates to trust instead of the system's. */
    caBundle?: string | null
    /** A proxy's URL; by default as the environment says. */
    proxy?: string | null
    /** Whether plain `http` may be used to hosts other than this machine; false by default. */
    allowInsecureHTTP?: boolean | null
}

/** The configuration of the tracker. Null means left out. */
export interface TrackerConfig extends DeliveryOptions {
    /** The backend's base URL, `https` or on this machine. Required, also under its other name. */
    apiUrl?: string | null
    /** The key sent as `X-API-Key`. Required, also under its other name. */
    xApiKey?: string | null
    /** Whether informative and debug messages are logged; false by default. */
    debug?: boolean | null
    /** Whether sessions may be carried between sites; false by default. */
    crossSiteCookie?: boolean | null
    /** The domain, with its subdomains, that a session may be carried to; any by default. */
    cookieDomain?: string | null
    /** How many days stored values last; 365 by default. */
    cookieExpiration?: number | null
    /** When the backend session is made; during init by default. */
    sessionCreation?: 'duringInit' | 'inBackground' | null
    /** How long the whole of init may take; 30,000 by default. */
    initTimeoutMs?: number | null
    /** The consent of a first start; granted by default. */
    consent?: Consent | null
    /** What the backend is told about the device, instead of what the system is. */
    device?: { osName?: string | null; deviceType?: string | null } | null
    /** A screen to track once the tracker is ready. */
    initialScreen?: string | { name: string; url?: string | null } | null
    /** How many calls may wait for a session; as many as the queue holds by default. */
    maxPendingEvents?: number | null
    api_url?: string | null
    x_api_key?: string | null
    cross_site_cookie?: boolean | null
    cookie_domain?: string | null
    cookie_expiration?: number | null
}

/** The one-object form of `init` that the React Native package published. */
export interface ReactNativeConfig extends TrackerConfig {
    /** The brand id. */
    apiKey: string
    /** The backend's base URL. */
    endpoint?: string | null
}

/** The options of the analytics client. Null means left out. */
export interface AnalyticsOptions extends DeliveryOptions {
    writeKey: string
    ingestionHost: string
    debug?: boolean | null
    /** How often events are sent, in seconds; 10 by default. */
    flushIntervalSeconds?: number | null
    /** How many events are kept; 2,000 by default. */
    maxQueueEvents?: number | null
    /** Events are sent as soon as there are so many; 20 by default. */
    flushAt?: number | null
    /** How many events go into one request; 100 by default. */
    maxBatchSize?: number | null
    /** How many bytes go into one request; 475,000 by default. */
    maxBatchBytes?: number | null
    /** What the events say about the app. */
    app?: { name?: string; version?: string; build?: string; namespace?: string } | null
    /** Merged over the context that is collected. */
    context?: Properties | null
}

/** The options of the basic tracker. Null means left out. */
export interface BasicOptions extends DeliveryOptions {
    debug?: boolean | null
}

/** A message of the log. */
export interface LogNews {
    level: string
    message: string
    /** ISO 8601, UTC. */
    at: string
}

/** Something that happened to an event or on the way to the backend. */
export interface DiagnosticNews {
    /** Whom it is about. */
    client: 'tracker' | 'analytics' | 'basic'
    /** What happened, such as `dropped`, `retried` or `breaker`. */
    kind: string
    reason?: string
    /** Which event, where one is named. */
    messageId?: string
    /** The backend's HTTP status. */
    status?: number
    /** How many, where they are not named. */
    count?: number
    [more: string]: unknown
}

/** There is another session, or none. */
export interface SessionNews {
    sessionId: string | null
}

/** Sends batches of events to an ingestion host. Independent of the other clients. */
export interface Analytics {
    initialize(options: AnalyticsOptions): Promise<void>
    track(event: string, properties?: Properties | null, options?: CallOptions): Promise<Outcome>
    identify(userId: string, traits?: Properties | null, options?: CallOptions): Promise<Outcome>
    group(groupId: string, traits?: Properties | null, options?: CallOptions): Promise<Outcome>
    screen(name: string, properties?: Properties | null, options?: CallOptions): Promise<Outcome>
    page(name: string, properties?: Properties | null, options?: CallOptions): Promise<Outcome>
    /** Makes the new id the user id. */
    alias(newUserId: string, options?: CallOptions): Promise<Outcome>
    /** Null clears it; a blank text is ignored. */
    setAdvertisingId(advertisingId: string | null, options?: CallOptions): Promise<Outcome>
    clearAdvertisingId(options?: CallOptions): Promise<Outcome>
    flush(timeoutMs?: number | null): Promise<FlushReport>
    /** Drops what is queued and forgets who the user is. Calls are dropped until `initialize` is called again. */
    reset(options?: CallOptions): Promise<void>
    enableDebugLogging(): Promise<void>
    getDebugInfo(): Promise<Record<string, unknown>>
    /** The app came to the foreground. */
    foreground(): Promise<void>
    /** The app went to the background. */
    background(): Promise<void>
}

/** Sends events to one endpoint. Independent of the other clients. */
export interface Basic {
    initialize(
        apiKey: string,
        endpoint: string,
        appVersion?: string | null,
        options?: BasicOptions | null,
    ): Promise<void>
    initialize(params: {
        apiKey: string
        endpoint: string
        appVersion?: string | null
        options?: BasicOptions | null
    }): Promise<void>
    track(event: string, properties?: Properties | null, options?: CallOptions): Promise<Outcome>
    /** The user id and the traits go with every event from now on. */
    identify(userId: string, traits?: Properties | null, options?: CallOptions): Promise<Outcome>
    screen(name: string, properties?: Properties | null, options?: CallOptions): Promise<Outcome>
}

/** As much of Electron's WebContents as is followed. */
export interface WebContentsLike {
    // What listeners get differs from event to event.
    on(event: any, listener: (...args: any[]) => void): unknown
    removeListener(event: any, listener: (...args: any[]) => void): unknown
    getTitle?(): string
}

/**
 * A tracker and the host behind it.
 *
 * Calls take effect in the order in which they are made. A call that nobody waits for never ends the program, whatever
 * becomes of it. If the host dies it is started again: tracking calls, `reset` and `setConsent` that it had not
 * answered are made again under their message ids; others reject with `HOST_EXITED`.
 */
export interface Tracker {
    /**
     * Makes the tracker ready. Calls made before this resolves are held.
     *
     * @throws {MobileTrackerError} `INVALID_BRAND_ID`, `INVALID_CONFIGURATION`, `SESSION_CREATION_FAILED`,
     *     `STORAGE_ERROR`, `INIT_ERROR`.
     */
    init(brandId: string, config?: TrackerConfig | null): Promise<void>
    init(config: ReactNativeConfig): Promise<void>
    /** Records that an event happened. Metadata wins over an attribute of the same name. */
    track(
        eventName: string,
        attributes?: Properties | null,
        metadata?: Properties | null,
        options?: CallOptions,
    ): Promise<Outcome>
    /** Says who the user is. Events tracked later arrive later. */
    identify(userId: string, profileData?: Properties | null, options?: CallOptions): Promise<Outcome>
    /** Updates the profile without changing the user. */
    set(profileData: Properties, options?: CallOptions): Promise<Outcome>
    /** Adds to the data of all later events of this session. */
    setMetadata(metadata: Properties, options?: CallOptions): Promise<Outcome>
    /** Tracks a screen view, always. */
    screen(name: string, properties?: Properties | null, options?: CallOptions): Promise<Outcome>
    /** Tracks a screen view unless that screen was the last one. */
    screenDidAppear(
        name: string,
        url?: string | null,
        properties?: Properties | null,
        options?: CallOptions,
    ): Promise<Outcome>
    /** Leaves the user: session, device and identity are gone from disk when this resolves. */
    reset(all?: boolean | null, options?: CallOptions): Promise<void>
    /** Sends what is queued now; returns at the first wait. */
    flush(timeoutMs?: number | null): Promise<FlushReport>
    updateLocation(latitude: number, longitude: number, accuracy: number, options?: CallOptions): Promise<Outcome>
    updateSessionEmail(email: string, options?: CallOptions): Promise<Outcome>
    linkSession(sourceSessionId: string, options?: CallOptions): Promise<Outcome>
    /** Takes note of what the user decided; it outlives restarts and resets. */
    setConsent(consent: Consent, options?: CallOptions): Promise<void>
    isTrackingAllowed(): Promise<boolean>
    getSessionId(): Promise<string | null>
    getDeviceId(): Promise<string | null>
    getSessionEmail(): Promise<string | null>
    getBrandId(): Promise<string | null>
    /** The URL with the session in its query, if sessions may be carried there; else as it is. */
    getCrossDomainUrl(url: string): Promise<string>
    /** Takes over the session that a URL carries. */
    continueSession(url: string, options?: CallOptions): Promise<Outcome>
    getDebugInfo(): Promise<Record<string, unknown>>
    /** The network is back: a wait is cut short. */
    networkDidChange(): Promise<void>
    /** Calls the listener with all news of this kind from now on, and returns what ends it. */
    on(event: 'log', listener: (news: LogNews) => void): () => void
    on(event: 'diagnostic', listener: (news: DiagnosticNews) => void): () => void
    on(event: 'session', listener: (news: SessionNews) => void): () => void
    /**
     * Tracks the pages that an Electron window shows: the title is the screen's name. Follow it before it loads.
     * A page is tracked when its title comes, at the latest after `titleWaitMs` (250). Returns what ends it.
     */
    trackScreens(webContents: WebContentsLike, options?: { titleWaitMs?: number }): () => void
    /** Sends what can be sent in the host's time (1.5 s), and ends the host. What is left waits on disk. */
    shutdown(): Promise<void>
    /** The same as `shutdown`. */
    close(): Promise<void>
    readonly analytics: Analytics
    readonly basic: Basic
}

/** What a tracker is made with. */
export interface TrackerOptions {
    /** The host program, instead of looking for it. */
    hostPath?: string
    /** What to start the host with. */
    hostArguments?: string[]
    /** Where the host's log goes: to this program's stderr (`inherit`, the default), or nowhere. */
    stderr?: 'inherit' | 'ignore'
}

/** Makes a tracker with a host of its own, which is started on first use. */
export function createTracker(options?: TrackerOptions): Tracker

/** The tracker that most programs need: one for all, whose host is started on first use. */
export const MobileTracker: Tracker & {
    readonly createTracker: typeof createTracker
    readonly MobileTrackerError: typeof MobileTrackerError
}
export default MobileTracker
