/** @typedef {import('./call.js').Call} Call */

/** Calls that are not answered yet, in the order they were made. */
export class CallTable {
    /** @type {Map<number, Call>} */
    #calls = new Map()

    get size() {
        return this.#calls.size
    }

    /** @param {Call} call */
    add(call) {
        this.#calls.set(call.id, call)
    }

    /** Removes a call. @returns {Call | undefined} */
    take(id) {
        const call = this.#calls.get(id)
        this.#calls.delete(id)
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
            this.#calls.delete(call.id)
            call.reject(errorOf(call))
        }
    }

    [Symbol.iterator]() {
        return this.#calls.values()
    }
}
