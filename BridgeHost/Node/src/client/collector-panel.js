import { request } from 'node:http'

/** How often an account is posted. */
const PERIOD_MS = 1000

/** How long to wait after a collector did not answer. */
const PAUSE_MS = 5000

/** How long one post may take. */
const POST_TIMEOUT_MS = 900

/** For each client: the method that returns its debug information, and which members name it and its server. */
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
 * Posts the debug information of this program's clients once a second to the development collector that they send to.
 * Only a loopback address receives it. It never keeps Node alive, and reports no error if there is no collector.
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

    /** Starts posting, unless it has started. */
    start() {
        if (this.#timer) return
        this.#timer = setInterval(() => this.#postAll(), PERIOD_MS).unref()
    }

    /** Stops posting. */
    stop() {
        clearInterval(this.#timer)
        this.#timer = null
    }

    #postAll() {
        // A call would start a host.
        if (!this.#link.isRunning) return
        for (const client of CLIENTS) {
            if (this.#link.uses(client.kind) && performance.now() >= (this.#notBefore.get(client.kind) ?? 0)) {
                this.#post(client)
            }
        }
    }

    async #post({ kind, name, method, of, to }) {
        this.#notBefore.set(kind, performance.now() + PAUSE_MS)
        // If the host has just died, the next post comes from the next host.
        const debugInfo = await this.#link.call(method, '{}').catch(() => null)
        const address = debugInfo && collectorBehind(to(debugInfo))
        if (!address) return
        const whose = of(debugInfo) ? `${name} ${of(debugInfo)}` : name
        const account = { client: `${whose}, process ${process.pid}`, at: new Date().toISOString(), debugInfo }
        if (await isAccepted(address, JSON.stringify(account))) this.#notBefore.delete(kind)
    }
}

/** The URL to which to post; null unless the collector is on this machine. */
function collectorBehind(base) {
    if (typeof base !== 'string' || !URL.canParse(base)) return null
    const { protocol, hostname, origin } = new URL(base)
    const isLoopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
    return protocol === 'http:' && isLoopback ? `${origin}/accounts` : null
}

/** @returns {Promise<boolean>} Whether a collector answered 200. It never rejects. */
function isAccepted(address, text) {
    return new Promise((resolve) => {
        const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }
        const outgoing = request(address, { method: 'POST', headers, agent: false, timeout: POST_TIMEOUT_MS })
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
