import { randomUUID } from 'node:crypto'
import { MobileTrackerError } from './errors.js'
import { dropped, dropWarning } from './outcome.js'
import { ValueFault, serialize } from './serialize.js'

/** @typedef {import('./methods.js').Row} Row */

/** What a message holds besides its params, at most. */
const ENVELOPE = 200

/** Message ids that nobody has used before. */
const NEW_ID = {
    uuid: () => randomUUID(),
    stamped: () => `${Date.now()}-${randomUUID()}`,
}

/**
 * Makes the functions that a table describes. They need no `this`.
 *
 * @param {Record<string, Row>} table
 * @param {string} prefix What the names of the host's methods begin with, such as `analytics.`.
 * @param {import('./host-link.js').HostLink} link
 * @param {object} observer
 * @param {(message: string, reason: string) => void} observer.warn Told of dropped calls.
 * @param {() => void} [observer.used] Told of calls that may leave something to be sent.
 * @returns {Record<string, (...args: unknown[]) => Promise<any>>}
 */
export function makeFunctions(table, prefix, link, observer) {
    const functions = {}
    for (const [name, row] of Object.entries(table)) functions[name] = makeFunction(prefix + name, row, link, observer)
    return functions
}

function makeFunction(method, row, link, { warn, used }) {
    const read = readerOf(row, method, warn)
    return (...args) => {
        let params
        try {
            params = writeParams(row, args, link.maxMessageBytes - ENVELOPE)
        } catch (fault) {
            return refuse(fault, row, method, args, warn)
        }
        if (row.repeats) used?.()
        return link.call(method, params, { repeats: row.repeats, read, name: row.isNamed ? args[0] : undefined })
    }
}

/** What turns results of a method into what its promise resolves with; undefined if they stay as they are. */
function readerOf({ gives }, method, warn) {
    switch (gives) {
        case 'object': return undefined
        case 'nothing': return () => undefined
        case 'outcome': return (outcome, name) => {
            const { status, reason } = outcome
            if (status === 'dropped') warn(dropWarning(method, name, reason), reason)
            return outcome
        }
        default: return (result) => result[gives.member]
    }
}

/**
 * Writes a call's params in their named form.
 *
 * @throws {ValueFault}
 */
function writeParams(row, args, maxBytes) {
    const isWhole = row.takesObject && isObject(args[0])
    const text = isWhole ? serialize(args[0], 'argument', maxBytes) : named(row, args, maxBytes)
    if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text
    throw new ValueFault('The call', 'is too large', true)
}

function named({ params, messageId }, args, maxBytes) {
    let text = ''
    for (let i = 0; i < params.length && i < args.length; i++) {
        const value = serialize(args[i], params[i], maxBytes)
        if (value !== undefined) text += `${text === '' ? '{' : ','}"${params[i]}":${value}`
    }
    if (messageId) {
        const id = args[params.length]?.messageId ?? NEW_ID[messageId]()
        text += `${text === '' ? '{' : ','}"messageId":${serialize(id, 'messageId')}`
    }
    return text === '' ? '{}' : text + '}'
}

/** Answers a call that cannot be sent, as the host would. */
function refuse(fault, row, method, args, warn) {
    if (!(fault instanceof ValueFault)) throw fault
    const reason = fault.isTooLarge ? 'TOO_LARGE' : 'SERIALIZATION_ERROR'
    if (row.gives === 'outcome') {
        warn(dropWarning(method, row.isNamed ? args[0] : undefined, reason, `${fault.message}.`), reason)
        return Promise.resolve(dropped(reason))
    }
    const argument = fault.path.split(/[.[]/, 1)[0]
    const code = row.faults?.[argument] ?? (fault.isTooLarge ? 'MESSAGE_TOO_LARGE' : 'SERIALIZATION_ERROR')
    const refusal = Promise.reject(new MobileTrackerError(code, `${method}: ${fault.message}.`))
    refusal.catch(() => {}) // A call that nobody waits for must not end the program.
    return refusal
}

function isObject(value) {
    return typeof value === 'object' && value !== null
}
