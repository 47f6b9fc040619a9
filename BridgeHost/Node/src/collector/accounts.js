import { remember } from './backend.js'
import { show } from './checks/findings.js'
import { isObject } from './checks/shape.js'
import { mask } from './mask.js'

/** How many clients are remembered. */
const MOST = 100

/** What may be in the places of keys, and is masked if the client has not done so. */
const KEYS = ['xApiKey', 'apiKey', 'writeKey']

/**
 * The accounts that clients post, compared with the requests that arrived from them.
 *
 * @typedef {object} Account
 * @property {string} client Who posted it.
 * @property {string} at When, by the client's clock.
 * @property {any} debugInfo The client's debug information.
 * @property {any[]} refused The last events that it keeps apart since a server refused them, with the answers.
 * @property {Comparison} comparison
 *
 * @typedef {object} Comparison
 * @property {'waiting' | 'agrees' | 'differs'} state `waiting` until the client had nothing left to send once.
 * @property {number} delivered How many records the client counts as delivered since then.
 * @property {number} arrived How many came here since then.
 * @property {string} text The same in a sentence.
 */

/** An account that cannot be read. The message says what to change. */
export class AccountError extends Error {
    name = 'AccountError'
}

/** The last account of each client. */
export class AccountBook {
    /** @type {Map<string, { account: Account, base: Sample | null, last: Sample }>} */
    #pages = new Map()
    /** The clients that are to send again what was refused. @type {Set<string>} */
    #retries = new Set()
    #listeners = new Set()
    #arrivals

    /** @param {(client: Identity) => number | null} arrivals How many records of a client have come; null if unknown. */
    constructor(arrivals) {
        this.#arrivals = arrivals
    }

    /**
     * Takes a client's account.
     *
     * @param {any} posted `{client, at, debugInfo, refused}`.
     * @returns {Account}
     * @throws {AccountError}
     */
    post(posted) {
        const { client, at, debugInfo, refused } = checked(posted)
        const page = this.#pages.get(client)
        const sample = {
            delivered: numberOf(debugInfo.account?.delivered),
            arrived: this.#arrivals(identityOf(debugInfo)),
        }
        const base = baseOf(page, sample)
        const account = { client, at, debugInfo: maskKeys(debugInfo), refused, comparison: compare(base, sample) }
        remember(this.#pages, client, { account, base, last: sample }, MOST)
        for (const listener of this.#listeners) listener(account)
        return account
    }

    /**
     * Has a client send again what was refused: the answer to its next account says so.
     *
     * @param {any} client
     * @throws {AccountError} If there is no such client.
     */
    askRetry(client) {
        if (!this.#pages.has(client)) throw new AccountError(`There is no account of a client ${show(client)}.`)
        this.#retries.add(client)
    }

    /** Whether a client is to send again what was refused; it is told once. @param {string} client */
    takeRetry(client) {
        return this.#retries.delete(client)
    }

    /** The last account of each client. @returns {Account[]} */
    latest() {
        return [...this.#pages.values()].map(({ account }) => account)
    }

    /** Calls `listener` with every account that comes. @returns {() => void} Ends it. */
    listen(listener) {
        this.#listeners.add(listener)
        return () => this.#listeners.delete(listener)
    }

    /** The requests were cleared, so the comparison begins anew. */
    clear() {
        this.#pages.clear()
        this.#retries.clear()
    }
}

/** @typedef {{ delivered: number | null, arrived: number | null }} Sample */
/** @typedef {{ family: string, base: string, names: string[] }} Identity */

/**
 * Where the comparison begins: at the first account that equals the one before it. An account is a little older than
 * the requests that arrived, so the two agree only while the client sends nothing.
 */
function baseOf(page, sample) {
    if (!page || sample.delivered === null || sample.arrived === null) return null
    const { base, last } = page
    // Fewer than before: the client has opened another lane.
    if (base && sample.delivered >= last.delivered && sample.arrived >= last.arrived) return base
    return isSame(last, sample) ? sample : null
}

function compare(base, sample) {
    if (!base) return { state: 'waiting', delivered: 0, arrived: 0, text: 'Waiting until the client has nothing left to send.' }
    const delivered = sample.delivered - base.delivered
    const arrived = sample.arrived - base.arrived
    // A request that arrived may not be counted yet, but one that is counted has arrived.
    const state = delivered > arrived ? 'differs' : 'agrees'
    const came = `${state === 'agrees' ? 'and' : 'but only'} ${arrived} came here`
    const text = `Since it first had nothing left to send, the client counts ${delivered} delivered, ${came}.`
    return { state, delivered, arrived, text }
}

function isSame(one, other) {
    return one.delivered === other.delivered && one.arrived === other.arrived
}

/** What distinguishes this client's requests from others. @returns {Identity} */
function identityOf({ config, sessionId, deviceId, ingestionHost, anonymousId, endpoint }) {
    if (config?.apiUrl) {
        return { family: 'tracker', base: pathOf(config.apiUrl), names: [`session ${sessionId}`, `device ${deviceId}`] }
    }
    if (ingestionHost) return { family: 'analytics', base: pathOf(ingestionHost), names: [`anonymous ${anonymousId}`] }
    return { family: 'basic', base: pathOf(endpoint) || '/', names: [] }
}

function pathOf(url) {
    return URL.canParse(url) ? new URL(url).pathname.replace(/\/$/, '') : ''
}

function checked(posted) {
    const { client, at, debugInfo, refused = [] } = posted ?? {}
    if (typeof client !== 'string' || client === '' || client.length > 200) {
        throw new AccountError('"client" must be a text of 1 to 200 characters.')
    }
    if (typeof at !== 'string' || Number.isNaN(Date.parse(at))) throw new AccountError('"at" must be a time.')
    if (!isObject(debugInfo)) throw new AccountError('"debugInfo" must be an object.')
    if (!Array.isArray(refused) || refused.some((event) => typeof event !== 'object' || event === null)) {
        throw new AccountError('"refused" must be an array of objects.')
    }
    return { client, at, debugInfo, refused }
}

function maskKeys(value) {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(maskKeys)
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [
        name, KEYS.includes(name) && typeof member === 'string' && !member.startsWith('*')
            ? mask(member)
            : maskKeys(member),
    ]))
}

function numberOf(value) {
    return Number.isSafeInteger(value) ? value : null
}
