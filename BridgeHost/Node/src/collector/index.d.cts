/** What a request is, by its method and path. */
export type Kind =
    | 'session' | 'event' | 'profile' | 'identify' | 'location' | 'email' | 'link' | 'batch' | 'basic' | 'unknown'

/** Whose batches there are, as the option `api` of an AnalyticsClient names them. */
export type Api = 'metaRouter' | 'segment' | 'postHog' | 'amplitude' | 'mixpanel' | 'otlp'

/** One thing a request carries: each event of a batch or an array, or the request as a whole. */
export interface Item {
    /** An event's type in a batch or array (`track`, `identify`…), else the request's kind. */
    readonly type: string
    readonly name: string | null
    readonly user: string | null
    readonly session: string | null
    /** The message id, where the body holds one. */
    readonly id: string | null
}

/** Something about a request that is no fault of its own. */
export interface Flag {
    /** `personal` is what looks like personal data in a member that is not meant to hold it. */
    readonly kind: 'repeat' | 'gap' | 'order' | 'cut' | 'personal'
    readonly text: string
}

/** One request, with every key masked. */
export interface ReceivedRequest {
    /** Its number among all requests since the start, from 1. */
    readonly seq: number
    /** When it had arrived: ISO 8601. */
    readonly at: string
    readonly method: string
    /** The path with the query. */
    readonly path: string
    readonly kind: Kind
    /** Whose batch it is; null for what is no batch. */
    readonly api: Api | null
    /** What it was answered, or null if the connection was cut instead. */
    readonly status: number | null
    /** Whether the backend has taken it: a 2xx, or an answer that was lost on purpose. */
    readonly accepted: boolean
    /** How often its Idempotency-Key has come, this time included. */
    readonly attempt: number
    /** Whether it, or an event in it, had been accepted before. */
    readonly repeat: boolean
    /** The run it belongs to: its `X-Test-Id`, or `/test/<id>` in its base path. */
    readonly test: string | null
    /** Which client on which machine sent it, if that is known: requests of one stream share a sequence. */
    readonly stream: number | null
    /** The session that the answer named. */
    readonly made: string | null
    readonly flags: readonly Flag[]
    /** What is wrong with it, in plain sentences. */
    readonly problems: readonly string[]
    /** What the plan says of its calls; empty without a plan. */
    readonly plan: ReadonlyArray<Judgement>
    /** Names in lower case. */
    readonly headers: Readonly<Record<string, string>>
    readonly items: readonly Item[]
    /** Bytes of the body on the wire. */
    readonly size: number
    /** Bytes of the body once decompressed. */
    readonly plainSize: number
    /** The body's text as it was sent, decompressed. */
    readonly raw: string
    readonly isJSON: boolean
    /** What the fault script did to it. */
    readonly fault: string | null
    /** What the body holds, or undefined. Numbers beyond 2^53 lose digits here; `raw` has them as they came. */
    readonly body: any
}

/** Which requests you want. What is left out does not matter; a list means any of them. */
export interface Filter {
    kind?: Kind | Kind[]
    /** An event's type in a batch or array, or the kind. */
    type?: string | string[]
    /** An event's name. */
    name?: string | string[]
    user?: string | string[]
    session?: string | string[]
    test?: string | string[]
    status?: number | number[]
    /** Only those that the backend has taken, or only those it has not. */
    accepted?: boolean | 'any'
    /** Only those that had been accepted before, or only those that had not. */
    repeats?: boolean | 'any'
    /** Only those with problems, or only those without. */
    problems?: boolean | 'any'
    /** Only requests after this number. */
    since?: number
}

/** What to wait for. Only what was accepted counts, and nothing twice, unless the filter says otherwise. */
export interface Wanted extends Filter {
    /** How many events; each event of a batch that matches counts. 1 if left out. */
    count?: number
    /** How many requests, instead. */
    requests?: number
    /** 10,000 if left out. */
    timeoutMs?: number
}

/** One instruction of a fault script. */
export interface Fault {
    status?: number | string
    action?: 'ok' | 'drop-before' | 'drop-after' | 'stall' | 'half-header' | 'half-body' | 'garbage'
    /** Once if left out. */
    times?: number | 'always'
    /** Milliseconds to wait before the answer. */
    delay?: number | string
    retryAfter?: number | string
    location?: string
    headers?: Record<string, string>
    body?: unknown
    id?: string
    kind?: Kind
    path?: string
    name?: string
    unlessKey?: string
    indices?: true | 'yes'
    above?: number | string
    every?: number | string
    for?: number | string
}

/** A text such as `'500×3, 429:retry-after=2'`, or instructions one by one. */
export type FaultScript = string | Fault | ReadonlyArray<string | number | Fault>

/** Counts since the start. */
export interface Totals {
    readonly requests: number
    readonly accepted: number
    readonly events: number
    readonly withProblems: number
    readonly repeat: number
    readonly gap: number
    readonly order: number
    readonly cut: number
    readonly personal: number
    /** Requests that were refused as those of a web page elsewhere; no other count has them. */
    readonly foreign: number
    /** Calls that keep to the plan, and calls that do not. */
    readonly kept: number
    readonly broken: number
    /** How many requests were forgotten to keep under `maxBytes`. */
    readonly forgotten: number
}

/** The last account of a client with `collectorPanel: true`, compared with what came. */
export interface Account {
    readonly client: string
    readonly at: string
    readonly debugInfo: any
    /** The last events that it keeps apart since a server refused them, with the answers. */
    readonly refused: readonly any[]
    readonly comparison: {
        readonly state: 'waiting' | 'agrees' | 'differs'
        readonly delivered: number
        readonly arrived: number
        readonly text: string
    }
}

export interface CollectorOptions {
    /** 0, the default, takes any free port. */
    port?: number
    /** The address to listen at, 127.0.0.1. With another, other machines can reach the collector. */
    host?: string
    /** Where the basic client's events go: `/` and `/events`. */
    basicPaths?: string[]
    /** Take a POST to any other path as the basic client's. By default it is answered 404. */
    anyPath?: boolean
    /** Answer 422 to a request that is not as it should be. By default it is answered 2xx. */
    strict?: boolean
    /** Whose batches alone may come: any other request is a problem then. */
    api?: Api
    /** About how much memory the kept requests may take: 64 MiB. */
    maxBytes?: number
    /** The largest body, compressed or not: 16 MiB. */
    maxBodyBytes?: number
    /** A fault script to begin with. */
    faults?: FaultScript
    /** Which calls there are and what their data must be. What breaks it is a problem of the request. */
    plan?: Plan
}

/** What a plan says of one call. */
export interface Judgement {
    /** The event's; `screen NAME`, `identify` or `group`. */
    readonly name: string
    readonly verdict: 'kept' | 'broken'
    /** Why it is broken, a sentence each. */
    readonly reasons: readonly string[]
    /** The call's place among the items of its request. */
    readonly item: number
}

/** A plan: events and screens by name, with a JSON Schema (a common subset of Draft 2020-12) of their data; and of traits. */
export interface Plan {
    events: Record<string, { data?: object | boolean; description?: string; examples?: object[] }>
    /** Without it, screens are not judged. */
    screens?: Record<string, { data?: object | boolean; description?: string; examples?: object[] }>
    /** What is known of a user. Without it, that is not judged. */
    identify?: { traits?: object | boolean; description?: string; examples?: object[] }
    /** What is known of a group. Without it, that is not judged. */
    group?: { traits?: object | boolean; description?: string; examples?: object[] }
    /** What an event or a screen is that the plan does not name: broken (`forbid`, the default) or nothing. */
    others?: 'allow' | 'forbid'
    $defs?: Record<string, object | boolean>
}

/** Not enough came in time, or the collector was closed. */
export class WaitError extends Error {
    /** What did come. */
    readonly received: ReceivedRequest[]
}

/** A collector that runs. */
export interface RunningCollector {
    readonly port: number
    /** Where it listens, without a slash at the end: what `apiUrl`, `ingestionHost` and `endpoint` are set to. */
    readonly url: string
    /** What it got, oldest first, as far as it is still kept. */
    received(filter?: Filter): ReceivedRequest[]
    /**
     * Waits until so many requests have arrived, including those that are there already. Returns those that match.
     * Rejects with a `WaitError` when the time is up.
     */
    wait(wanted?: Wanted): Promise<ReceivedRequest[]>
    /** Sets the fault script, in place of what is left of the old one. */
    faults(script: FaultScript): void
    /** What is left of the fault script. */
    faultsLeft(): string[]
    /** Forgets all requests, and with them which keys and numbers have come. Sessions and the fault script stay. */
    clear(): void
    totals(): Totals
    /** The last account of each client that posts one. */
    accounts(): Account[]
    /** Calls the listener with every account that comes. Returns what ends it. */
    onAccount(listener: (account: Account) => void): () => void
    /** Calls the listener with every request that comes. Returns what ends it. */
    listen(listener: (request: ReceivedRequest) => void): () => void
    /** Calls the listener with the reason for each request that was refused as foreign. Returns what ends it. */
    onForeign(listener: (reason: string) => void): () => void
    /** Stops listening, and cuts every connection. Waits under way end. Safe to call twice. */
    close(): Promise<void>
}

/**
 * Starts a collector on 127.0.0.1: a backend for tests, in this process.
 *
 * Rejects with the system's code, such as `EADDRINUSE`, if the port cannot be had, and with a `TypeError` for an option
 * that there is not.
 */
export function startCollector(options?: CollectorOptions): Promise<RunningCollector>
