import { dropWarning, droppedCallsWarning, isOfState } from './outcome.js'

/** How long the first drops of a streak are gathered while calls are under way. */
const GATHERING_MS = 1000

/** Stands for all clients: without a host, the calls of each fail. */
const ANY = '*'

/**
 * Warns of what happens to calls.
 *
 * A wrong argument is a warning each time. A reason that lies in the tracker's state, such as NOT_INITIALIZED, is one
 * warning for all calls that it drops until one is accepted again. So is a host that cannot be had, for the calls whose
 * errors nobody waits for.
 */
export class Warnings {
    #print
    #isBusy
    /** By client and reason: the first drop, and how many are not told of yet. */
    #streaks = new Map()

    /**
     * @param {(message: string) => void} print
     * @param {() => boolean} isBusy Whether calls are under way that may be dropped too.
     */
    constructor(print, isBusy) {
        this.#print = print
        this.#isBusy = isBusy
    }

    /** @param {string} message */
    warn(message) {
        this.#print(message)
    }

    /** A call was dropped. @param {import('./outcome.js').Drop} drop */
    dropped(drop) {
        if (!isOfState(drop.reason)) return this.#print(dropWarning(drop))
        this.#count(drop, drop.method.slice(0, drop.method.indexOf('.') + 1))
        if (!this.#isBusy()) this.#tellBeginning()
    }

    /** A call has failed that nobody waits for, as others may by now. @param {import('./outcome.js').Drop} drop */
    failed(drop) {
        this.#count({ ...drop, hasFailed: true }, ANY)
    }

    /** A call was accepted. */
    accepted(method) {
        if (this.#streaks.size === 0) return
        const client = method.slice(0, method.indexOf('.') + 1)
        for (const [key, streak] of this.#streaks) {
            if (streak.client !== client && streak.client !== ANY) continue
            this.#tell(streak)
            this.#streaks.delete(key)
        }
    }

    /** Says what is still to be said. */
    finish() {
        for (const streak of this.#streaks.values()) this.#tell(streak)
    }

    #count(drop, client) {
        const key = client + drop.reason
        const streak = this.#streaks.get(key)
        if (streak) return streak.count++
        const timer = setTimeout(() => this.#tellBeginning(), GATHERING_MS).unref()
        this.#streaks.set(key, { client, first: drop, count: 1, isTold: false, timer })
    }

    #tellBeginning() {
        for (const streak of this.#streaks.values()) {
            if (!streak.isTold) this.#tell(streak)
        }
    }

    #tell(streak) {
        clearTimeout(streak.timer)
        if (streak.count > 0) this.#print(droppedCallsWarning(streak.first, streak.count, streak.isTold))
        streak.count = 0
        streak.isTold = true
    }
}
