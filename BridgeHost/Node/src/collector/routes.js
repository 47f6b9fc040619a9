/**
 * What a request is, by its method and path alone.
 *
 * @typedef {'session' | 'event' | 'profile' | 'identify' | 'location' | 'email' | 'link' | 'batch' | 'basic' | 'unknown'} Kind
 *
 * @typedef {object} Route
 * @property {Kind} kind
 * @property {string} method
 * @property {string} path The path as it came, without the query.
 * @property {string} base What stands before the endpoint's own path: `''`, or such as `/eu/collect`.
 * @property {string | null} session The session named in the path, decoded.
 * @property {string | null} user The user named in the path, decoded.
 * @property {string | null} allow The one method this path takes, if the request used another.
 * @property {string[]} problems What is wrong with the path itself.
 */

/** Every kind of request, in the order in which help texts name them. */
export const KINDS = ['session', 'event', 'profile', 'identify', 'location', 'email', 'link', 'batch', 'basic', 'unknown']

/** @type {Array<[Kind, string, RegExp]>} */
const ENDPOINTS = [
    ['event', 'POST', /^(.*)\/v2\/tracking-session-data$/],
    ['batch', 'POST', /^(.*)\/v1\/batch$/],
    ['profile', 'PUT', /^(.*)\/v1\/customer-profiles\/set$/],
    ['session', 'POST', /^(.*)\/v2\/tracking-session$/],
    ['identify', 'PUT', /^(.*)\/v2\/tracking-session\/([^/]*)\/identify\/([^/]*)$/],
    ['location', 'PUT', /^(.*)\/v2\/tracking-session\/([^/]*)\/location$/],
    ['email', 'PUT', /^(.*)\/v2\/tracking-session\/([^/]*)\/email_v2$/],
    ['link', 'POST', /^(.*)\/v2\/tracking-session\/link-session$/],
]

/** RFC 3986, 3.3: a segment is unreserved characters, sub-delimiters, `:`, `@` and percent-encoded bytes. */
const SEGMENT = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})+$/

/**
 * Tells what a request is.
 *
 * @param {string} method
 * @param {string} target The request target: path and query.
 * @returns {Route}
 */
export function routeOf(method, target) {
    const mark = target.indexOf('?')
    const path = mark === -1 ? target : target.slice(0, mark)
    const problems = []

    for (const [kind, expected, pattern] of ENDPOINTS) {
        const match = pattern.exec(path)
        if (!match) continue
        if (mark !== -1) problems.push('The URL has a query; this endpoint takes none.')
        return {
            kind,
            method,
            path,
            base: match[1],
            session: decodeSegment(match[2], 'session id', problems),
            user: decodeSegment(match[3], 'user id', problems),
            allow: method === expected ? null : expected,
            problems,
        }
    }
    const kind = method === 'POST' ? 'basic' : 'unknown'
    return { kind, method, path, base: path, session: null, user: null, allow: null, problems }
}

/**
 * Which client sends a kind of request. Each has its own order, sequence and message ids.
 *
 * @param {Kind} kind
 * @returns {'tracker' | 'analytics' | 'basic'}
 */
export function familyOf(kind) {
    if (kind === 'batch') return 'analytics'
    return kind === 'basic' ? 'basic' : 'tracker'
}

function decodeSegment(segment, what, problems) {
    if (segment === undefined) return null
    if (segment === '') {
        problems.push(`The ${what} in the path is empty.`)
        return ''
    }
    if (!SEGMENT.test(segment)) {
        problems.push(`The ${what} in the path is not percent-encoded.`)
        return segment
    }
    try {
        return decodeURIComponent(segment)
    } catch {
        problems.push(`The ${what} in the path is not UTF-8 once decoded.`)
        return segment
    }
}
