import { isObject } from '../shape.js'

/** @typedef {import('../findings.js').Check} Check */

/**
 * At most so many elements.
 *
 * @param {number} most
 * @param {string} who Whose limit it is.
 * @returns {Check}
 */
export function atMost(most, who) {
    return (value, findings) => {
        if (!Array.isArray(value)) return
        if (value.length === 0) findings.say('is empty; there is nothing to send.')
        if (value.length > most) findings.say(`holds ${value.length} events; ${who} takes ${most} in a request.`)
    }
}

/**
 * An event of at most so many bytes.
 *
 * @param {number} most
 * @param {string} who
 * @returns {Check}
 */
export function eventBytes(most, who) {
    return (value, findings) => {
        if (!isObject(value)) return
        const size = Buffer.byteLength(JSON.stringify(value))
        if (size > most) findings.say(`takes ${size} bytes; ${who} takes ${most} an event.`)
    }
}

/** A text of at most so many characters. @param {number} least @param {number} most @returns {Check} */
export function length(least, most) {
    return (value, findings) => {
        if (typeof value !== 'string') findings.say('must be a string.')
        else if (value.length < least) findings.say(`has ${value.length} characters; it must have at least ${least}.`)
        else if (value.length > most) findings.say(`has ${value.length} characters; it must have at most ${most}.`)
    }
}

/** A time in ISO 8601 with its zone. @type {Check} */
export const zonedTime = (value, findings) => {
    const isTime = typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(value)
    if (!isTime || Number.isNaN(Date.parse(value))) findings.say('must be a time with its zone, such as 2025-01-31T09:30:00.000Z.')
}
