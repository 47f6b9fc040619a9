import { randomUUID } from 'node:crypto'
import { bad, good, warning } from './findings.js'
import { ask, connectionFinding } from './request.js'

/** Where sessions are made. */
const SESSION = '/v2/tracking-session'

/** A session that does not exist: a request about it can change nothing. */
const NO_SESSION = '00000000-0000-0000-0000-000000000000'

/** Answers of a server that does not know the address, or not the method. */
const UNKNOWN = [404, 405, 501]

const OWN_FAULT = 'The server has an error of its own; events wait until it works again.'

/**
 * Makes the requests of MobileTracker.
 *
 * @param {URL} base
 * @param {object} options
 * @param {string} [options.key] Without it nothing is asked.
 * @param {string} [options.brand] Makes a session for this brand.
 * @param {string} [options.trusted] Certificates.
 * @returns {Promise<import('./findings.js').Finding>}
 */
export async function askTracker(base, { key, brand, trusted }) {
    if (key === undefined) {
        return warning(
            'MobileTracker: its requests were not tried, since they need the key',
            'Give the key with --key or in the variable MOBILE_TRACKER_KEY.',
        )
    }
    if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(key)) {
        return bad(
            'The key has characters that a header must not have',
            'Remove line breaks and quotation marks from it.',
        )
    }
    const { status, redirect, error } = brand === undefined
        ? await ask(
            base,
            { method: 'PUT', path: `${SESSION}/${NO_SESSION}/location`, key, body: {}, trusted },
        )
        : await ask(base, { method: 'POST', path: SESSION, key, body: sessionOf(brand), trusted })
    if (error) return connectionFinding(error)
    if (status === 401 || status === 403) {
        return bad(
            `MobileTracker: the key is refused (${status})`,
            'Check xApiKey: is it the key for this server and this brand? init with the right key resumes delivery.',
        )
    }
    if (redirect?.isFollowed && brand !== undefined) return sessionElsewhere(status, brand, redirect)
    if (redirect) return redirected('MobileTracker', status, redirect)
    return brand === undefined ? judgeProbe(status) : judgeSession(status, brand)
}

function sessionOf(brand) {
    return { device_id: randomUUID(), os_name: 'Linux', device_type: 'Desktop', brand_id: BigInt(brand) }
}

/** Delivery follows, and the doctor does not: it makes sessions where it was told to. */
function sessionElsewhere(status, brand, { target }) {
    const address = target.origin + target.pathname.replace(SESSION, '')
    return warning(
        `MobileTracker: no session was made for brand ${brand}: the server redirects its requests (${status})`,
        `Delivery follows. To make one, give the doctor the address to which this one leads: ${address}.`,
    )
}

/** The answer to a request that makes a session. */
function judgeSession(status, brand) {
    if (status >= 200 && status < 300) {
        return good(`MobileTracker: the key is accepted; a session was made for brand ${brand} (${status})`)
    }
    if (UNKNOWN.includes(status)) {
        return bad(
            `MobileTracker: there is no ${SESSION} below this address (${status})`,
            'Check the path of apiUrl.',
        )
    }
    return bad(
        `MobileTracker: no session can be made for brand ${brand} (${status})`,
        status >= 500 ? 'The server has an error of its own.' : 'Check the brand id.',
    )
}

/** The answer to a request about a session that does not exist. */
function judgeProbe(status) {
    const asked = `${status} to a request about a session that does not exist`
    if (UNKNOWN.includes(status)) {
        return warning(
            `MobileTracker: probably no tracking backend answers at this address (${asked})`,
            'Check the host and the path of apiUrl. Some backends answer 404 for an unknown session: '
                + '--session makes a session, to be sure.',
        )
    }
    if (status >= 500) return warning(`MobileTracker: it is unknown whether the key is accepted (${asked})`, OWN_FAULT)
    return good(`MobileTracker: the key is not refused (${asked}; --session makes one, to be sure)`)
}

/**
 * The request of each API that brings nothing and carries no key. A server that wants a key for it answers 401, or 400 where
 * the key stands in the body.
 *
 * @type {Record<string, { path: string, body: any, wantsKey?: boolean }>}
 */
const EMPTY_BATCHES = {
    metaRouter: { path: '/v1/batch', body: { batch: [] } },
    segment: { path: '/v1/batch', body: { batch: [] } },
    postHog: { path: '/batch/', body: { api_key: '', batch: [] }, wantsKey: true },
    amplitude: { path: '/2/httpapi', body: { api_key: '', events: [] }, wantsKey: true },
    mixpanel: { path: '/import?strict=1', body: [], wantsKey: true },
    otlp: { path: '/v1/logs', body: { resourceLogs: [] } },
}

/**
 * Makes the request of AnalyticsClient, with a batch without events.
 *
 * @param {URL} base
 * @param {string} api Whose API the client is told that the server speaks.
 * @param {string} [trusted] Certificates.
 * @returns {Promise<import('./findings.js').Finding>}
 */
export async function askAnalytics(base, api, trusted) {
    const { path, body, wantsKey } = EMPTY_BATCHES[api]
    const { status, redirect, error } = await ask(base, { method: 'POST', path, body, trusted })
    if (error) return connectionFinding(error)
    if (redirect) return redirected('AnalyticsClient', status, redirect)
    if (UNKNOWN.includes(status) || status === 410) {
        return warning(
            `AnalyticsClient: there is no ${path} below this address (${status})`,
            'If your program uses AnalyticsClient, check ingestionHost: at 404 and 410 it halts and keeps its queue. '
                + 'If its option api names another API, give that with --api.',
        )
    }
    if ((status === 401 || status === 403) && !wantsKey) {
        return warning(
            `AnalyticsClient: an empty batch is refused (${status})`,
            'The doctor sends no write key. If your program uses AnalyticsClient, check that it sends the right one: '
                + 'at 401 and 403 it halts and keeps its queue.',
        )
    }
    if (status >= 500) return warning(`AnalyticsClient: ${status} to an empty batch`, OWN_FAULT)
    return good(`AnalyticsClient: ${path} is there (${status} to an empty batch; no write key was tried)`)
}

function redirected(client, status, { isFollowed }) {
    if (isFollowed) return good(`${client}: the server redirects its requests, and delivery follows (${status})`)
    return warning(
        `${client}: the server sends its requests elsewhere (${status})`,
        'Redirects to another origin are not followed: use the address to which this one leads.',
    )
}
