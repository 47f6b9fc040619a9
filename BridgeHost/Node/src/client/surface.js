import { randomUUID } from 'node:crypto'
import { paramsOf } from './call.js'
import { CallPromise } from './call-promise.js'
import { MOST_CALLS, MOST_TEXT } from './call-table.js'
import { MobileTrackerError, messageTooLarge } from './errors.js'
import { clientText } from './fault.js'
import { timeOrderedUUID } from './message-id.js'
import { METHODS, clientOf } from './methods.js'
import { filter } from './hooks.js'
import { argumentHint, callName, dropWarning, dropped } from './outcome.js'
import { ArgumentFault, plainParams, writeParams } from './params.js'
import { isSetup } from './recovery.js'
import { currentScope } from './scope.js'
import { SizeFault, faultFrom, textOf } from './serialize.js'
import { PHRASES } from './texts.js'
import { Trace } from './trace.js'

/** @typedef {import('./methods.js').BridgedMethod} BridgedMethod */

/** The most bytes of a message besides its params. */
const ENVELOPE = 200

/** What is wrong with a call that comes when very many wait. */
const TOO_MANY = { reason: 'unanswered', calls: MOST_CALLS, megabytes: MOST_TEXT / 1024 / 1024 }

/** Make message ids that nobody has used before. */
const NEW_ID = {
    uuid: timeOrderedUUID,
    stamped: () => `${Date.now()}-${randomUUID()}`,
}

/**
 * Makes the functions of a client. They need no `this`.
 *
 * @param {string} client What the names of its methods begin with, such as `analytics.`; empty for the tracker.
 * @param {import('./host-link.js').HostLink} link
 * @param {object} observer
 * @param {Pick<import('./warnings.js').Warnings, 'warn' | 'dropped' | 'failed' | 'accepted'>} observer.warnings
 * @param {() => void} [observer.used] Called for each call after which something may have to be sent.
 * @param {import('./hooks.js').Hooks} observer.hooks The program's own functions.
 * @param {import('./off.js').OffClients} observer.off Answers for clients that are turned off.
 * @returns {Record<string, (...args: unknown[]) => Promise<any>>}
 */
export function makeFunctions(client, link, observer) {
    const own = Object.entries(METHODS).filter(([method]) => clientOf(method) === client)
    return Object.fromEntries(
        own.map(([method, row]) => [method.slice(client.length), makeFunction(method, row, link, observer)]))
}

function makeFunction(method, row, link, { warnings, used, hooks, off }) {
    const newID = row.messageId && NEW_ID[row.messageId]
    const isBeginning = isSetup(method)
    const isFiltered = row.gives === 'outcome'
    // The client must know later what these say, but for events, of which there may be very many.
    const isKept = !isFiltered || row.restores !== undefined
    // An expectation that lacks what it was given would be met by any value, and a filter would mean all.
    const isWhole = ['record.', 'refused.'].includes(clientOf(method))
    const locate = () => new Trace(call, isFiltered)
    const call = (...args) => {
        const site = new CallSite(method, row, args, locate, warnings)
        // A call that can reject needs its line. For very many tracking calls, which do not reject, it costs too much.
        if (!isFiltered || !link.isFlooded) site.locate()
        if (isFiltered && link.isFull) return site.overflow()
        const warn = (message) => site.warn(message)
        const { beforeSend, convert } = hooks.of(method)
        const scope = row.isScoped ? currentScope() : undefined
        const how = { newID, maxBytes: link.maxMessageBytes - ENVELOPE, warn, convert, scope, scopes: undefined, isWhole }
        let params, begin
        try {
            if (scope?.fault) throw scope.fault
            const own = isBeginning ? hooks.extract(method, args) : { args }
            const verdict = isFiltered && beforeSend ? filter(beforeSend, method, row, plainParams(row, args, how)) : own
            if (verdict.dropped) return site.filtered(verdict.fault)
            how.scopes = verdict.scopes
            const plain = verdict.params ?? (isKept ? plainParams(row, verdict.args, how) : undefined)
            if (isKept) params = paramsOf(plain, how.maxBytes)
            else params = plain ? textOf(plain, how.maxBytes) : writeParams(row, verdict.args, how)
            begin = own.begin
        } catch (error) {
            return site.refuse(faultFrom(error), link.maxMessageBytes)
        }
        const { result, first, then } = off.take(method, row, params.given)
        if (begin) site.ended = begin()
        if (result) return CallPromise.resolve(site.read(result))
        if (row.repeats) used?.()
        for (const kept of first) handOver(kept, link, warnings, off)
        const answer = link.call(method, params, { repeats: row.repeats, site })
        for (const kept of then) handOver(kept, link, warnings, off)
        return answer
    }
    return call
}

/** Makes a call that was answered while its client was off. Without a host, or a client, it is kept for the next one. */
function handOver(kept, link, warnings, off) {
    link.call(kept.method, paramsOf(kept.given), { repeats: true }).catch(({ code, number, message }) => {
        if (number === undefined || code === 'NOT_INITIALIZED' && !METHODS[kept.method].restores) off.keep(kept)
        else warnings.warn(clientText('failedLater', { method: kept.method, why: message }))
    })
}

/** The place in the program that made a call. Turns the answer into what the program receives. */
class CallSite {
    #method
    #row
    #name
    #hint
    #newTrace
    #trace
    #warnings

    /** Receives what became of the arguments, once the call has ended. @type {(end: import('./hooks.js').SetupEnd) => void} */
    ended = () => {}

    constructor(method, row, args, newTrace, warnings) {
        this.#method = method
        this.#row = row
        this.#name = row.isNamed ? args[0] : undefined
        this.#hint = argumentHint(method, row, args)
        this.#newTrace = newTrace
        this.#warnings = warnings
    }

    /** Records the line that makes the call. Works only while the call is being made. */
    locate() {
        this.#trace ??= this.#newTrace()
    }

    /** Warns about a call that is made nevertheless. */
    warn(message) {
        this.locate()
        const what = callName({ method: this.#method, name: this.#name })
        this.#warnings.warn(`${what}: ${message}.${this.#trace?.place ?? ''}`)
    }

    /** Turns the result into what the promise resolves with. */
    read(result) {
        this.ended(result.ignored ? 'refused' : 'taken')
        const { gives } = this.#row
        if (gives === 'object' || gives === 'report') return result
        if (gives === 'nothing') return undefined
        if (gives !== 'outcome') return result[gives.member]
        if (result.status === 'dropped') this.#dropped(result.reason, result.fault)
        else this.#warnings.accepted(this.#method)
        return result
    }

    /** The outcome of a wrong argument, or of too large a call; undefined for calls without an outcome, which reject. */
    outcomeOf({ code, data }) {
        if (this.#row.gives !== 'outcome') return undefined
        switch (code) {
            case 'INVALID_PARAMS': return this.#dropped(data.reason ?? 'INVALID_VALUE', data.fault, this.#hint)
            case 'MESSAGE_TOO_LARGE': return this.#dropped('TOO_LARGE', faultOfSize(data))
            default: return undefined
        }
    }

    /** The error, with the caller's line in its stack. */
    errorFrom({ code, message, number, retryable, data }) {
        this.ended(code === this.#row.holdsAfter ? 'held' : 'refused')
        const error = new MobileTrackerError(code, message, { number, retryable, data })
        error.stack = `${error.name}: ${message}${this.#trace?.lines ?? ''}`
        return error
    }

    /** Nobody handles the error. A missing host is one warning, with the number of calls that failed. */
    unhandled({ code, number, message }) {
        // There is no host.
        if (number === undefined) {
            if (this.#row.messageId) this.#warnings.failed(this.#drop(code))
            return
        }
        const facts = { method: this.#method, error: `${code}: ${message}`, place: this.#trace?.place ?? '' }
        this.#warnings.warn(clientText('unhandled', facts))
    }

    /** Answers a call for which too many wait. */
    overflow() {
        return CallPromise.resolve(this.#dropped('QUEUE_FULL', TOO_MANY))
    }

    /** Answers a call that `beforeSend` has dropped. @param {string} [fault] What is wrong with `beforeSend`, if so. */
    filtered(fault) {
        if (fault) {
            this.locate()
            this.#warnings.warn(dropWarning(this.#drop(fault)))
        }
        return CallPromise.resolve(dropped('BEFORE_SEND'))
    }

    /** Answers a call that cannot be sent, as the host would. @param {number} limit How long a message may be, in bytes. */
    refuse(fault, limit) {
        this.locate()
        if (fault instanceof SizeFault) return this.#ended(messageTooLarge(this.#method, limit))
        const param = this.#row.params.find(({ name }) => name === fault.argument)
        if (this.#row.gives === 'outcome') {
            return CallPromise.resolve(this.#dropped(reasonOf(fault, param), fault.data))
        }
        const code = codeOf(fault, param, this.#row)
        const data = code === 'INVALID_PARAMS' ? { method: this.#method, param: fault.argument, fault: fault.data } : fault.data
        const stop = PHRASES.has(fault.data.reason) ? '.' : ''
        return this.#ended(new MobileTrackerError(code, `${this.#method}: ${fault.message}${stop}`, { data }))
    }

    /** A call that has ended so, and is not sent. */
    #ended(failure) {
        const outcome = this.outcomeOf(failure)
        if (outcome) return CallPromise.resolve(outcome)
        const error = this.errorFrom(failure)
        const refusal = CallPromise.reject(error)
        refusal.ifUnwatched(() => this.unhandled(error))
        return refusal
    }

    /** Warns of a call that is dropped. @returns {import('./outcome.js').Outcome} */
    #dropped(reason, fault, hint) {
        this.#warnings.dropped(this.#drop(reason, fault, hint))
        return dropped(reason, fault)
    }

    #drop(reason, fault, hint) {
        return { method: this.#method, name: this.#name, reason, fault, hint, place: this.#trace?.place ?? '' }
    }
}

/** What is wrong with a call that is longer than the host accepts. */
function faultOfSize({ limit }) {
    return { reason: 'size', option: '--max-message-bytes', most: limit }
}

function reasonOf(fault, param) {
    return fault instanceof ArgumentFault ? param?.fault ?? 'INVALID_VALUE' : 'SERIALIZATION_ERROR'
}

function codeOf(fault, param, row) {
    const isOption = fault.argument === 'argument' || fault instanceof ArgumentFault && !param
    if (row.restores === 'setup' && isOption) return 'INVALID_CONFIGURATION'
    if (param && param.fault !== 'INVALID_PARAMS') return param.fault
    return fault instanceof ArgumentFault ? 'INVALID_PARAMS' : 'SERIALIZATION_ERROR'
}
