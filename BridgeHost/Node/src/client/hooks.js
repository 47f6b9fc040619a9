import { described } from './errors.js'
import { ArgumentFault } from './params.js'

/** The member of an {@link OutgoingCall} for each argument, by the argument's name. */
const MEMBERS = {
    eventName: 'name', event: 'name', name: 'name',
    userId: 'userId', newUserId: 'userId',
    attributes: 'properties', properties: 'properties', profileData: 'properties', traits: 'properties',
    metadata: 'metadata',
}

/** Which values `logger` and `beforeSend` may have. */
const KINDS = { beforeSend: isFunction, logger: isLogger }
const PHRASES = { beforeSend: 'must be a function', logger: 'must have one of the methods debug, info, warn and error' }

/**
 * A call as `beforeSend` receives it: plain values, as they would be sent.
 *
 * @typedef {{ method: string, name?: string, userId?: string, properties?: object, metadata?: object }} OutgoingCall
 */

/** The program's own functions: `beforeSend`, which receives each call before it is written, and `logger`. */
export class Hooks {
    /** The `beforeSend` of each client, by the prefix of the client's methods. */
    #beforeSend = new Map()
    #default
    #useLogger

    /**
     * @param {object} options
     * @param {((call: OutgoingCall) => unknown) | undefined} options.beforeSend For clients without one of their own.
     * @param {(logger: object) => void} options.useLogger
     */
    constructor({ beforeSend, useLogger }) {
        this.#default = beforeSend
        this.#useLogger = useLogger
    }

    /**
     * Takes the functions out of the arguments that initialise a client. They are not sent to the host.
     *
     * @param {string} method
     * @param {unknown[]} args
     * @returns {unknown[]} The arguments without them.
     * @throws {ArgumentFault}
     */
    extract(method, args) {
        const found = {}
        const rest = args.map((argument) => without(argument, found))
        this.#beforeSend.set(clientOf(method), found.beforeSend ?? this.#default)
        if (found.logger) this.#useLogger(found.logger)
        return rest
    }

    /** The function that receives the calls of this method's client, if there is one. */
    beforeSend(method) {
        const client = clientOf(method)
        return this.#beforeSend.has(client) ? this.#beforeSend.get(client) : this.#default
    }
}

/**
 * Passes a call to `beforeSend`.
 *
 * @param {(call: OutgoingCall) => unknown} beforeSend
 * @param {string} method
 * @param {import('./methods.js').BridgedMethod} row
 * @param {unknown[]} args
 * @param {object} params The arguments as plain values.
 * @returns {{ args?: unknown[], dropped?: true, fault?: string }} `args` if it changed the arguments; `dropped` if it
 *     dropped the call; `fault` if it failed.
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
    // An argument that it did not change is sent as the caller passed it.
    const old = JSON.parse(before)
    const isSame = (member) => JSON.stringify(changed[member]) === JSON.stringify(old[member])
    if (row.params.every((param) => !memberOf(param) || isSame(memberOf(param)))) return {}
    const values = row.params.map((param, i) => {
        const member = memberOf(param)
        return !member || isSame(member) ? args[i] : changed[member]
    })
    return { args: [...values, { ...args[row.params.length], messageId: params.messageId }] }
}

/** The same configuration without functions. Puts the functions into `found`. */
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
    // The form in which one object has all params.
    for (const part of ['config', 'options']) {
        if (isObject(rest[part])) rest[part] = without(rest[part], found)
    }
    return rest
}

/** Whether it has at least one of a logger's methods. */
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
