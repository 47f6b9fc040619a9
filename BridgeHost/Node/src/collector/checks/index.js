import { DOCTOR_AGENT } from '../options.js'
import { strangerIn } from '../apis/index.js'
import { basic } from './basic.js'
import { batchCheck, checkVendorHeaders, deepestBatch } from './batch.js'
import { Findings } from './findings.js'
import { checkHeaders } from './headers.js'
import { email, event, link, location, profile, session } from './tracker.js'

/** @typedef {import('../routes.js').Route} Route */
/** @typedef {import('../body.js').Body} Body */

/** What the body of each kind must look like. @type {Record<string, import('./findings.js').Check>} */
const BODIES = { session, event, profile, location, email, link, basic }

/** How many levels are around the caller's own values, which may nest 128 deep. */
const LEVELS_AROUND = { event: 1, profile: 1, basic: 2 }
const DEEPEST = 128

/** How deep a body may nest for its members to be checked: the checks need stack for each level. */
const DEEPEST_CHECKED = 1000

const LARGEST_BRAND = 9223372036854775807n

/**
 * Says everything that is wrong with one request.
 *
 * @param {Route} route
 * @param {Record<string, string | undefined>} headers Names in lower case.
 * @param {Body} body
 * @param {{ api: string | null, expected: string | null }} apis Whose request it is, and whose alone may come.
 * @returns {import('./findings.js').Finding[]} None if the request is as it should be.
 */
export function problemsOf(route, headers, body, { api, expected }) {
    const findings = new Findings()
    for (const problem of route.problems) findings.add(problem)
    for (const problem of strangerIn(api, expected, route)) findings.add(problem)
    if (route.allow) findings.add(`The method is ${route.method}; this path takes ${route.allow}.`)
    if (route.kind === 'unknown' || headers['user-agent'] === DOCTOR_AGENT) return findings.list
    if (isVendor(api)) checkVendorHeaders(api, route, headers, findings)
    else checkHeaders(route.kind, headers, { hasBody: body.size > 0, value: body.value }, findings)
    if (body.problem) findings.add(body.problem)
    else checkBody(route, api, body, findings)
    return findings.list
}

/** Whether a batch is in a vendor's form, and not in that of the trackers' own backend. */
function isVendor(api) {
    return api !== null && api !== 'metaRouter'
}

function checkBody(route, api, body, findings) {
    const check = api === null ? BODIES[route.kind] : batchCheck(api, route)
    if (!check) {
        if (body.size > 0) findings.add('There is a body; this endpoint takes none.')
        return
    }
    if (body.size === 0) return findings.add('There is no body.')
    if (body.inspection.depth <= DEEPEST_CHECKED) check(body.value, findings)
    checkText(route.kind, api, body.inspection, findings)
}

/** @param {import('../json.js').Inspection} inspection */
function checkText(kind, api, inspection, findings) {
    for (const path of inspection.duplicates) findings.add('stands there twice.', path)
    for (const path of inspection.surrogates) findings.add('has half of a surrogate pair.', path)
    const deepest = api === null ? DEEPEST + (LEVELS_AROUND[kind] ?? 0) : deepestBatch(api, DEEPEST)
    if (inspection.depth > deepest) {
        findings.add(`The body nests ${inspection.depth} levels deep; what a caller gives may nest ${DEEPEST}.`)
    }
    const brand = inspection.numbers.get('brand_id')
    if (brand !== undefined && !isBrand(brand)) {
        findings.add(`is ${brand}; it must be a whole number of at most 64 bits.`, ['brand_id'])
    }
}

function isBrand(token) {
    return /^(?:0|[1-9]\d*)$/.test(token) && BigInt(token) <= LARGEST_BRAND
}
