import { nearest } from '../nearest.js'
import { described } from './errors.js'
import { clientText } from './fault.js'
import { METHODS, clientOf } from './methods.js'
import { ArgumentFault, withMembers } from './params.js'

/** All members that `beforeSend` may change. */
export const MEMBERS = new Set(Object.values(METHODS).filter(({ gives }) => gives === 'outcome')
    .flatMap(({ params, options = [], isScoped }) => [
        ...[...params, ...options].map(memberOf), ...isScoped ? ['scope'] : [],
    ]))

const FUNCTION = { isRight: isFunction, expected: 'function' }

/** What the functions of a program must be, by their names in a configuration. */
export const HOOKS = {
    beforeSend: FUNCTION, convert: FUNCTION, credentials: FUNCTION,
    logger: { isRight: isLogger, expected: 'console' },
}

/** What a plain value of each kind is. It is no less than the host takes: nothing that `beforeSend` has not seen may be sent. */
const IS_OF = {
    string: isText,
    id: (value) => isText(value) || typeof value === 'bigint' || Number.isInteger(value),
    number: isNumber,
    integer: isNumber,
    boolean: (value) => typeof value === 'boolean',
    object: isObject,
}

/** @typedef {import('./protocol.cjs').OutgoingCall} OutgoingCall */

/**
 * The functions of one client.
 *
 * @typedef {object} ClientHooks
 * @property {(call: OutgoingCall) => unknown} [beforeSend] Receives each call before it is written.
 * @property {(value: unknown, path: string) => unknown} [convert] Receives what JSON has no form for.
 * @property {import('./protocol.cjs').CredentialsProvider} [credentials] Gives the client its credentials.
 */

/**
 * What becomes of the arguments of an initialisation: the client goes on with them, or does not, or the host keeps what is
 * tracked for the next one.
 *
 * @typedef {'taken' | 'refused' | 'held'} SetupEnd
 */

/** The program's own functions, those of each client by the prefix of its methods. */
export class Hooks {
    /** @type {Map<string, ClientHooks>} */
    #own = new Map()
    /** Those of clients that a shutdown ends just now: their host may still ask for credentials. @type {Map<string, ClientHooks>} */
    #ending = new Map()
    /** The functions for credentials of initialisations that are under way. @type {Map<string, Function>} */
    #asked = new Map()
    #default
    #useLogger
    #ask

    /**
     * @param {object} options
     * @param {ClientHooks} options.ofAll For clients without functions of their own.
     * @param {(logger: object) => () => void} options.useLogger What it returns goes back to the logger before.
     * @param {() => void} options.ask Called before a client with a function for its credentials is initialised.
     */
    constructor({ ofAll, useLogger, ask }) {
        this.#default = ofAll
        this.#useLogger = useLogger
        this.#ask = ask
    }

    /** The functions for a method's client. @returns {ClientHooks} */
    of(method) {
        return this.#own.get(clientOf(method)) ?? this.#default
    }

    /** The function that gives a client its credentials: that of the initialisation under way, if it has one. */
    credentialsOf(client) {
        return this.#asked.get(client) ?? (this.#own.get(client) ?? this.#ending.get(client) ?? this.#default).credentials
    }

    /**
     * The program ends all clients: calls that follow have the functions of the next.
     *
     * @returns {() => void} To be called once they have ended.
     */
    end() {
        const own = this.#own
        this.#ending = own
        this.#own = new Map()
        return () => {
            if (this.#ending === own) this.#ending = new Map()
        }
    }

    /**
     * Takes the functions out of the arguments that initialise a client. They are not sent to the host.
     *
     * @param {string} method
     * @param {unknown[]} args
     * @returns {{ args: unknown[], begin: () => (end: SetupEnd) => void }} The arguments without them. `begin` is
     *     called when the call is made, and what it returns with the call's end: until then, and if the host does not go
     *     on with these arguments, the functions of the last initialisation stay in force.
     * @throws {ArgumentFault}
     */
    extract(method, args) {
        const found = {}
        const rest = args.map((argument) => without(argument, found))
        const begin = () => {
            const takeLoggerBack = found.logger && this.#useLogger(found.logger)
            const client = clientOf(method)
            // A shutdown may come before the answer.
            const all = this.#own
            const last = all.get(client)
            const { logger: _, ...own } = found
            const next = { ...this.#default, ...own }
            if (next.credentials) {
                this.#ask()
                this.#asked.set(client, next.credentials)
            }
            // Calls that are made meanwhile must not miss a filter.
            if (!last?.beforeSend) all.set(client, next)
            return (end) => {
                if (this.#asked.get(client) === next.credentials) this.#asked.delete(client)
                if (end === 'taken') return void all.set(client, next)
                takeLoggerBack?.()
                // What the host holds must not miss a filter either: without one from before, the new one stays.
                if (end === 'refused' && last && all.get(client) === next) all.set(client, last)
            }
        }
        return { args: rest, begin }
    }
}

/**
 * Passes a call to `beforeSend`, unless it lacks an argument or has one of another kind than the method takes: the host
 * refuses such a call, and `beforeSend` may rely on its types.
 *
 * @param {(call: OutgoingCall) => unknown} beforeSend
 * @param {string} method
 * @param {import('./methods.js').BridgedMethod} row
 * @param {object} sent The params as plain values. `beforeSend` may change them.
 * @returns {{ args: unknown[], scopes: unknown } | { params: object } | { dropped: true, fault?: string }} The arguments as
 *     it has left them, and the scopes around the call, if there are any; the params of a call that it has not seen;
 *     `dropped` if it dropped the call; `fault` if it failed.
 */
export function filter(beforeSend, method, row, sent) {
    if (!row.params.every((param) => isOfItsKind(sent[param.name], param))) return { params: sent }
    const call = outgoing(method, row, sent)
    const named = namesOf([sent.options, ...sent.scope ?? []])
    let result
    try {
        result = beforeSend(call)
        if (result === null || result === false) return { dropped: true }
        if (result === undefined) result = call
        if (typeof result !== 'object' || typeof result.then === 'function') {
            result.then?.(undefined, () => {})
            return { dropped: true, fault: clientText('noCall', { promise: 'promise' }) }
        }
    } catch (error) {
        return { dropped: true, fault: clientText('filterFailed', { error: described(error) }) }
    }
    try {
        const changed = { ...result }
        return { args: argumentsFor(row, sent, changed, named), scopes: changed.scope ?? (sent.scope && []) }
    } catch (error) {
        return { dropped: true, fault: clientText('unreadableCall', { error: described(error) }) }
    }
}

/** Whether a plain value is one that a parameter takes. @param {import('./methods.js').Param} param */
function isOfItsKind(value, { kind, isRequired }) {
    return value === undefined || value === null ? !isRequired : IS_OF[kind](value)
}

/** A call as `beforeSend` receives it, made from its params. */
function outgoing(method, row, sent) {
    const call = { method }
    for (const param of row.params) {
        const { name } = param
        if (sent[name] === undefined || sent[name] === null) continue
        const member = memberOf(param)
        if (member === 'location') (call.location ??= {})[name] = sent[name]
        else call[member] = sent[name]
    }
    // An option that stands for an argument has the argument's value, or the host refuses the call.
    for (const [name, value] of Object.entries(sent.options ?? {})) if (value !== null) call[name] ??= value
    if (sent.scope) call.scope = sent.scope
    return call
}

/** The arguments for what `beforeSend` has made of a call. */
function argumentsFor(row, sent, call, named) {
    const args = row.params.map((param) => {
        const member = memberOf(param)
        return member === 'location' ? call.location?.[param.name] : call[member]
    })
    // Ids without a value, and misspelled ones, stay: the host refuses the call.
    const idle = Object.entries(sent.options ?? {}).filter(([, value]) => value === null)
    const options = { messageId: sent.messageId, ...Object.fromEntries(idle) }
    for (const { name } of row.options ?? []) {
        const own = sent.options?.[name]
        const argument = row.params.find((param) => memberOf(param) === name)
        // What differs from the argument that it stands for stays too.
        const value = argument && own !== sent[argument.name] ? own : call[name]
        if (value !== undefined && value !== null) options[name] = value
    }
    // Without its person or its group the event would be about the client's own: the host refuses the call.
    const names = namesOf([options, ...Array.isArray(call.scope) ? call.scope : []])
    if (!row.options) return [...args, options]
    if (named.person && !names.person) options.userId = undefined
    else if (named.group && !names.person && !names.group) options.groupId = undefined
    return [...args, options]
}

/** Whom options and scopes name: a person, a group. */
function namesOf(given) {
    const all = given.map((values) => withMembers(values) ?? {})
    return {
        person: all.some(({ userId, anonymousId }) => (userId ?? anonymousId ?? null) !== null),
        group: all.some(({ groupId }) => (groupId ?? null) !== null),
    }
}

/** The member that a parameter is. @param {import('./methods.js').Param} param */
function memberOf({ name, member = name }) {
    return member
}

/** The same configuration without functions. Puts the functions into `found`. */
function without(value, found) {
    if (!isObject(value)) return value
    const rest = { ...value }
    for (const [name, { isRight, ...facts }] of Object.entries(HOOKS)) {
        if (!(name in rest)) continue
        const hook = rest[name]
        delete rest[name]
        if (hook === undefined || hook === null) continue
        if (!isRight(hook)) throw new ArgumentFault('wrongKind', name, facts)
        found[name] = hook
    }
    // What is left of functions would be no option: without its filter a program would send what it must not.
    for (const [name, value] of Object.entries(rest)) {
        if (!isFunction(value) || name === 'toJSON') continue
        const suggestion = nearest(name, Object.keys(HOOKS))
        throw new ArgumentFault(suggestion ? 'unknown' : 'notJSON', name, suggestion ? { suggestion } : { type: 'function' })
    }
    // The form in which one object has all params.
    for (const part of ['config', 'options']) {
        if (isObject(rest[part])) rest[part] = without(rest[part], found)
    }
    return rest
}

/** Whether it has at least one of a logger's methods. */
function isLogger(value) {
    return isObject(value) && ['debug', 'info', 'warn', 'error'].some((level) => isFunction(value[level]))
}

function isText(value) {
    return typeof value === 'string'
}

function isNumber(value) {
    return typeof value === 'number' || typeof value === 'bigint'
}

function isFunction(value) {
    return typeof value === 'function'
}

function isObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value)
}
