import { distance } from '../nearest.js'

/**
 * What a request is, by its method and path alone.
 *
 * @typedef {'session' | 'event' | 'profile' | 'identify' | 'location' | 'email' | 'link' | 'batch' | 'basic' | 'unknown'} Kind
 *
 * @typedef {object} Route
 * @property {Kind} kind
 * @property {string | null} api Whose batches the path takes, as the option `api` of an AnalyticsClient names them; null
 *     for what is no batch. `/v1/batch` is MetaRouter's and Segment's: the body says which.
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

/** @type {Array<[Kind, string, RegExp, string?]>} */
const ENDPOINTS = [
    ['event', 'POST', /^(.*)\/v2\/tracking-session-data$/],
    ['batch', 'POST', /^(.*)\/v1\/batch$/, 'metaRouter'],
    ['batch', 'POST', /^(.*)\/batch\/$/, 'postHog'],
    ['batch', 'POST', /^(.*)\/2\/httpapi$/, 'amplitude'],
    ['batch', 'POST', /^(.*)\/(?:import|engage|groups)$/, 'mixpanel'],
    ['batch', 'POST', /^(.*)\/v1\/logs$/, 'otlp'],
    ['profile', 'PUT', /^(.*)\/v1\/customer-profiles\/set$/],
    ['session', 'POST', /^(.*)\/v2\/tracking-session$/],
    ['identify', 'PUT', /^(.*)\/v2\/tracking-session\/([^/]*)\/identify\/([^/]*)$/],
    ['location', 'PUT', /^(.*)\/v2\/tracking-session\/([^/]*)\/location$/],
    ['email', 'PUT', /^(.*)\/v2\/tracking-session\/([^/]*)\/email_v2$/],
    ['link', 'POST', /^(.*)\/v2\/tracking-session\/link-session$/],
]

/** RFC 3986, 3.3: a segment is unreserved characters, sub-delimiters, `:`, `@` and percent-encoded bytes. */
const SEGMENT = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})+$/

/** Where the basic client's events go by default. */
export const BASIC_PATHS = ['/', '/events']

/**
 * Classifies a request.
 *
 * @param {string} method
 * @param {string} target The request target: path and query.
 * @param {object} [options]
 * @param {string[]} [options.basicPaths] Where the basic client's events go; but for `/`, also under a base path.
 * @param {boolean} [options.anyPath] Whether they may go anywhere.
 * @returns {Route}
 */
export function routeOf(method, target, { basicPaths = BASIC_PATHS, anyPath = false } = {}) {
    const mark = target.indexOf('?')
    const path = mark === -1 ? target : target.slice(0, mark)
    const problems = []
    const plain = { api: null, method, path, base: path, session: null, user: null, allow: null, problems }

    for (const [kind, expected, pattern, api = null] of ENDPOINTS) {
        const match = pattern.exec(path)
        if (!match) continue
        if (mark !== -1 && api !== 'mixpanel') problems.push('The URL has a query; this endpoint takes none.')
        return {
            ...plain,
            kind,
            api,
            base: match[1],
            session: decodeSegment(match[2], 'session id', problems),
            user: decodeSegment(match[3], 'user id', problems),
            allow: method === expected ? null : expected,
        }
    }
    const isBasic = method === 'POST' && (
        anyPath || basicPaths.some((basic) => path === basic || (basic !== '/' && path.endsWith(basic)))
    )
    if (!isBasic) problems.push(unknownPath(method, path, basicPaths))
    return { ...plain, kind: isBasic ? 'basic' : 'unknown' }
}

/** How the endpoints are written in a sentence; braces stand for any segment. */
const SPELLED = [
    'POST /v2/tracking-session-data', 'POST /v1/batch', 'PUT /v1/customer-profiles/set', 'POST /v2/tracking-session',
    'PUT /v2/tracking-session/{session}/identify/{user}', 'PUT /v2/tracking-session/{session}/location',
    'PUT /v2/tracking-session/{session}/email_v2', 'POST /v2/tracking-session/link-session', 'POST /batch/', 'POST /2/httpapi',
    'POST /import', 'POST /engage', 'POST /groups', 'POST /v1/logs',
]

const ALL = 'MobileTracker sends to /v2/tracking-session… and /v1/customer-profiles/set, AnalyticsClient to /v1/batch or its api\'s path,'

/** Says that there is no such path, and which was probably meant. */
function unknownPath(method, path, basicPaths) {
    const spelled = [...SPELLED, ...basicPaths.map((basic) => `POST ${basic}`)]
    const near = nearestEndpoint(path, spelled)
    const hint = near ? `The nearest is ${near}.` : `${ALL} BasicTracker to ${basicPaths.join(' or ')}.`
    const basic = method === 'POST'
        ? ` If the basic client sends here, start the collector with --basic-path ${path} or --any-path.`
        : ''
    return `There is no endpoint for ${method} ${path}. ${hint}${basic}`
}

/** Compares the path's last segments with each endpoint's, so that a base path does not matter. */
function nearestEndpoint(path, spelled) {
    let best
    let least = 0.5
    for (const endpoint of spelled) {
        const wanted = endpoint.split(' ')[1].split('/').slice(1)
        const found = path.split('/').slice(1).slice(-wanted.length)
        const fixed = wanted.filter((segment) => !segment.startsWith('{')).join('').length
        if (fixed === 0) continue
        let cost = 0
        for (const [i, segment] of wanted.entries()) {
            if (!segment.startsWith('{')) cost += distance(segment, found[i] ?? '')
        }
        if (cost / fixed < least) [best, least] = [endpoint, cost / fixed]
    }
    return best
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
