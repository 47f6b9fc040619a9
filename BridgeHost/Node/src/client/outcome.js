/**
 * What became of a tracking call.
 *
 * @typedef {{ status: 'queued' | 'pending', messageId: string } | { status: 'dropped', reason: string }} Outcome
 */

/**
 * A call that was dropped.
 *
 * @typedef {object} Drop
 * @property {string} method
 * @property {unknown} [name] The event's or screen's name, if the call has one.
 * @property {string} reason
 * @property {string} [detail] More than the reason says.
 * @property {string} place The caller's line, for the end of a sentence.
 * @property {boolean} [hasFailed] Whether it failed instead: it is unknown whether the host stored it.
 */

/** Why a call was dropped, in words. */
const SENTENCES = {
    NOT_INITIALIZED: 'Not initialized. Call init() first.',
    INVALID_EVENT_NAME: 'Its name is empty.',
    INVALID_USER_ID: 'A user id is required.',
    INVALID_VALUE: 'A value is missing or out of range.',
    REPEATED_SCREEN: 'It is the screen that was shown last.',
    TRACKING_NOT_ALLOWED: 'Consent is not granted.',
    SERIALIZATION_ERROR: 'A value cannot be written as JSON.',
    TOO_LARGE: 'It is larger than an event may be (maxEventBytes, 512 KiB by default).',
    STORAGE_ERROR: 'The disk did not take it.',
    QUEUE_FULL: 'The queue is full.',
    BEFORE_SEND: 'beforeSend has dropped it.',
}

/** What the values of a call must be, for calls that have rules of their own. */
const VALUES = {
    updateLocation: 'The latitude is from -90 to 90, the longitude from -180 to 180, and the accuracy not below 0.',
    updateSessionEmail: 'An email address has one @ and no spaces.',
    linkSession: 'The id of the other session is empty.',
    continueSession: 'It needs crossSiteCookie: true in init, and a URL with gt_session_id.',
    'analytics.group': 'The id of the group is empty.',
    'analytics.setAdvertisingId': 'The id is blank; null clears it.',
}

/** What happened to calls that no host has answered. */
const NO_HOST = 'Events that no host had stored are lost.'

/** The reasons that are in the state of the tracker, and not in the call. */
const OF_STATE = new Set(['NOT_INITIALIZED', 'TRACKING_NOT_ALLOWED', 'STORAGE_ERROR', 'QUEUE_FULL', 'DISABLED'])

/** @returns {Outcome} */
export function dropped(reason) {
    return { status: 'dropped', reason }
}

/** Whether other calls will be dropped for the same reason, whatever they are. */
export function isOfState(reason) {
    return OF_STATE.has(reason)
}

/** The warning about a dropped call. @param {Drop} drop */
export function dropWarning(drop) {
    const end = drop.hasFailed ? 'failed' : 'was dropped'
    return `${callName(drop)} ${end}: ${drop.reason}. ${sentenceOf(drop)}`.trimEnd() + drop.place
}

/**
 * The warning about several calls that were dropped for the same reason.
 *
 * @param {Drop} first
 * @param {number} count
 * @param {boolean} isReported Whether there was a warning about the first.
 */
export function droppedCallsWarning(first, count, isReported) {
    const end = first.hasFailed ? 'failed' : count === 1 ? 'was dropped' : 'were dropped'
    if (isReported) {
        const calls = count === 1 ? '1 more call' : `${count} more calls`
        return `${calls} ${end}: ${first.reason}. ${sentenceOf(first)}`.trimEnd()
    }
    if (count === 1) return dropWarning(first)
    return `${count} calls ${end}: ${first.reason}. ${sentenceOf(first)} ` +
        `The first was ${callName(first)}${first.place}.`
}

/** A call for a warning: with its event's name, but nothing of a person. */
export function callName({ method, name }) {
    return typeof name === 'string' ? `${method} ${JSON.stringify(name.slice(0, 200))}` : method
}

function sentenceOf({ method, reason, detail, hasFailed }) {
    if (detail) return detail
    if (hasFailed) return NO_HOST
    if (reason === 'INVALID_VALUE' && method in VALUES) return VALUES[method]
    const client = method.slice(0, method.indexOf('.') + 1)
    if (reason === 'DISABLED') return whyDisabled(client)
    const sentence = SENTENCES[reason] ?? ''
    return client ? sentence.replace('init()', `${client}initialize()`) : sentence
}

/** Why a client is disabled. Only the analytics client can be disabled by an answer of the server, or by its options. */
function whyDisabled(client) {
    if (client === 'analytics.') return 'The client is disabled: `disabledBecause` of analytics.getDebugInfo() says why.'
    const isOffByEnvironment = /^(false|0|no|off)$/i.test(process.env.MOBILE_TRACKER_ENABLED ?? '')
    return `Tracking is off: ${isOffByEnvironment ? 'MOBILE_TRACKER_ENABLED is false in the environment' : '`enabled` is false'}.`
}
