import { isDeepStrictEqual } from 'node:util'
import { isOffByEnvironment, whyOff } from './enabled.js'
import { METHODS, clientOf } from './methods.js'
import { isSetup } from './recovery.js'
import { OFF_PHRASES } from './texts.js'

/** @typedef {import('./recovery.js').Replay} Replay */

/** What the host must get besides almost every call. @type {{ first: Replay[], then: Replay[] }} */
const NOTHING_KEPT = { first: [], then: [] }

/**
 * Answers for clients that are turned off, as a host would, so that none need run for them.
 *
 * A client that a host has set up is the host's, whatever its next setup says. What the host must know of the calls that
 * are answered here, it gets before the first call of that client that it gets.
 */
export class OffClients {
    /** The clients that are off, with the word for why. @type {Map<string, string>} */
    #off = new Map()
    /** The calls that the host must know of, by their clients. @type {Map<string, Replay[]>} */
    #kept = new Map()
    /** The clients that a host has set up. */
    #others = new Set()

    /** Whether no host is needed: no client has one, and one is off, or all are by the environment. */
    get isAll() {
        return this.#others.size === 0 && (this.#off.size > 0 || isOffByEnvironment())
    }

    /**
     * @param {string} method
     * @param {import('./methods.js').BridgedMethod} row
     * @param {object | undefined} params As plain values, of a call without an outcome.
     * @returns {{ result: object } | { first: Replay[], then: Replay[] }} The answer; or what the host must get before the
     *     call, and after it: a client must be set up to erase a person.
     */
    take(method, row, params) {
        const client = clientOf(method)
        if (isSetup(method) && !this.#others.has(client)) {
            const word = whyOff(row, params)
            if (word) {
                this.#off.set(client, word)
                return { result: {} }
            }
            this.#off.delete(client)
            this.#others.add(client)
        }
        const word = this.#off.get(client)
        if (word || this.isAll) return { result: this.#answer(method, row, params, word) }
        const kept = this.#kept.get(client)
        if (!kept?.length) return NOTHING_KEPT
        const [first, others] = [true, false].map((isFirst) => kept.filter(({ method }) => isFirst === Boolean(METHODS[method].restores)))
        this.#kept.set(client, isSetup(method) ? [] : others)
        return { first, then: isSetup(method) ? others : [] }
    }

    /** Keeps a call for the host. Of equal ones it gets the last. @param {Replay} call */
    keep(call) {
        const client = clientOf(call.method)
        const others = (this.#kept.get(client) ?? []).filter((other) => !isEqual(other, call))
        this.#kept.set(client, [...others, call])
    }

    /** The program has closed the tracker. All stays but credentials: a host would have it on disk, and defaults stay in the link. */
    clear() {
        this.#off.clear()
        this.#others.clear()
        for (const [client, calls] of this.#kept) {
            this.#kept.set(client, calls.filter(({ method }) => METHODS[method].restores !== 'credentials'))
        }
    }

    #answer(method, row, params, word) {
        const { gives, whenOff } = row
        if (gives === 'outcome') {
            return word ? { status: 'dropped', reason: 'DISABLED', fault: { reason: word } } : { status: 'dropped', reason: 'NOT_INITIALIZED' }
        }
        if (row.repeats) this.keep({ method, given: params })
        switch (whenOff) {
            case 'consent': return { [gives.member]: this.#consent(clientOf(method)) === 'granted' }
            case 'param': return { [gives.member]: params[gives.member] }
            case 'state': {
                const state = word ? { lifecycle: 'disabled', disabledBecause: OFF_PHRASES[word] } : { lifecycle: 'idle' }
                return { queueLength: 0, ...state }
            }
        }
        return structuredClone(whenOff) ?? (gives.member ? { [gives.member]: null } : {})
    }

    #consent(client) {
        const last = this.#kept.get(client)?.findLast(({ method }) => METHODS[method].restores === 'consent')
        return last ? last.given.consent : 'granted'
    }
}

/** Whether two calls are the same but for their message ids. */
function isEqual(one, other) {
    const given = (call) => ({ ...call.given, messageId: undefined })
    return one.method === other.method && isDeepStrictEqual(given(one), given(other))
}

/** For a tracker whose host answers also for clients that are off: a recorder, on which the environment has no effect. */
export const NONE_OFF = { isAll: false, take: () => NOTHING_KEPT, keep() {}, clear() {} }
