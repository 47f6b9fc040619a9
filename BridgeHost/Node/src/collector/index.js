import { Plan } from '../plan/plan.js'
import { API_NAMES } from './apis/layouts.js'
import { Collector } from './collector.js'
import { makeControl } from './control.js'
import { checkNumber, matcher } from './filter.js'
import { nearMiss } from './near-miss.js'
import { makeServer } from './server.js'
import { urlHost, USUAL } from './options.js'
import { waitFilter, waitFor } from './wait.js'

/** @typedef {import('./record.js').ReceivedRequest} ReceivedRequest */
/** @typedef {import('./filter.js').Filter} Filter */

/**
 * @typedef {object} CollectorOptions
 * @property {number} [port] 0, the default, takes any free port.
 * @property {string} [host] The address to listen at, 127.0.0.1. With another, other machines can reach the collector.
 * @property {string[]} [basicPaths] Where the basic client's events go: `/` and `/events`.
 * @property {boolean} [anyPath] Whether a POST to any other path is the basic client's. By default it is answered 404.
 * @property {string | null} [api] Whose batches alone may come, such as `segment`; any other request is a problem then.
 * @property {boolean} [strict] Answer 422 to a request that is not as it should be. By default it is answered 2xx.
 * @property {number} [maxBytes] About how much memory the kept requests may take: 64 MiB.
 * @property {number} [maxBodyBytes] The largest body, compressed or not: 16 MiB.
 * @property {Parameters<import('./faults/script.js').FaultScript['load']>[0]} [faults] A fault script to begin with.
 * @property {object | Plan | null} [plan] Which calls there are and what their data must be: a plan file's JSON.
 */

/** Not enough came in time, or the collector was closed. */
export class WaitError extends Error {
    /** @param {string} message @param {ReceivedRequest[]} received */
    constructor(message, received) {
        super(message)
        this.name = 'WaitError'
        /** What did come. */
        this.received = received
    }
}

/** What `startCollector` resolves with: the part of a collector that a program may use. */
class RunningCollector {
    #collector
    #server
    #stop

    constructor(collector, server, host, stop) {
        this.#collector = collector
        this.#server = server
        this.#stop = stop
        /** @type {number} */
        this.port = server.address().port
        /** Where it listens, without a slash at the end. */
        this.url = `http://${urlHost(host)}:${this.port}`
    }

    /**
     * What it got, oldest first, as far as it is still kept.
     *
     * @param {Filter} [filter]
     * @returns {ReceivedRequest[]}
     */
    received(filter = {}) {
        const matches = matcher(filter)
        return [...this.#collector.requestLog.records()].filter((record) => matches(record) > 0)
    }

    /**
     * Waits until so many have arrived, including those that are there already. Only accepted ones count, each once,
     * unless the filter says otherwise.
     *
     * @param {Filter & { count?: number, requests?: number, timeoutMs?: number }} [wanted] `count` counts each event
     *     of a batch that matches (1 if left out), `requests` counts requests; `timeoutMs` is 10 s if left out.
     * @returns {Promise<ReceivedRequest[]>} The matching requests.
     * @throws {WaitError} When the time is up.
     * @throws {import('./filter.js').FilterError} For an unknown name or an impossible value.
     */
    async wait({ count, requests, timeoutMs = 10_000, ...filter } = {}) {
        for (const [name, value] of Object.entries({ count, requests, timeoutMs })) {
            if (value !== undefined && !(name === 'timeoutMs' && value === Infinity)) checkNumber(name, value)
        }
        const full = waitFilter(filter)
        const goal = { count: count ?? requests ?? 1, ofRequests: requests !== undefined, timeoutMs, signal: this.#stop.signal }
        const { outcome, matched } = await waitFor(this.#collector.requestLog, full, goal)
        const received = this.received(full)
        if (outcome === 'met') return received
        const reason = outcome === 'timeout' ? `within ${timeoutMs} ms` : 'before the collector was closed'
        const near = nearMiss(this.#collector.requestLog.records(), full)
        throw new WaitError(`${matched} of ${goal.count} came ${reason}: ${JSON.stringify(filter)}.${near}`, received)
    }

    /**
     * Sets the fault script, in place of what is left of the old one.
     *
     * @param {CollectorOptions['faults']} script Such as `'500×3,429:retry-after=2'`, or an array of texts and objects.
     */
    faults(script) {
        this.#collector.faults.load(script)
    }

    /** What is left of the fault script. @returns {string[]} */
    faultsLeft() {
        return this.#collector.faults.left()
    }

    /** Forgets all requests, and with them which keys and numbers have come. Sessions and the fault script stay. */
    clear() {
        this.#collector.clear()
    }

    /** Counts since the start. */
    totals() {
        return this.#collector.totals
    }

    /** The last account of each client that posts one. @returns {import('./accounts.js').Account[]} */
    accounts() {
        return this.#collector.accounts.latest()
    }

    /** Calls `listener` with every account that comes. @returns {() => void} Ends it. */
    onAccount(listener) {
        return this.#collector.accounts.listen(checked(listener))
    }

    /** Calls `listener` with every request that comes. @returns {() => void} Ends it. */
    listen(listener) {
        return this.#collector.requestLog.listen(checked(listener))
    }

    /**
     * Calls `listener` with the reason for each request that was refused as one of a web page elsewhere. Nothing else
     * shows such a request.
     *
     * @returns {() => void} Ends it.
     */
    onForeign(listener) {
        return this.#collector.onForeign(checked(listener))
    }

    /** Stops listening, and cuts every connection. Waits under way end. Safe to call twice. */
    async close() {
        this.#stop.abort()
        if (!this.#server.listening) return
        await new Promise((resolve) => {
            this.#server.close(resolve)
            this.#server.closeAllConnections()
        })
    }

    async [Symbol.asyncDispose]() {
        await this.close()
    }
}

/** A listener, if it is a function: it is called much later. */
function checked(listener) {
    if (typeof listener !== 'function') throw new TypeError('The listener must be a function.')
    return listener
}

/**
 * Starts a collector, by default on 127.0.0.1.
 *
 * @param {CollectorOptions} [options]
 * @returns {Promise<RunningCollector>}
 * @throws {Error} With the system's code, such as `EADDRINUSE`, if the port cannot be had.
 * @throws {TypeError} For an option that there is not, and a value that it cannot have.
 * @throws {import('../plan/plan.js').PlanError} For a plan that cannot be used.
 */
export async function startCollector(options = {}) {
    const unknown = Object.keys(options).find((name) => !Object.hasOwn(USUAL, name))
    if (unknown) throw new TypeError(`startCollector has no option "${unknown}"; it has ${Object.keys(USUAL).join(', ')}.`)
    const given = Object.entries(options).filter(([, value]) => value !== undefined)
    const { port, host, basicPaths, anyPath, strict, api, faults, plan, maxBytes, maxBodyBytes } = { ...USUAL, ...Object.fromEntries(given) }
    if (api !== null && !API_NAMES.includes(api)) {
        throw new TypeError(`There is no api ${JSON.stringify(api)}; there are ${API_NAMES.join(', ')}.`)
    }
    if (!Number.isInteger(port) || port < 0 || port > 65_535) {
        throw new TypeError(`The port must be a whole number from 0 to 65535, and is ${JSON.stringify(port) ?? typeof port}.`)
    }
    if (!Array.isArray(basicPaths) || !basicPaths.every((path) => typeof path === 'string' && path.startsWith('/'))) {
        throw new TypeError('basicPaths must be an array of paths, each of which begins with a slash.')
    }
    for (const [name, value] of Object.entries({ maxBytes, maxBodyBytes })) {
        if (typeof value !== 'number' || !(value > 0)) throw new TypeError(`${name} must be a number above 0, and is ${JSON.stringify(value) ?? typeof value}.`)
    }
    const judge = plan === null || plan instanceof Plan ? plan : new Plan(plan)
    const collector = new Collector({ strict, maxBytes, maxBodyBytes, api, plan: judge })
    collector.faults.load(faults)
    const stop = new AbortController()
    const control = makeControl(collector, stop.signal, host)
    const server = makeServer(collector, { maxBodyBytes, paths: { basicPaths, anyPath }, control, host, signal: stop.signal })
    await new Promise((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, resolve)
    })
    return new RunningCollector(collector, server, host, stop)
}
