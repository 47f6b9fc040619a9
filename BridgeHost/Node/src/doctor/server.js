import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import { connect } from 'node:tls'
import { isLoopback } from '../collector/options.js'
import { readText, UsageError } from '../command-line.js'
import { askAnalytics, askTracker } from './clients.js'
import { bad, good, warning } from './findings.js'
import { ageText, CLIENTS } from './folder.js'
import { ask, connectionFinding, PATIENCE_MS } from './request.js'

const DAY_MS = 86_400_000
const FEW_DAYS = 14
const SLOW_MS = 1000

/** How many queues for other addresses are named. */
const MOST_ADDRESSES = 5

/** Beyond this, the times of events are misleading. */
const MUCH_SKEW_MS = 5000

/**
 * Reads the address.
 *
 * @param {string} text
 * @param {string} source What gave it: an option, or a variable of the environment.
 * @throws {UsageError}
 */
export function baseFrom(text, source) {
    const url = URL.canParse(text) ? new URL(text) : null
    if (!url || !['http:', 'https:'].includes(url.protocol)) {
        throw new UsageError(`${source} is "${text}"; it must be a URL such as https://api.example.com.`)
    }
    if (url.username || url.password || url.search || url.hash) {
        throw new UsageError(`${source} is "${text}"; it must have no user, query or fragment.`)
    }
    return url
}

/**
 * Examines the way to a server, step by step; what needs a step that failed is left out.
 *
 * @param {URL} base
 * @param {object} options
 * @param {string} [options.key]
 * @param {string} [options.api] Whose API the server speaks to AnalyticsClient.
 * @param {string} [options.ca] A file of certificates to trust.
 * @param {string} [options.brand] Makes a session for this brand.
 * @param {import('./folder.js').Lane[]} [options.lanes] The queues that were found: only their clients are judged.
 * @param {NodeJS.ProcessEnv} [options.env]
 * @returns {Promise<import('./findings.js').Section>}
 */
export async function examineServer(base, { key, api = 'metaRouter', ca, brand, lanes = [], env = process.env }) {
    const findings = [...addressOf(base, lanes), ...plainText(base), ...proxyOf(base, env)]
    const section = { title: 'Server', of: base.href, findings }
    const host = base.hostname.replace(/^\[|\]$/g, '')
    const name = await lookUp(host)
    findings.push(name)
    if (name.level === 'bad') return section
    const trusted = ca === undefined ? undefined : readText(ca)
    if (base.protocol === 'https:') {
        const tls = await examineTLS(base, host, trusted)
        findings.push(tls)
        if (tls.level === 'bad') return section
    }
    const answer = await ask(base, { method: 'GET', path: '/', trusted })
    findings.push(...roundTrip(base, answer))
    if (answer.error) return section
    findings.push(...clock(answer))
    const isUsed = usedAt(base, lanes)
    if (isUsed('session') || brand !== undefined) findings.push(await askTracker(base, { key, brand, trusted }))
    if (isUsed('batch')) findings.push(await askAnalytics(base, api, trusted))
    return section
}

/** Which clients send to an address: those with a queue for it, else those with any queue, else perhaps all. */
function usedAt(base, lanes) {
    const here = lanes.filter((lane) => isFor(base, lane))
    const kinds = new Set((here.length > 0 ? here : lanes).map(({ kind }) => kind))
    return (kind) => kinds.size === 0 || kinds.has(kind)
}

/** An event is sent to the address for which it was tracked, and to no other. */
function addressOf(base, lanes) {
    if (lanes.length === 0 || lanes.some((lane) => isFor(base, lane))) return []
    const shown = lanes.slice(0, MOST_ADDRESSES).map(({ kind, origin, queued }) => {
        return `${CLIENTS[kind] ?? kind} → ${origin}${queued > 0 ? ` (${queued} wait)` : ''}`
    })
    if (lanes.length > MOST_ADDRESSES) shown.push(`${lanes.length - MOST_ADDRESSES} more`)
    return [warning(
        `No queue is for this address. There are: ${shown.join(', ')}`,
        'Events go to the address for which they were tracked. Compare apiUrl, ingestionHost or endpoint of the program '
            + 'with this one.',
    )]
}

/** A queue's address is a base with its path; that of BasicTracker is an endpoint below it. */
function isFor(base, { kind, origin }) {
    if (!URL.canParse(origin)) return false
    const url = new URL(origin)
    const path = ({ pathname }) => pathname.replace(/\/$/, '')
    return url.origin === base.origin && (kind === 'endpoint' ? path(url).startsWith(path(base)) : path(url) === path(base))
}

function plainText({ protocol, hostname }) {
    if (protocol === 'https:' || isLoopback(hostname)) return []
    return [bad(
        'Plain http to another machine is refused by init',
        'Use https, or allowInsecureHTTP: true if anybody on the network may read the events and the key.',
    )]
}

function proxyOf({ protocol, hostname }, env) {
    const own = protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy']
    const name = [...own, 'all_proxy', 'ALL_PROXY'].find((variable) => env[variable])
    if (!name || isExempt(hostname.replace(/^\[|\]$/g, ''), env.no_proxy || env.NO_PROXY || '')) return []
    return [warning(
        `The host goes through the proxy that ${name} names; these checks go without it`,
        `If events do not arrive, try once with ${name} unset, or with ${hostname} in no_proxy.`,
    )]
}

/** Whether libcurl goes to a host without a proxy (curl(1), NO_PROXY): names with all below them, addresses, networks. */
function isExempt(host, list) {
    if (list.trim() === '*') return true
    return list.split(/[\s,]+/).filter(Boolean).some((entry) => {
        if (isIP(host)) return isInNetwork(host, entry.replace(/^\[|\]$/g, ''))
        const name = entry.toLowerCase().replace(/^\.|\.$/g, '')
        return host === name || host.endsWith(`.${name}`)
    })
}

function isInNetwork(address, entry) {
    const [network, bits] = entry.split('/')
    if (!isIP(network) || isIP(network) !== isIP(address)) return false
    const family = isIP(address) === 4 ? 'ipv4' : 'ipv6'
    const list = new BlockList()
    const length = bits === undefined ? (family === 'ipv4' ? 32 : 128) : Number(bits)
    if (!(length >= 0 && length <= (family === 'ipv4' ? 32 : 128))) return false
    list.addSubnet(network, length, family)
    return list.check(address, family)
}

async function lookUp(host) {
    if (isIP(host)) return good(`${host} needs no name lookup`)
    const start = performance.now()
    try {
        const addresses = await lookup(host, { all: true })
        return good(`${host} is ${addresses.map(({ address }) => address).slice(0, 4).join(', ')} (${elapsed(start)})`)
    } catch (error) {
        if (error.code === 'ENOTFOUND') {
            return bad(
                `There is no host ${host}`,
                'Check the spelling of apiUrl. If the name is right, the name server of this machine does not know it: '
                    + 'VPN, /etc/resolv.conf.',
            )
        }
        return bad(
            `${host} cannot be looked up: ${error.code ?? error.message}`,
            'The name server of this machine does not answer: network, VPN, /etc/resolv.conf.',
        )
    }
}

function examineTLS({ port }, host, trusted) {
    return new Promise((resolve) => {
        const socket = connect({
            host,
            port: Number(port) || 443,
            servername: isIP(host) ? '' : host,
            rejectUnauthorized: false,
            timeout: PATIENCE_MS,
            ...(trusted && { ca: trusted }),
        })
        const end = (finding) => {
            socket.destroy()
            resolve(finding)
        }
        socket.on('secureConnect', () => end(judgeCertificate(socket)))
        socket.on(
            'timeout',
            () => end(bad(
                `No answer to TLS within ${PATIENCE_MS / 1000} s`,
                'Check the port, the firewall and the proxy.',
            )),
        )
        socket.on('error', (error) => end(connectionFinding(error)))
    })
}

function judgeCertificate(socket) {
    const certificate = socket.getPeerCertificate()
    const left = Math.floor((Date.parse(certificate.valid_to) - Date.now()) / DAY_MS)
    const of = `the certificate of ${certificate.subject?.CN ?? certificate.subjectaltname ?? 'the server'}`
    if (!socket.authorized) {
        const reason = socket.authorizationError?.code ?? String(socket.authorizationError)
        if (reason === 'CERT_HAS_EXPIRED') return bad(`TLS: ${of} expired ${-left} days ago`, 'Renew it on the server.')
        if (reason === 'ERR_TLS_CERT_ALTNAME_INVALID') {
            return bad(`TLS: ${of} is for another name`, 'Correct apiUrl, or the certificate on the server.')
        }
        return bad(
            `TLS: ${of} is not trusted (${reason})`,
            'If it is your own, pass the certificate of its signer with the option caBundle, and here with --ca.',
        )
    }
    const what = `TLS: ${socket.getProtocol()}, ${of} is good for ${left} days`
    return left < FEW_DAYS ? warning(what, 'Renew it on the server.') : good(what)
}

function roundTrip(base, { status, redirect, time, error }) {
    if (error) return [connectionFinding(error)]
    const what = `It answers in ${Math.round(time)} ms (GET ${base.pathname}: ${status})`
    if (redirect?.target && !redirect.isFollowed) {
        const { origin } = redirect.target
        return [warning(
            `${what}, and redirects to ${origin}`,
            `Redirects to another origin are not followed: set apiUrl to ${origin} if that is the backend.`,
        )]
    }
    if (status >= 500) return [warning(what, 'The server has an error of its own; events wait until it works again.')]
    if (time <= SLOW_MS) return [good(what)]
    return [warning(what, 'With one request in flight, this limits how many go out a second: see maxConcurrentRequests.')]
}

function clock({ headers, at }) {
    const theirs = Date.parse(headers?.date)
    if (Number.isNaN(theirs)) {
        return [warning('Its answers have no Date', 'So this machine\'s clock cannot be checked.')]
    }
    // The header is in whole seconds, cut off.
    const skew = at - (theirs + 500)
    const direction = skew > 0 ? 'ahead of' : 'behind'
    if (Math.abs(skew) <= MUCH_SKEW_MS) return [good('This machine\'s clock agrees with the server\'s')]
    return [warning(
        `This machine's clock is ${ageText(Math.abs(skew))} ${direction} the server's`,
        'Events carry wrong times. Set the clock, such as with: timedatectl set-ntp true',
    )]
}

function elapsed(start) {
    return `${Math.round(performance.now() - start)} ms`
}
