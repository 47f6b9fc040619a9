/** After how many crashes within the span the host is not started again. */
const MOST = 5
const SPAN_MS = 60_000

/** Counts a host's crashes, so that a host that always crashes is not started for ever. */
export class CrashLimit {
    #times = []
    #now

    /** @param {() => number} [now] Milliseconds of a monotonic clock. */
    constructor(now = () => performance.now()) {
        this.#now = now
    }

    /** Counts one crash. */
    record() {
        this.#times = [...this.#times, this.#now()].slice(-MOST)
    }

    /** Whether the host crashed so often within a minute that it is not started again now. */
    get isReached() {
        return this.#times.length === MOST && this.#now() - this.#times[0] < SPAN_MS
    }
}
