import { show } from '../checks/findings.js'
import { replaceMembers } from '../json.js'
import { eventsIn } from './layouts.js'

/** What the APIs are called in sentences. */
const API_TITLES = {
    metaRouter: 'MetaRouter', segment: 'Segment', postHog: 'PostHog', amplitude: 'Amplitude', mixpanel: 'Mixpanel',
    otlp: 'OpenTelemetry (OTLP)',
}

/**
 * Whose a batch is. MetaRouter and Segment share a path: MetaRouter's events say each when it was sent and with which key,
 * Segment's body does.
 *
 * @param {import('../routes.js').Route} route
 * @param {any} value The parsed body.
 * @returns {string | null}
 */
export function apiOf({ api }, value) {
    if (api !== 'metaRouter' || typeof value !== 'object' || value === null) return api
    const isTold = Object.hasOwn(value, 'sentAt') || Object.hasOwn(value, 'writeKey')
    const isToldByEvents = eventsIn(api, value).some(({ event }) => event?.writeKey !== undefined)
    return isTold && !isToldByEvents ? 'segment' : api
}

/** The members that hold a key, by API: in the body, or in each event. */
const KEY_NAMES = { segment: ['writeKey'], postHog: ['api_key'], amplitude: ['api_key'], mixpanel: ['token', '$token'] }

/** The names of members that hold keys. @param {string | null} api */
export function keyNamesOf(api) {
    return KEY_NAMES[api ?? ''] ?? ['writeKey']
}

/**
 * The keys that a batch carries: its own and those of its events.
 *
 * @param {string | null} api
 * @param {any} value The parsed body.
 * @returns {string[]}
 */
export function keysIn(api, value) {
    if (api === null || typeof value !== 'object' || value === null) return []
    const names = keyNamesOf(api)
    const holders = [value, ...eventsIn(api, value).flatMap(({ event }) => [event, event?.properties])]
    const keys = holders.flatMap((holder) => names.map((name) => holder?.[name]))
    return [...new Set(keys.filter((key) => typeof key === 'string'))]
}

/** How the `Authorization` header has a key, by API. The other APIs have it in the body alone. */
const AUTHORIZATION = {
    segment: basicAuthorization,
    mixpanel: basicAuthorization,
    otlp: (key) => `Bearer ${key}`,
}

/** The key is the user name, and there is no password. */
function basicAuthorization(key) {
    return `Basic ${Buffer.from(`${key}:`).toString('base64')}`
}

/**
 * The `Authorization` header of a batch under a key.
 *
 * @param {string | null} api
 * @param {string | undefined} key
 * @returns {string | null} Null where the API has none, and without a key.
 */
export function authorizationOf(api, key) {
    return (key && AUTHORIZATION[api ?? '']?.(key)) || null
}

/**
 * The body of a batch with another key in place of its own.
 *
 * @param {string | null} api
 * @param {string} text
 * @param {any} value The same, parsed.
 * @param {string} key
 * @returns {string} The same text, character for character, but for the keys.
 */
export function bodyUnder(api, text, value, key) {
    const own = keysIn(api, value)
    if (own.length === 0) return text
    // What the caller gave may have a member of that name too, with another value.
    return replaceMembers(text, keyNamesOf(api), (literal) => {
        return own.includes(JSON.parse(`"${literal}"`)) ? JSON.stringify(key).slice(1, -1) : literal
    })
}

/**
 * What is wrong with a request if only one API is expected.
 *
 * @param {string | null} api What came.
 * @param {string | null} expected The collector's option `api`; null if anything may come.
 * @param {import('../routes.js').Route} route
 * @returns {string[]}
 */
export function strangerIn(api, expected, route) {
    if (expected === null || api === expected) return []
    const what = api === null ? `${route.method} ${show(route.path)}` : `A batch for ${API_TITLES[api]}`
    return [`${what} does not belong here: with --api ${expected} only ${API_TITLES[expected]}'s requests may come.`]
}
