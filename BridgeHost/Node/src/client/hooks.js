import { described } from './errors.js'
import { ArgumentFault } from './params.js'

/** What the arguments of calls are to a `beforeSend`, by their names. */
const MEMBERS = {
    eventName: 'name', event: 'name', name: 'name',
    userId: 'userId', newUserId: 'userId',
    attributes: 'properties', properties: 'properties', profileData: 'properties', traits: 'properties',
    metadata: 'metadata',
}

/** What `logger` and `beforeSend` may be. */
const KINDS = { beforeSend: isFunction, logger: isLogger }
const PHRASES = { beforeSend: 'must be a function', logger: 'must have one of the methods debug, info, warn and error' }

/**
 * A call as a `beforeSend` sees it: plain values, as they would be sent.
 *
 * @typedef {{ method: string, name?: string, userId?: string, properties?: object, metadata?: object }} OutgoingCall
 */

/** The caller's own functions: one that sees each call before it is written, and where messages go. */
export class Hooks {
    /** By client, as the names of its methods begin. */
    #beforeSend = new Map()
    #usual
    #useLogger

    /**
     * @param {object} options
     * @param {((call: OutgoingCall) => unknown) | undefined} options.beforeSend For clients that are not given their own.
     * @param {(logger: object) => void} options.useLogger
     */
    constructor({ beforeSend, useLogger }) {
        this.#usual = beforeSend
        this.#useLogger = useLogger
    }

    /**
     * Takes the functions out of what a client is initialised with: they are for this side alone.
     *
     * @param {string} method
     * @param {unknown[]} args
     * @returns {unknown[]} The arguments without them.
     * @throws {ArgumentFault}
     */
    take(method, args) {
        const found = {}
        const rest = args.map((argument) => without(argument, found))
        this.#beforeSend.set(clientOf(method), found.beforeSend ?? this.#usual)
        if (found.logger) this.#useLogger(found.logger)
        return rest
    }

    /** The function that sees the calls of a client, if there is one. */
    beforeSend(method) {
        const client = clientOf(method)
        return this.#beforeSend.has(client) ? this.#beforeSend.get(client) : this.#usual
    }
}

/**
 * Has the caller's function see a call.
 *
 * @param {(call: OutgoingCall) => unknown} beforeSend
 * @param {string} method
 * @param {import('./methods.js').BridgedMethod} row
 * @param {unknown[]} args
 * @param {object} params The same as plain values.
 * @returns {{ args?: unknown[], dropped?: true, fault?: string }} The arguments if it has changed them; whether it has
 *     dropped the call, and why if that was not meant.
 */
export function filter(beforeSend, method, row, args, params) {
    const memberOf = ({ name }) => (method === 'setMetadata' ? 'properties' : MEMBERS[name])
    const call = { method }
    for (const param of row.params) {
        if (memberOf(param) && params[param.name] != null) call[memberOf(param)] = params[param.name]
    }
    const before = JSON.stringify(call)
    let result
    try {
        result = beforeSend(call)
    } catch (error) {
        return { dropped: true, fault: `beforeSend has thrown: ${described(error, 'message')}` }
    }
    if (result === null || result === false) return { dropped: true }
    const changed = result === undefined ? call : result
    if (typeof changed !== 'object' || typeof changed.then === 'function') {
        return { dropped: true, fault: 'beforeSend must return the call, or null to drop it, and no promise' }
    }
    // What it has left alone is sent as it was given.
    const old = JSON.parse(before)
    const isSame = (member) => JSON.stringify(changed[member]) === JSON.stringify(old[member])
    if (row.params.every((param) => !memberOf(param) || isSame(memberOf(param)))) return {}
    const values = row.params.map((param, i) => {
        const member = memberOf(param)
        return !member || isSame(member) ? args[i] : changed[member]
    })
    return { args: [...values, { ...args[row.params.length], messageId: params.messageId }] }
}

/** The same configuration without functions; they go to `found`. */
function without(value, found) {
    if (!isObject(value)) return value
    const rest = { ...value }
    for (const name of Object.keys(KINDS)) {
        if (!(name in rest)) continue
        const hook = rest[name]
        delete rest[name]
        if (hook === undefined || hook === null) continue
        if (!KINDS[name](hook)) throw new ArgumentFault(name, PHRASES[name])
        found[name] = hook
    }
    // The form in which one object holds all params.
    for (const part of ['config', 'options']) {
        if (isObject(rest[part])) rest[part] = without(rest[part], found)
    }
    return rest
}

/** Whether messages can be given to it. */
export function isLogger(value) {
    return isObject(value) && ['debug', 'info', 'warn', 'error'].some((level) => isFunction(value[level]))
}

function clientOf(method) {
    return method.slice(0, method.indexOf('.') + 1)
}

function isFunction(value) {
    return typeof value === 'function'
}

function isObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value)
}
