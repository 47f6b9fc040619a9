/**
 * A call that was made, and what became of it.
 *
 * @typedef {object} MadeCall
 * @property {import('./day.js').Entry} entry
 * @property {any} [result] What its promise resolved with.
 * @property {Error} [error] What it rejected with.
 * @property {boolean} isAnswered
 */

/**
 * Plays a day: makes its calls in their order.
 *
 * Calls of one minute are made without waiting for each other, as a program does that only wants to track. The minute
 * ends when all are answered.
 */
export class Player {
    #tracker
    #incidents
    #config
    #open = []

    /** All calls so far, in their order. @type {MadeCall[]} */
    calls = []

    /**
     * @param {import('../src/client/index.cjs').Tracker} tracker
     * @param {object} options
     * @param {object} options.config What each `init` is given besides its own.
     * @param {Record<string, (at: string, player: Player) => unknown>} options.incidents What to do for each.
     */
    constructor(tracker, { config, incidents }) {
        this.#tracker = tracker
        this.#config = config
        this.#incidents = incidents
    }

    /** How many calls have no answer yet. */
    get unanswered() {
        return this.calls.filter(({ isAnswered }) => !isAnswered).length
    }

    /** How many calls the tracker has promised to deliver. */
    get accepted() {
        return this.calls.filter(({ result }) => isAccepted(result)).length
    }

    /**
     * @param {import('./day.js').Entry[]} day
     * @param {(at: string) => void} onMinute Called when a minute has ended.
     * @throws {Error} If an `init` fails: there is no day without it.
     */
    async play(day, onMinute) {
        for (const [index, entry] of day.entries()) {
            if (entry.incident) await this.#incidents[entry.incident](entry.at, this)
            else await this.#make(entry)
            if (entry.at !== day[index + 1]?.at) {
                await this.#waitForAnswers()
                onMinute(entry.at)
            }
        }
    }

    async #make(entry) {
        const call = { entry, isAnswered: false }
        this.calls.push(call)
        this.#open.push(this.#answer(call))
        // The calls after a flush rely on everything being sent.
        if (entry.method === 'flush') await this.#waitForAnswers()
    }

    async #answer(call) {
        const { method, params } = call.entry
        try {
            call.result = await this.#tracker[method](...(method === 'init' ? this.#withConfig(params) : params))
        } catch (error) {
            call.error = error
        }
        call.isAnswered = true
    }

    #withConfig([brandId, config]) {
        return [brandId, { ...config, ...this.#config }]
    }

    async #waitForAnswers() {
        await Promise.all(this.#open)
        this.#open = []
        const failed = this.calls.find(({ entry, error }) => entry.method === 'init' && error)
        if (failed) throw failed.error
    }
}

/** Whether an outcome is a promise to deliver. */
export function isAccepted(result) {
    return result?.status === 'queued' || result?.status === 'pending'
}
