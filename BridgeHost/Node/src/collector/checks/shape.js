import { show } from './findings.js'

/** @typedef {import('./findings.js').Check} Check */

/**
 * An object with these members and no others.
 *
 * @param {Record<string, Check>} required
 * @param {Record<string, Check>} [optional]
 * @returns {Check}
 */
export function exactly(required, optional = {}) {
    const known = new Map(Object.entries({ ...required, ...optional }))
    const needed = Object.keys(required)
    return (value, findings) => {
        if (!isObject(value)) return object(value, findings)
        for (const key of Object.keys(value)) {
            const check = known.get(key)
            if (check) findings.inside(key, value[key], check)
            else findings.inside(key, undefined, unknownMember)
        }
        for (const key of needed) {
            if (!Object.hasOwn(value, key)) findings.inside(key, undefined, missing)
        }
    }
}

/**
 * An object that may have any members, of which the named ones must be right.
 *
 * @param {Record<string, Check>} required
 * @param {Record<string, Check>} [optional]
 * @returns {Check}
 */
export function atLeast(required, optional = {}) {
    const named = Object.entries({ ...required, ...optional })
    return (value, findings) => {
        if (!isObject(value)) return object(value, findings)
        for (const [key, check] of named) {
            if (Object.hasOwn(value, key)) findings.inside(key, value[key], check)
            else if (Object.hasOwn(required, key)) findings.inside(key, undefined, missing)
        }
    }
}

/** An object whose `type` says which of these checks it must pass. @param {Record<string, Check>} sorts @returns {Check} */
export function byType(sorts) {
    const checks = new Map(Object.entries(sorts))
    const known = oneOf(...checks.keys())
    return (value, findings) => {
        if (!isObject(value)) return object(value, findings)
        const check = checks.get(value.type)
        if (check) check(value, findings)
        else findings.inside('type', value.type, Object.hasOwn(value, 'type') ? known : missing)
    }
}

/** An array whose every element passes. @param {Check} check @returns {Check} */
export function every(check) {
    return (value, findings) => {
        if (!Array.isArray(value)) return findings.say(`is ${show(value)}; it must be an array.`)
        for (let i = 0; i < value.length; i++) findings.inside(i, value[i], check)
    }
}

/** Runs several checks on one value. @param {...Check} checks @returns {Check} */
export function all(...checks) {
    return (value, findings) => {
        for (const check of checks) check(value, findings)
    }
}

/** @type {Check} */
export const object = (value, findings) => {
    if (!isObject(value)) findings.say(`is ${show(value)}; it must be an object.`)
}

/** @type {Check} */
export const text = (value, findings) => {
    if (typeof value !== 'string') findings.say(`is ${show(value)}; it must be a string.`)
}

/** @type {Check} */
export const filled = (value, findings) => {
    if (typeof value !== 'string') findings.say(`is ${show(value)}; it must be a string.`)
    else if (value.trim() === '') findings.say(`is ${show(value)}; it must not be blank.`)
}

/** @type {Check} */
export const flag = (value, findings) => {
    if (typeof value !== 'boolean') findings.say(`is ${show(value)}; it must be true or false.`)
}

/** A key is never quoted, not even when it is wrong. @type {Check} */
export const key = (value, findings) => {
    if (typeof value !== 'string') findings.say('must be a string.')
    else if (value.trim() === '') findings.say('must not be blank.')
}

/**
 * A number within bounds, both included.
 *
 * @param {number} [least]
 * @param {number} [most]
 * @returns {Check}
 */
export function number(least = -Infinity, most = Infinity) {
    return (value, findings) => {
        if (typeof value !== 'number') findings.say(`is ${show(value)}; it must be a number.`)
        else if (value < least || value > most) findings.say(`is ${value}; it must lie within ${bounds(least, most)}.`)
    }
}

/** One of a few strings. @param {...string} words @returns {Check} */
export function oneOf(...words) {
    return (value, findings) => {
        if (!words.includes(value)) findings.say(`is ${show(value)}; it must be one of ${words.join(', ')}.`)
    }
}

/**
 * A string of a certain form.
 *
 * @param {RegExp} pattern
 * @param {string} description Such as `a UUID`.
 * @returns {Check}
 */
export function matching(pattern, description) {
    return (value, findings) => {
        if (typeof value !== 'string' || !pattern.test(value)) {
            findings.say(`is ${show(value)}; it must be ${description}.`)
        }
    }
}

/** What a caller may choose as the id of a message. */
export const MESSAGE_ID = /^[\x20-\x7e]{1,128}$/

export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** @type {Check} */
export const uuid = matching(UUID, 'a UUID')

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Whether a text is a point in time as the protocol writes it: ISO 8601, milliseconds, UTC. */
export function isInstant(value) {
    return typeof value === 'string' && INSTANT.test(value) && !Number.isNaN(Date.parse(value))
}

/** @type {Check} */
export const instant = (value, findings) => {
    if (!isInstant(value)) {
        findings.say(`is ${show(value)}; it must be a time such as 2025-01-31T09:30:00.000Z.`)
    }
}

export function isObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** @type {Check} */
export const missing = (_, findings) => findings.say('is missing.')

/** @type {Check} */
const unknownMember = (_, findings) => findings.say('does not belong here.')

/** Names a member that this sort of object must not have. @param {string} why @returns {Check} */
export function absent(why) {
    return (_, findings) => findings.say(`does not belong here: ${why}.`)
}

function bounds(least, most) {
    if (most === Infinity) return `${least} and up`
    return `${least} and ${most}`
}
