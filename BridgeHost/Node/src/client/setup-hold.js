import { METHODS, clientOf } from './methods.js'
import { endsSetup } from './recovery.js'

/** @typedef {import('./call.js').Call} Call */

/**
 * Holds back a setup of the program while a new host still works on the same setup, which the link has repeated.
 *
 * The host would let it join the repeated one and share its result, such as that there is no session. What is called after
 * a held setup is held too, so that the order stays. The link keeps the calls: this knows from which one on they wait.
 */
export class SetupHold {
    /** The repeated setups that the next one would have to wait for, by their methods. @type {Map<string, Call>} */
    #repeated = new Map()
    /** All repeated setups without an answer, by their methods. @type {Map<string, Call>} */
    #open = new Map()
    /** The methods of those whose client has been reset since. @type {Set<string>} */
    #ended = new Set()
    /** Those behind whose client's reset the program has made another. @type {WeakSet<Call>} */
    #replaced = new WeakSet()
    /** The one that calls wait for. @type {Call | undefined} */
    #awaited
    /** The id of the first call that waits. */
    #from = Infinity

    /** There is a new host. @param {Call[]} repeated The setups that it gets from the link. */
    begin(repeated) {
        this.#repeated = new Map(repeated.map((call) => [call.method, call]))
        this.#open = new Map(this.#repeated)
        this.#ended = new Set()
        this.#stop()
    }

    /** The repeated setup that a call has to wait for, if there is one. @param {Call} call @returns {Call | undefined} */
    setupBefore({ id, method }) {
        if (id >= this.#from) return this.#awaited
        this.#awaited = this.#repeated.get(method)
        if (this.#awaited) this.#from = id
        return this.#awaited
    }

    /** A call is sent: a setup behind a reset replaces a repeated one. @param {Pick<Call, 'method' | 'given'>} call */
    sent(call) {
        for (const [method, repeated] of this.#open) {
            if (clientOf(method) !== clientOf(call.method)) continue
            if (method === call.method && this.#ended.has(method)) this.#replaced.add(repeated)
            if (!endsSetup(call)) continue
            this.#ended.add(method)
            this.#repeated.delete(method)
        }
    }

    /** Whether a setup of the program has come behind a reset, in the place of a repeated one. @param {Call} call */
    isReplaced(call) {
        return this.#replaced.has(call)
    }

    /**
     * A call has an answer.
     *
     * @param {Call} call
     * @returns {number} The id from which on calls are to be sent now; infinite if there are none.
     */
    answered(call) {
        for (const calls of [this.#repeated, this.#open]) if (calls.get(call.method) === call) calls.delete(call.method)
        return call === this.#awaited ? this.#stop() : Infinity
    }

    /** Ends the hold before its time, and holds nothing more back from this host. @returns {number} As of `answered`. */
    end() {
        if (this.#awaited) this.#repeated.clear()
        return this.#stop()
    }

    #stop() {
        const from = this.#from
        this.#awaited = undefined
        this.#from = Infinity
        return from
    }
}

/** Whether a call ends a hold: the setup may wait for it, or it must not wait for a backend. @param {Call} call */
export function isUrgent({ method }) {
    return method === 'host.shutdown' || METHODS[method]?.isUrgent === true
}
