import { clearTimeout, setTimeout } from './clock.js'
import { OF_STATE, clientOf } from './methods.js'
import { dropWarning } from './outcome.js'

/** How long drops are collected for one warning while calls are under way. */
const GATHERING_MS = 1000

/** Stands for all clients: without a host, the calls of all clients fail. */
const ANY = '*'

/**
 * Warns of calls that were dropped or failed.
 *
 * A wrong argument is a warning each time. For a reason in the tracker's state, such as NOT_INITIALIZED, there is one
 * warning for all calls that it drops until one is accepted again. A missing host is also one warning, for all calls
 * whose errors nobody handles.
 */
export class Warnings {
    #print
    #isBusy
    /** By client and reason: the first drop, and how many drops are not reported yet. */
    #streaks = new Map()

    /**
     * @param {(message: string) => void} print
     * @param {() => boolean} isBusy Whether calls are under way. They may be dropped too.
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
        if (!OF_STATE.has(drop.reason)) return this.#print(dropWarning(drop))
        this.#count(drop, clientOf(drop.method))
        if (!this.#isBusy()) this.#reportFirst()
    }

    /** A call failed, and nobody handles the error. @param {import('./outcome.js').Drop} drop */
    failed(drop) {
        this.#count({ ...drop, hasFailed: true }, ANY)
    }

    /** A call of this client was accepted: what dropped others before is over, and the count of them is due. */
    accepted(method) {
        if (this.#streaks.size === 0) return
        const client = clientOf(method)
        for (const [key, streak] of this.#streaks) {
            if (streak.client !== client && streak.client !== ANY) continue
            this.#report(streak)
            this.#streaks.delete(key)
        }
    }

    /** Prints the warnings that are still due. */
    finish() {
        for (const streak of this.#streaks.values()) this.#report(streak)
    }

    #count(drop, client) {
        const key = client + drop.reason
        const streak = this.#streaks.get(key)
        if (streak) return streak.count++
        const timer = setTimeout(() => this.#reportFirst(), GATHERING_MS).unref()
        this.#streaks.set(key, { client, first: drop, count: 1, isReported: false, timer })
    }

    #reportFirst() {
        for (const streak of this.#streaks.values()) {
            if (!streak.isReported) this.#report(streak)
        }
    }

    #report(streak) {
        clearTimeout(streak.timer)
        const { first, count, isReported } = streak
        // A logger may make calls, which are dropped as well.
        Object.assign(streak, { count: 0, isReported: true })
        if (count > 0) this.#print(dropWarning(first, count, isReported))
    }
}
