import { now as clock } from './clock.js'

/** After how many crashes within the span the host is not started again. */
const MOST = 5
const SPAN_MS = 60_000

/** The wait before the next start: the first, doubled with each failure in a row, and the longest. */
const FIRST_MS = 50
const LONGEST_MS = 5000

/** Counts failures of a host: crashes, so that a host that always crashes is not started for ever, and failed starts. */
export class CrashLimit {
    #times = []
    /** How often in a row the system could not start the host, and since when. */
    #obstacles = 0
    #blockedSince = 0
    #now

    /** @param {() => number} [now] Milliseconds of a monotonic clock. */
    constructor(now = clock) {
        this.#now = now
    }

    record() {
        this.#times = [...this.#times, this.#now()].slice(-MOST)
    }

    /** The system could not start the host now: it lacks memory, processes or file descriptors. This is no crash. */
    recordObstacle() {
        if (this.#obstacles++ === 0) this.#blockedSince = this.#now()
    }

    /** The host has started. */
    started() {
        this.#obstacles = 0
    }

    /** Whether the host crashed so often within a minute that it is not started again now. */
    get isReached() {
        return this.#times.length === MOST && this.#isRecent(this.#times[0])
    }

    /** Whether the system has not been able to start the host for a minute. */
    get isBlocked() {
        return this.#obstacles > 1 && !this.#isRecent(this.#blockedSince)
    }

    /** How long to wait before the next start, in milliseconds. */
    get delay() {
        const failures = this.#times.filter((time) => this.#isRecent(time)).length + this.#obstacles
        return failures === 0 ? 0 : Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1))
    }

    #isRecent(time) {
        return this.#now() - time < SPAN_MS
    }
}
