import { batch as metaRouter } from './analytics.js'
import { amplitude } from './apis/amplitude.js'
import { mixpanel } from './apis/mixpanel.js'
import { otlp } from './apis/otlp.js'
import { postHog } from './apis/post-hog.js'
import { segment } from './apis/segment.js'

/** @typedef {import('./findings.js').Check} Check */

/** What a batch must look like, by its API. @type {Record<string, Check>} */
const CHECKS = { metaRouter, segment, postHog, amplitude, otlp }

/** How many levels an API has around the caller's own values. */
const LEVELS = { metaRouter: 3, segment: 3, postHog: 4, amplitude: 4, mixpanel: 3, otlp: 10 }

/** An attribute's list and object are three levels of JSON each. */
const LEVELS_EACH = { otlp: 4 }

/** @param {string} api @param {import('../routes.js').Route} route @returns {Check} */
export function batchCheck(api, route) {
    if (api !== 'mixpanel') return CHECKS[api]
    return mixpanel[route.path.slice(route.path.lastIndexOf('/'))]
}

/** How deep the body of a batch may nest. @param {string} api @param {number} deepest What a caller's values may. */
export function deepestBatch(api, deepest) {
    return LEVELS[api] + deepest * (LEVELS_EACH[api] ?? 1)
}

/** Who sends a vendor its key in a header: the user name of Basic authentication, without a password. */
const AUTHORIZED = { segment: ['/batch'], mixpanel: ['/import'] }

/**
 * Checks the headers of a vendor's batch. Its own SDKs may send it, so it need not come from a tracker.
 *
 * @param {string} api
 * @param {import('../routes.js').Route} route
 * @param {Record<string, string | undefined>} headers
 * @param {import('./findings.js').Findings} findings
 */
export function checkVendorHeaders(api, route, headers, findings) {
    const type = headers['content-type']
    if (!/^application\/json(?:\s*;\s*charset=utf-8)?$/i.test(type ?? '')) {
        findings.add(`Content-Type is ${type === undefined ? 'missing' : JSON.stringify(type)}; it must be application/json.`)
    }
    const sequence = headers['x-sequence']
    if (sequence !== undefined && !/^(?:0|[1-9]\d{0,18})$/.test(sequence)) {
        findings.add(`X-Sequence is ${JSON.stringify(sequence)}; it must be a whole number.`)
    }
    if (AUTHORIZED[api]?.some((path) => route.path.endsWith(path)) && !isBasic(headers.authorization)) {
        findings.add('Authorization must be Basic with the key as its user name.')
    }
}

function isBasic(header) {
    const match = /^Basic ([A-Za-z0-9+/]+=*)$/.exec(header ?? '')
    return match !== null && /^[^:]+:/.test(Buffer.from(match[1], 'base64').toString())
}
