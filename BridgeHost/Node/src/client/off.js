import { clientOf } from './methods.js'
import { isSetup } from './recovery.js'

/** The words that turn tracking off in `MOBILE_TRACKER_ENABLED`. */
const OFF = ['false', '0', 'no', 'off']

/** What a flush of a client answers that has nothing. */
const NOTHING_LEFT = { delivered: 0, remaining: 0 }

/**
 * Answers for clients that are turned off, so that no host need run for them.
 *
 * A client that a host has set up is the host's, whatever its next setup says. What is not answered here goes to the host,
 * which gets the setup first.
 */
export class OffClients {
    /** The clients that are off, with the call that has turned each off. @type {Map<string, { method: string, params: string, word: string }>} */
    #off = new Map()
    /** The clients that a host has set up. */
    #others = new Set()

    /**
     * @param {string} method
     * @param {import('./methods.js').BridgedMethod} row
     * @param {string} params JSON text.
     * @returns {{ result: object } | { first: { method: string, params: string } | undefined }} The answer; or what the host
     *     must be told before the call.
     */
    take(method, row, params) {
        const client = clientOf(method)
        if (isSetup(method) && !this.#others.has(client)) {
            const word = whyOff(row, JSON.parse(params))
            if (word) {
                this.#off.set(client, { method, params, word })
                return { result: {} }
            }
            this.#off.delete(client)
            this.#others.add(client)
            return { first: undefined }
        }
        const off = this.#off.get(client)
        if (!off) return { first: undefined }
        if (row.gives === 'outcome') return { result: { status: 'dropped', reason: 'DISABLED', fault: { reason: off.word } } }
        if (method === `${client}flush`) return { result: NOTHING_LEFT }
        this.#off.delete(client)
        this.#others.add(client)
        return { first: off }
    }

    /** The program has closed the tracker. */
    clear() {
        this.#off.clear()
        this.#others.clear()
    }
}

/** Why a setup turns its client off, as the host's word; undefined if it does not. */
function whyOff({ params: [first, ...others] }, given) {
    const options = others.map(({ name }) => given[name]).find((value) => isObject(value)) ?? given[first.name]
    const enabled = (isObject(options) ? options : given).enabled ?? null
    if (enabled !== null) return enabled === false ? 'offByOption' : undefined
    return OFF.includes(process.env.MOBILE_TRACKER_ENABLED?.toLowerCase()) ? 'offByEnvironment' : undefined
}

function isObject(value) {
    return typeof value === 'object' && value !== null
}
