import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { suite, test } from 'node:test'
import { KEY, realTracker, withoutHost } from '../testsupport/real-host.js'

// The numbers of the documents, as numbers: a default that changes by accident fails here.
const DELIVERY = {
    persistence: 'disk', durability: 'process', maxQueuedEvents: 100_000, maxQueuedBytes: 67_108_864,
    maxEventBytes: 524_288, eventTTLMs: null, overflow: null, maxConcurrentRequests: 1, requestTimeoutMs: 30_000,
    compression: 'gzip', compressionThreshold: 1024, retryDelayMs: 250, failureThreshold: 3, cooldownMs: 10_000,
    maxCooldownMs: 120_000, jitter: 0.2, haltRetryMs: 300_000, poisonAfterMs: 1_800_000, maxRefusedEvents: 1000,
    maxRefusedBytes: 8_388_608, refusedTTLMs: 604_800_000, caBundle: null, clientCertificate: null, clientKey: null, keyFile: null,
    proxy: null, headers: null,
    allowInsecureHTTP: false, collectorPanel: false,
}

/** Those members of `shown` that `expected` has. */
const among = (expected, shown) => Object.fromEntries(Object.keys(expected).map((name) => [name, shown[name]]))

suite('an option that is left out has its documented default', { skip: withoutHost }, () => {
    test('with the tracker', async (t) => {
        const { tracker, collector } = await realTracker(t)
        await tracker.init('925', { apiUrl: collector.url, xApiKey: KEY })

        const { config } = await tracker.getDebugInfo()
        const own = {
            enabled: null, debug: false, crossSiteCookie: false, cookieDomain: null, cookieExpiration: 365,
            sessionCreation: 'duringInit', initTimeoutMs: 30_000, consent: 'granted', initialScreen: null,
            maxPendingEvents: null,
        }
        assert.deepEqual(among(own, config), own)
        assert.deepEqual(among(DELIVERY, config.delivery), DELIVERY)
    })

    test('with the analytics client', async (t) => {
        const { tracker: { analytics }, collector } = await realTracker(t)
        await analytics.initialize({ writeKey: KEY, ingestionHost: collector.url })

        const { config, maxQueueEvents } = await analytics.getDebugInfo()
        const own = {
            enabled: null, debug: false, flushIntervalSeconds: 10, flushAt: 20, maxBatchSize: 100, maxBatchBytes: 475_000,
            requestTimeoutMs: 8000,
        }
        assert.equal(maxQueueEvents, 100_000)
        assert.deepEqual(among(own, config), own)
        const delivery = { ...DELIVERY, requestTimeoutMs: 8000 }
        assert.deepEqual(among(delivery, config.delivery), delivery)
    })

    test('with the analytics client in memory, where the queue holds 2,000', async (t) => {
        const { tracker: { analytics }, collector } = await realTracker(t)
        await analytics.initialize({ writeKey: KEY, ingestionHost: collector.url, persistence: 'memory' })

        assert.equal((await analytics.getDebugInfo()).maxQueueEvents, 2000)
    })

    test('with the basic tracker, whose queue holds 100 in memory', async (t) => {
        for (const [persistence, maxQueueSize] of [['disk', 100_000], ['memory', 100]]) {
            const { tracker: { basic }, collector } = await realTracker(t)
            await basic.initialize(KEY, `${collector.url}/events`, null, { persistence })

            const info = await basic.getDebugInfo()
            assert.equal(info.maxQueueSize, maxQueueSize)
            assert.equal(info.config.debug, false)
            const delivery = { ...DELIVERY, persistence, maxQueuedEvents: maxQueueSize }
            assert.deepEqual(among(delivery, info.config.delivery), delivery)
        }
    })
})

/** A backend that makes sessions, and never answers anything else. */
async function silentBackend(t) {
    const server = createServer((request, response) => {
        request.resume()
        const isSession = request.url.endsWith('/v2/tracking-session')
        if (isSession) response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{"id":"s1"}}')
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.after(() => {
        server.closeAllConnections()
        server.close()
    })
    return `http://127.0.0.1:${server.address().port}`
}

suite('a flush', { skip: withoutHost }, () => {
    test('without arguments has 30 s', async (t) => {
        const url = await silentBackend(t)
        const { tracker } = await realTracker(t)
        const options = { requestTimeoutMs: 600_000 }
        await tracker.init('925', { apiUrl: url, xApiKey: KEY, ...options })
        await tracker.analytics.initialize({ writeKey: KEY, ingestionHost: url, ...options })
        await tracker.basic.initialize(KEY, `${url}/events`, null, options)

        await Promise.all([tracker, tracker.analytics, tracker.basic].map(async (client) => {
            await client.track('X')
            const begin = performance.now()
            const { remaining, stoppedBy } = await client.flush()

            assert.deepEqual({ remaining, stoppedBy }, { remaining: 1, stoppedBy: 'timeout' })
            // A timer may be a little early; another default would be far from it.
            const seconds = (performance.now() - begin) / 1000
            assert.ok(seconds > 29 && seconds < 60, `${seconds} s`)
        }))
    })
})
