import { clientText, filled, sentenceOf } from './fault.js'
import { METHODS, clientOf } from './methods.js'
import { DROPS, PHRASES } from './texts.js'

/**
 * What became of a tracking call.
 *
 * @typedef {{ status: 'queued' | 'pending', messageId: string } | { status: 'dropped', reason: string, fault?: object }} Outcome
 */

/**
 * A call that was dropped.
 *
 * @typedef {object} Drop
 * @property {string} method
 * @property {unknown} [name] The event's or screen's name, if the call has one.
 * @property {string} reason
 * @property {{ reason: string }} [fault] What is wrong, as data, if the reason does not say it.
 * @property {string} [hint] What to write instead, as a sentence behind the others.
 * @property {string} place The caller's line, for the end of a sentence.
 * @property {boolean} [hasFailed] Whether it failed instead: it is unknown whether the host stored it.
 */

/** @param {{ reason: string }} [fault] What is wrong, if the reason does not say it. @returns {Outcome} */
export function dropped(reason, fault) {
    return fault ? { status: 'dropped', reason, fault } : { status: 'dropped', reason }
}

/**
 * The warning about calls that were dropped for the same reason.
 *
 * @param {Drop} first
 * @param {number} [count]
 * @param {boolean} [isReported] Whether there was a warning about the first.
 */
export function dropWarning(first, count = 1, isReported = false) {
    const form = isReported ? (count === 1 ? 'oneMore' : 'more') : count === 1 ? 'call' : 'several'
    const { reason, place, hasFailed } = first
    return filled(DROPS[form], { call: callName(first), failed: hasFailed ? '' : undefined, reason, why: whyDropped(first) || undefined, place, count })
}

/** A call for a warning: with its event's name, but nothing of a person. */
export function callName({ method, name }) {
    return typeof name === 'string' ? `${method} ${JSON.stringify(name.slice(0, 200))}` : method
}

/**
 * What to write instead of a call that has its arguments in one object, as in a package of Segment, if the host refuses it.
 *
 * @param {string} method
 * @param {import('./methods.js').BridgedMethod} row
 * @param {unknown[]} args
 * @returns {string} Empty for other calls.
 */
export function argumentHint(method, { params, gives, person }, args) {
    // First what every call is asked.
    if (!isPlain(args[0]) || gives !== 'outcome' || !['string', 'id'].includes(params[0]?.kind)) return ''
    if (args.some((other, index) => index > 0 && other !== undefined)) return ''
    const order = [...params.map(({ name }) => name), ...person && !params.some(({ name }) => name === person) ? [`{ ${person} }`] : []]
    const call = `${method.slice(method.indexOf('.') + 1)}(${order.join(', ')})`
    return clientText('otherArguments', { object: '', call })
}

/** Whether a value is an object as a program writes it, and not one of a class. */
function isPlain(value) {
    if (typeof value !== 'object' || value === null) return false
    try {
        return [Object.prototype, null].includes(Object.getPrototypeOf(value))
    } catch {
        return false // A proxy may throw.
    }
}

function whyDropped({ method, reason, fault, hint, hasFailed }) {
    const init = Object.keys(METHODS).find((each) => METHODS[each].restores === 'setup' && clientOf(each) === clientOf(method))
    const word = hasFailed ? 'notStored' : fault?.reason ?? reason
    const words = sentenceOf(word, { ...fault, init: `${init}()` })
    const why = PHRASES.has(word) ? `${words}.` : words
    return hint ? `${why} ${hint}` : why
}
