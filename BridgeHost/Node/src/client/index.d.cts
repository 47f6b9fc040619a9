import type {
    AnalyticsMethods, AnalyticsScope, BasicMethods, HostMethods, RefusedMethods, BasicOptions, BeforeSend, Convert, CredentialsNotification, CredentialsProvider, DiagnosticNotification, HostErrorCode, LogNotification, Logger, SessionNotification,
    TrackerMethods,
} from './protocol.cjs'

export * from './protocol.cjs'

/** The code of an error. */
export type ErrorCode =
    | HostErrorCode
    /** There is no host program where one could be. */
    | 'HOST_NOT_FOUND'
    /** The host program cannot run on this machine, or not with these arguments. */
    | 'HOST_START_FAILED'
    /** The host program belongs to another version of this package. */
    | 'PROTOCOL_MISMATCH'
    /** The host ended before it answered. */
    | 'HOST_EXITED'

/** An error with a stable `code`. Decide by the code, not by the message. */
export class MobileTrackerError extends Error {
    readonly code: ErrorCode
    /** The number in JSON-RPC; undefined for errors that come from no message. */
    readonly number: number | undefined
    /** Whether the same call may succeed later. */
    readonly retryable: boolean
    /** What else is known. With `SESSION_CREATION_FAILED`: `status` or `cause`. */
    readonly data: Readonly<Record<string, unknown>>

    /** The code comes first, and `details` are the members above. */
    constructor(
        code: ErrorCode, message: string,
        details?: { number?: number | undefined, retryable?: boolean, data?: Readonly<Record<string, unknown>> },
    )
}

/** How events are kept and delivered; the same for every client. */
export type DeliveryOptions = Omit<BasicOptions, 'maxQueueSize' | 'debug' | 'enabled'>

/** Sends batches of events to an ingestion host. Independent of the other clients. */
export interface Analytics extends AnalyticsMethods {
    /**
     * Runs `body`, and gives these values to every analytics call that it makes, also after an `await` and in timers, as an
     * `AsyncLocalStorage` of Node does. What a call says itself wins. A scope inside another one takes over what it leaves out,
     * but no id if it names another user.
     *
     * Leave out an id that you do not know: with one that is undefined, null or blank, every call in the scope is dropped
     * as `INVALID_VALUE`. The values are read now; to change them later has no effect.
     *
     * @returns What `body` returns.
     */
    with<Result>(scope: AnalyticsScope, body: () => Result): Result
}

/** Sends events to one endpoint. Independent of the other clients. */
export type Basic = BasicMethods

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
 * Calls take effect in the order in which they are made. A wrong argument never makes a tracking call reject: its outcome
 * is `dropped`, and a warning names the caller's line. Other calls reject; an unhandled rejection is a warning and never
 * ends the program. If the host dies it is started again: tracking calls, `reset` and `setConsent` that it had not
 * answered are made again under their message ids; others reject with `HOST_EXITED`.
 */
export interface Tracker extends TrackerMethods {
    /** Calls the listener with each notification of this kind from now on. Returns a function that ends this. */
    on(event: 'log', listener: (notification: LogNotification) => void): () => void
    on(event: 'diagnostic', listener: (notification: DiagnosticNotification) => void): () => void
    on(event: 'session', listener: (notification: SessionNotification) => void): () => void
    /** Each record that the server has accepted, by its `messageId`. The host sends these only if there is a listener. */
    on(event: 'delivered', listener: (notification: DiagnosticNotification) => void): () => void
    /**
     * A client needs other credentials: answer with its `setCredentials`. The option `credentials` does that. Listen
     * before the client is initialised, if it has no key then.
     */
    on(event: 'credentials', listener: (notification: CredentialsNotification) => void): () => void
    /**
     * Tracks the pages that an Electron window shows: the title is the screen's name. Call it before the window loads.
     * A page is tracked when its title arrives, at the latest after `titleWaitMs` (250). Returns a function that stops.
     */
    trackScreens(webContents: WebContentsLike, options?: { titleWaitMs?: number }): () => void
    /** Sends for at most 1.5 s, and ends the host. What is left waits on disk. */
    shutdown(): Promise<void>
    /** The same as `shutdown`. */
    close(): Promise<void>
    readonly analytics: Analytics
    readonly basic: Basic
    readonly refused: RefusedMethods
    readonly host: HostMethods
}

/** The options of `createTracker`. Relative paths lead from the working directory that the program has when it makes the tracker. */
export interface TrackerOptions {
    /** The path of the host program. Without it the package searches for the host. */
    hostPath?: string
    /** Arguments for the host program. */
    hostArguments?: string[]
    /**
     * The socket of this machine's agent (`BridgeHost --listen PATH`), to connect to instead of starting a host. `auto`: the
     * usual places, and a host of the program's own where none listens. Without it `MOBILE_TRACKER_AGENT` counts. `false`:
     * a host of its own, whatever that variable says.
     */
    agent?: string | false
    /** Where the host's log goes: to this program's stderr (`inherit`, the default), or nowhere (`ignore`). */
    stderr?: 'inherit' | 'ignore'
    /** Whether this package warns by `console.warn`, of dropped calls above all; true by default. */
    warnings?: boolean
    /**
     * The program's name. It is in the path of the default state folder: programs of one user with the same name share
     * session and user. By default the name in the package.json of the entry script, else the name of that script.
     */
    appName?: string
    /**
     * Whether to post the clients' debug information once a second to the development collector they send to, which
     * shows it. Only an address of this machine receives it. By default true if the environment has
     * `MOBILE_TRACKER_COLLECTOR_PANEL=1`; this also works for the tracker that is the default export.
     */
    collectorPanel?: boolean
    /** Receives this package's warnings and the host's log, instead of `console.warn` and stderr. */
    logger?: Logger
    /** Receives the calls of every client that has no `beforeSend` of its own. */
    beforeSend?: BeforeSend
    /** Turns what JSON does not have into something that it has, for every client that has no `convert` of its own. */
    convert?: Convert
    /** Gives its key and headers to every client that has no `credentials` of its own. */
    credentials?: CredentialsProvider
}

/** Makes a tracker with a host of its own. The first call starts the host. */
export function createTracker(options?: TrackerOptions): Tracker

/** The tracker that most programs need: one for the whole process. The first call starts its host. */
export const MobileTracker: Tracker & {
    readonly createTracker: typeof createTracker
    readonly MobileTrackerError: typeof MobileTrackerError
}
export default MobileTracker

// Its members, each by its own name. protocol.d.cts has those of the host's methods.
export const analytics: Analytics
export const basic: Basic
export const refused: RefusedMethods
export const host: HostMethods
export const close: Tracker['close']
export const on: Tracker['on']
export const shutdown: Tracker['shutdown']
export const trackScreens: Tracker['trackScreens']
