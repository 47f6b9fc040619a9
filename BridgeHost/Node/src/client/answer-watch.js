import { clearTimeout, now, setTimeout } from './clock.js'
import { METHODS } from './methods.js'

/** @typedef {import('./call.js').Call} Call */

/** How long the host may be silent while a call waits that it normally answers at once. */
export const SILENCE_MS = 10_000

/** How long the calls take that the host may answer late, unless they say so themselves. */
const LATE_MS = 30_000

/** Notices when the host does not answer. */
export class AnswerWatch {
    #calls
    #changed
    #timer = null

    /** Whether the host has been silent for too long. */
    isSilent = false

    /** When the host has last written something, by the clock of `clock.js`. */
    heardAt = 0

    /**
     * @param {() => Iterable<Call>} calls Those that have no answer yet.
     * @param {(isNew: boolean) => void} changed Called when the host falls silent, again and again while it is, and when it
     *     is heard again. `isNew` is whether it was not silent before.
     */
    constructor(calls, changed) {
        this.#calls = calls
        this.#changed = changed
    }

    /** The call goes to the host now. @param {Call} call */
    sent(call) {
        call.dueAt = now() + SILENCE_MS + lateness(call)
        this.#timer ??= setTimeout(() => this.#look(), SILENCE_MS).unref()
    }

    /** The host has written something. */
    heard() {
        this.heardAt = now()
        if (!this.isSilent) return
        this.isSilent = false
        this.#changed(false)
    }

    /** There is no host, or another one, and it has got no call yet. */
    restart() {
        clearTimeout(this.#timer)
        this.#timer = null
        this.isSilent = false
        for (const call of this.#calls()) call.dueAt = Infinity
    }

    #look() {
        this.#timer = null
        let due = Infinity
        for (const { dueAt } of this.#calls()) due = Math.min(due, dueAt)
        if (due === Infinity) return
        const rest = Math.max(due, this.heardAt + SILENCE_MS) - now()
        this.#timer = setTimeout(() => this.#look(), Math.min(Math.max(rest, 1000), SILENCE_MS)).unref()
        if (rest > 0) return
        const isNew = !this.isSilent
        this.isSilent = true
        this.#changed(isNew)
    }
}

/** How long the host may take for a call by itself: a flush sends, and an `init` may wait for a session. */
function lateness({ method, given }) {
    const { gives, restores } = METHODS[method] ?? {}
    if (gives !== 'report' && restores !== 'setup') return 0
    const { timeoutMs, initTimeoutMs, config } = given
    const own = timeoutMs ?? initTimeoutMs ?? config?.initTimeoutMs
    return typeof own === 'number' ? own : LATE_MS
}
