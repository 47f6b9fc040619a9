import type {
    AnalyticsDebugInfo, BasicDebugInfo, CallOptions, DiagnosticNews, FlushReport, LogNews, Outcome, Properties, SessionNews, TrackerConfig,
    TrackerMethods,
} from './protocol.js'

export * from './protocol.js'

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

/** How events are kept and delivered; the same for every client. */
export type DeliveryOptions = Pick<
    TrackerConfig,
    | 'storageDirectory' | 'persistence' | 'durability' | 'maxQueuedEvents' | 'maxQueuedBytes' | 'maxEventBytes'
    | 'eventTTLMs' | 'maxConcurrentRequests' | 'requestTimeoutMs' | 'compression' | 'compressionThreshold'
    | 'retryDelayMs' | 'failureThreshold' | 'cooldownMs' | 'maxCooldownMs' | 'jitter' | 'caBundle' | 'proxy'
    | 'allowInsecureHTTP'
>

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
    /** How many events are kept; 100 by default. */
    maxQueueSize?: number | null
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
    getDebugInfo(): Promise<AnalyticsDebugInfo>
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
    flush(timeoutMs?: number | null): Promise<FlushReport>
    getDebugInfo(): Promise<BasicDebugInfo>
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
export interface Tracker extends TrackerMethods {
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
    /**
     * Whether to post the clients' debug information once a second to the development collector they send to, which
     * shows it. Only an address of this machine gets it. By default true if the environment has
     * `MOBILE_TRACKER_COLLECTOR_PANEL=1`, which also works for the tracker that is the default export.
     */
    collectorPanel?: boolean
}

/** Makes a tracker with a host of its own, which is started on first use. */
export function createTracker(options?: TrackerOptions): Tracker

/** The tracker that most programs need: one for all, whose host is started on first use. */
export const MobileTracker: Tracker & {
    readonly createTracker: typeof createTracker
    readonly MobileTrackerError: typeof MobileTrackerError
}
export default MobileTracker
