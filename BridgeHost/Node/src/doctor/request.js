import { request as requestPlainly } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { serialize } from '../client/serialize.js'
import { DOCTOR_AGENT } from '../collector/options.js'
import { bad } from './findings.js'

export const PATIENCE_MS = 10_000

/** What Node says of an answer that is not TLS. Some versions have one code for all that breaks a handshake. */
const NO_TLS = ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']

/**
 * Makes one request.
 *
 * @typedef {{ target: URL | null, isFollowed: boolean }} Redirect Where an answer leads, and whether delivery goes there.
 * @returns {Promise<{
 *     status?: number, headers?: any, redirect?: Redirect, time?: number, at?: number, error?: Error
 * }>} It never rejects.
 */
export function ask(base, { method, path, key, body, trusted }) {
    const request = base.protocol === 'https:' ? requestSecurely : requestPlainly
    const url = new URL(base.pathname.replace(/\/$/, '') + path, base)
    const text = body === undefined ? undefined : serialize(body, 'body')
    const headers = {
        'User-Agent': DOCTOR_AGENT, ...(key !== undefined && { 'X-API-Key': key }),
        ...(text !== undefined && { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
    }
    return new Promise((resolve) => {
        const start = performance.now()
        const outgoing = request(
            url,
            { method, headers, timeout: PATIENCE_MS, agent: false, ...(trusted && { ca: trusted }) },
        )
        outgoing.on(
            'timeout',
            () => outgoing.destroy(Object.assign(
                new Error('timeout'),
                { code: `no answer within ${PATIENCE_MS / 1000} s` },
            )),
        )
        outgoing.on('error', (error) => resolve({ error }))
        outgoing.on('response', (response) => {
            const time = performance.now() - start
            response.on('error', (error) => resolve({ error }))
            response.resume().on(
                'end',
                () => resolve({
                    status: response.statusCode,
                    headers: response.headers,
                    redirect: redirectOf(url, response),
                    time,
                    at: Date.now() - time / 2,
                }),
            )
        })
        outgoing.end(text)
    })
}

function redirectOf(from, { statusCode, headers: { location } }) {
    if (statusCode < 300 || statusCode >= 400 || statusCode === 304) return undefined
    if (location === undefined || !URL.canParse(location, from)) return { target: null, isFollowed: false }
    const target = new URL(location, from)
    const isMadeSecure = from.protocol === 'http:' && target.protocol === 'https:' && from.hostname === target.hostname
    const hasUser = target.username !== '' || target.password !== ''
    return { target, isFollowed: !hasUser && (from.origin === target.origin || isMadeSecure) }
}

/** Says why there is no answer. */
export function connectionFinding({ code, message }) {
    if (code === 'ECONNREFUSED') {
        return bad(
            'No server listens there: the connection is refused',
            'Check the port of apiUrl, and whether the server runs.',
        )
    }
    if (NO_TLS.includes(code)) {
        return bad('It does not speak TLS', 'Use http:// for a server on this machine, or correct the port.')
    }
    if (['ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN'].includes(code)) {
        return bad(`It cannot be reached (${code})`, 'Check the network and the VPN.')
    }
    return bad(`The connection fails: ${code ?? message}`, 'Check the firewall, the proxy and the port.')
}
