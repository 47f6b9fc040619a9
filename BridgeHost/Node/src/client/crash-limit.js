/** How many ends are borne within the span. */
const MOST = 5
const SPAN_MS = 60_000

/** Counts a host's unexpected ends, so that one that always dies is not started for ever. */
export class CrashLimit {
    #times = []
    #now

    /** @param {() => number} [now] Milliseconds of a monotonic clock. */
    constructor(now = () => performance.now()) {
        this.#now = now
    }

    /** The host ended. */
    note() {
        this.#times = [...this.#times, this.#now()].slice(-MOST)
    }

    /** Whether it ended so often within a minute that another start would be in vain. */
    get isReached() {
        return this.#times.length === MOST && this.#now() - this.#times[0] < SPAN_MS
    }
}
