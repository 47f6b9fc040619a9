import { sentenceOf } from './fault.js'
import { clientOf } from './methods.js'

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
 * @property {string} [detail] What is wrong, in words.
 * @property {string} place The caller's line, for the end of a sentence.
 * @property {boolean} [hasFailed] Whether it failed instead: it is unknown whether the host stored it.
 */

/** @param {{ reason: string }} [fault] What is wrong, if the reason does not say it. @returns {Outcome} */
export function dropped(reason, fault) {
    return fault ? { status: 'dropped', reason, fault } : { status: 'dropped', reason }
}

/** The warning about a dropped call. @param {Drop} drop */
export function dropWarning(drop) {
    return `${callName(drop)} ${endOf(drop)}` + drop.place
}

/**
 * The warning about several calls that were dropped for the same reason.
 *
 * @param {Drop} first
 * @param {number} count
 * @param {boolean} isReported Whether there was a warning about the first.
 */
export function droppedCallsWarning(first, count, isReported) {
    if (isReported) return `${count === 1 ? '1 more call' : `${count} more calls`} ${endOf(first, count)}`
    if (count === 1) return dropWarning(first)
    return `${count} calls ${endOf(first, count)} The first was ${callName(first)}${first.place}.`
}

/** What became of so many calls, and why. */
function endOf(drop, count = 1) {
    const end = drop.hasFailed ? 'failed' : count === 1 ? 'was dropped' : 'were dropped'
    return `${end}: ${drop.reason}. ${whyDropped(drop)}`.trimEnd()
}

/** A call for a warning: with its event's name, but nothing of a person. */
export function callName({ method, name }) {
    return typeof name === 'string' ? `${method} ${JSON.stringify(name.slice(0, 200))}` : method
}

function whyDropped({ method, reason, fault, detail, hasFailed }) {
    if (detail) return detail
    const client = clientOf(method)
    const init = client ? `${client}initialize()` : 'init()'
    const words = sentenceOf(hasFailed ? 'notStored' : fault?.reason ?? reason, { ...fault, init })
    // A text about an option is also part of other sentences.
    return /[^.?]$/.test(words) ? `${words}.` : words
}
