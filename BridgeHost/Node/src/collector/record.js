/** One request, as the collector keeps it: in order, and with every key masked. */
export class ReceivedRequest {
    /** Its number among all requests since the start, from 1; never used twice. */
    seq = 0

    /**
     * @param {import('./routes.js').Route} route
     * @param {string} target The path with the query.
     * @param {Record<string, string>} headers Those worth keeping, names in lower case.
     * @param {object} facts
     */
    constructor(route, target, headers, { status, accepted, attempt, repeat, stream, flags, problems, findings, api, items, body, raw, fault, made, test, plan }) {
        /** When it had arrived: ISO 8601. */
        this.at = new Date().toISOString()
        this.method = route.method
        this.path = target
        /** @type {import('./routes.js').Kind} */
        this.kind = route.kind
        /** Whose batch it is, such as `segment`; null for what is no batch. @type {string | null} */
        this.api = api ?? route.api
        /** What it was answered, or null if the connection was cut instead. @type {number | null} */
        this.status = status
        /** Whether the backend has taken it: a 2xx, or an answer that was lost on purpose. @type {boolean} */
        this.accepted = accepted
        /** How often its Idempotency-Key has come, this time included. @type {number} */
        this.attempt = attempt ?? 1
        /** Whether it, or an event in it, had been accepted before. @type {boolean} */
        this.repeat = repeat ?? false
        /** Which client on which machine sent it, if that is known: requests of one stream share a sequence. @type {number | null} */
        this.stream = stream ?? null
        /** The run it belongs to: its `X-Test-Id`, or `/test/<id>` in its base path. @type {string | null} */
        this.test = test ?? null
        /** The session that the answer named. @type {string | null} */
        this.made = made ?? null
        /** @type {import('./sequence-checker.js').Flag[]} */
        this.flags = flags ?? []
        /** What is wrong with it, in plain sentences. @type {string[]} */
        this.problems = problems ?? []
        /** The same as data, for the page. @type {import('./checks/placed.js').PlacedFinding[]} */
        this.findings = findings ?? []
        /** What the plan says of its calls; empty without a plan. @type {import('../plan/plan.js').Judgement[]} */
        this.plan = plan ?? []
        this.headers = headers
        /** @type {import('./items.js').Item[]} */
        this.items = items
        /** Bytes of the body on the wire. */
        this.size = body?.size ?? 0
        /** Bytes of the body once decompressed. */
        this.plainSize = body?.plainSize ?? 0
        /** The body's text as it was sent, decompressed. @type {string} */
        this.raw = raw
        /** Whether `raw` is valid JSON. */
        this.isJSON = body?.inspection != null
        /** What the fault script did to it. @type {string | null} */
        this.fault = fault
    }

    /** What the body holds, or undefined. Numbers beyond 2^53 lose digits here; `raw` has them as they came. */
    get body() {
        return this.isJSON ? JSON.parse(this.raw) : undefined
    }

    /** The record as JSON text. It contains the body character for character as it was sent. */
    toText() {
        const { seq, at, method, path, kind, api, status, accepted, attempt, repeat, stream, test, made, flags, problems, plan, headers, items, size, fault } = this
        const rest = JSON.stringify({
            seq, at, method, path, kind, api, status, accepted, attempt, repeat, stream, test, made, flags, problems, plan, headers, items, size, fault,
            raw: this.raw,
        })
        return `${rest.slice(0, -1)},"body":${this.isJSON ? this.raw : 'null'}}`
    }
}
