import { request } from 'node:http'

/** How often an account is posted. */
const PERIOD_MS = 1000

/** How long to leave a collector in peace that did not answer. */
const PAUSE_MS = 5000

/** How long one post may take. */
const PATIENCE_MS = 900

/** What asks each client how it stands, and where its answer says it sends to. */
const CLIENTS = [
    {
        kind: 'tracker',
        name: 'MobileTracker',
        method: 'getDebugInfo',
        of: ({ brandId }) => brandId,
        to: ({ config }) => config?.apiUrl,
    },
    {
        kind: 'analytics',
        name: 'AnalyticsClient',
        method: 'analytics.getDebugInfo',
        of: ({ writeKey }) => writeKey,
        to: ({ ingestionHost }) => ingestionHost,
    },
    {
        kind: 'basic',
        name: 'BasicTracker',
        method: 'basic.getDebugInfo',
        of: () => null,
        to: ({ endpoint }) => endpoint,
    },
]

/**
 * Shows a development collector how the clients of this program stand: posts their debug information to the collector
 * that they send to, once a second. Only a loopback address gets it. It never keeps Node alive, and while there is no
 * collector it stays silent.
 */
export class CollectorPanel {
    #link
    #timer = null
    /** When a client may be asked again. @type {Map<string, number>} */
    #notBefore = new Map()

    /** @param {Pick<import('./host-link.js').HostLink, 'call' | 'uses' | 'isRunning'>} link */
    constructor(link) {
        this.#link = link
    }

    /** Begins, unless it has. */
    start() {
        if (this.#timer) return
        this.#timer = setInterval(() => this.#postAll(), PERIOD_MS).unref()
    }

    /** Ends for good what `start` began. */
    stop() {
        clearInterval(this.#timer)
        this.#timer = null
    }

    #postAll() {
        // A call would start a host that is not there.
        if (!this.#link.isRunning) return
        for (const client of CLIENTS) {
            if (this.#link.uses(client.kind) && performance.now() >= (this.#notBefore.get(client.kind) ?? 0)) {
                this.#post(client)
            }
        }
    }

    async #post({ kind, name, method, of, to }) {
        this.#notBefore.set(kind, performance.now() + PAUSE_MS)
        // A host that has just died has no account; the next one has.
        const debugInfo = await this.#link.call(method, '{}').catch(() => null)
        const address = debugInfo && collectorBehind(to(debugInfo))
        if (!address) return
        const whose = of(debugInfo) ? `${name} ${of(debugInfo)}` : name
        const account = { client: `${whose}, process ${process.pid}`, at: new Date().toISOString(), debugInfo }
        if (await isTaken(address, JSON.stringify(account))) this.#notBefore.delete(kind)
    }
}

/** Where the collector of a base URL takes accounts; null unless it is on this machine. */
function collectorBehind(base) {
    if (typeof base !== 'string' || !URL.canParse(base)) return null
    const { protocol, hostname, origin } = new URL(base)
    const isLoopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
    return protocol === 'http:' && isLoopback ? `${origin}/accounts` : null
}

/** @returns {Promise<boolean>} Whether a collector was there. It never rejects. */
function isTaken(address, text) {
    return new Promise((resolve) => {
        const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }
        const outgoing = request(address, { method: 'POST', headers, agent: false, timeout: PATIENCE_MS })
        outgoing.on('socket', (socket) => socket.unref())
        outgoing.on('timeout', () => outgoing.destroy())
        outgoing.on('error', () => resolve(false))
        outgoing.on('response', (response) => {
            response.resume()
            resolve(response.statusCode === 200)
        })
        outgoing.end(text)
    })
}
