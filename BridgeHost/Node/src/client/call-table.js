/** @typedef {import('./call.js').Call} Call */

/** How many calls may have no answer yet, and how many UTF-16 units they may have together. */
export const MOST_CALLS = 100_000
export const MOST_TEXT = 32 * 1024 * 1024

/** Calls that are not answered yet, in the order they were made. */
export class CallTable {
    /** @type {Map<number, Call>} */
    #calls = new Map()
    #length = 0

    get size() {
        return this.#calls.size
    }

    /** Whether no further tracking call is to be added. */
    get isFull() {
        return this.#calls.size >= MOST_CALLS || this.#length >= MOST_TEXT
    }

    /** @param {Call} call */
    add(call) {
        this.#calls.set(call.id, call)
        this.#length += call.text.length
    }

    /** Gives a call other params. @param {Call} call @param {import('./call.js').Params} params */
    amend(call, params) {
        this.#length -= call.text.length
        call.write(params)
        this.#length += call.text.length
    }

    /** Removes a call. @returns {Call | undefined} */
    take(id) {
        const call = this.#calls.get(id)
        if (!call) return undefined
        this.#calls.delete(id)
        this.#length -= call.text.length
        return call
    }

    /**
     * Rejects calls.
     *
     * @param {(call: Call) => Error} errorOf
     * @param {(call: Call) => boolean} [matches] Which calls. By default all.
     */
    reject(errorOf, matches = () => true) {
        for (const call of this.#calls.values()) {
            if (!matches(call)) continue
            this.take(call.id)
            call.reject(errorOf(call))
        }
    }

    [Symbol.iterator]() {
        return this.#calls.values()
    }
}
