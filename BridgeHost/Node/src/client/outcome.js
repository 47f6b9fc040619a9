/**
 * What became of a tracking call.
 *
 * @typedef {{ status: 'queued' | 'pending', messageId: string } | { status: 'dropped', reason: string }} Outcome
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
    TOO_LARGE: 'It is larger than an event may be.',
    STORAGE_ERROR: 'The disk did not take it.',
    QUEUE_FULL: 'As many calls as allowed wait for a session already.',
    DISABLED: 'The client is disabled.',
}

/** @returns {Outcome} */
export function dropped(reason) {
    return { status: 'dropped', reason }
}

/**
 * The warning about a dropped call.
 *
 * @param {string} method
 * @param {string | undefined} name The event's or screen's name, if the call has one.
 * @param {string} reason
 * @param {string} [detail] More than the reason says.
 */
export function dropWarning(method, name, reason, detail = SENTENCES[reason] ?? '') {
    const what = typeof name === 'string' ? `${method} ${JSON.stringify(name.slice(0, 200))}` : method
    return `${what} was dropped: ${reason}. ${detail}`.trimEnd()
}
