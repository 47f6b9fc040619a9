import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { KEY, PATIENT, problemsOf, realTracker, WAIT_MS, withoutHost } from '../testsupport/real-host.js'
import { afterwards, freshFolder, inTime } from '../testsupport/hosts.js'
import { runProgram } from '../testsupport/programs.js'

const STAMPED = /^\d{13}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The events that the backend has taken, in the order in which each came first. A crash may have repeated some. */
function eventsOf(collector, kind) {
    const events = collector.received({ kind, accepted: true }).flatMap(({ body }) => body.batch ?? body)
    const key = ({ sentAt, ...event }) => event.messageId ?? JSON.stringify(event)
    const seen = new Set()
    return events.filter((event) => !seen.has(key(event)) && seen.add(key(event)))
}

suite('the analytics client', { skip: withoutHost }, () => {
    const options = (collector, changes = {}) => ({ writeKey: KEY, ingestionHost: collector.url, ...changes })

    test('sends every kind of event in batches', async (t) => {
        const { tracker: { analytics }, collector } = await realTracker(t)
        assert.equal(await analytics.initialize(options(collector)), undefined)

        const outcomes = await Promise.all([
            analytics.track('Signed Up', { plan: 'pro' }),
            analytics.identify('u1', { name: 'Ada' }),
            analytics.group('g1'),
            analytics.screen('Home', { tab: 1 }),
            analytics.page('Start'),
            analytics.alias('u2', { messageId: 'alias-1' }),
        ])
        const report = await analytics.flush()

        assert.deepEqual(report, { delivered: 6, remaining: 0 })
        const events = eventsOf(collector, 'batch')
        assert.deepEqual(events.map(({ type }) => type), ['track', 'identify', 'group', 'screen', 'page', 'alias'])
        assert.deepEqual(events.map(({ messageId }) => messageId), outcomes.map(({ messageId }) => messageId))
        assert.ok(outcomes.slice(0, 5).every(({ messageId }) => STAMPED.test(messageId)))
        assert.equal(outcomes[5].messageId, 'alias-1')
        assert.deepEqual(problemsOf(collector), [])
    })

    test('has its own debug information, advertising id and life', async (t) => {
        const { tracker: { analytics }, collector, warnings } = await realTracker(t)
        await analytics.initialize(options(collector))

        await analytics.setAdvertisingId('ad-1')
        await analytics.track('WITH')
        await analytics.clearAdvertisingId()
        await analytics.track('WITHOUT')
        await analytics.flush()
        await analytics.enableDebugLogging()
        await analytics.background()
        await analytics.foreground()
        const info = await analytics.getDebugInfo()

        const ids = eventsOf(collector, 'batch').map(({ context }) => context.device?.advertisingId)
        assert.deepEqual(ids, ['ad-1', undefined])
        assert.equal(info.lifecycle, 'ready')
        assert.ok(!JSON.stringify(info).includes(KEY))
        await analytics.reset()
        assert.deepEqual(await analytics.track('AFTER'), { status: 'dropped', reason: 'NOT_INITIALIZED' })
        assert.equal(warnings.length, 1)
    })

    test('refuses invalid options, also those that JSON has no form for', async (t) => {
        const { tracker: { analytics }, collector } = await realTracker(t)

        const faults = [{ writeKey: '' }, { ingestionHost: 'ftp://x' }, { flushAt: 0 }, { flushAt: NaN }, { flusAt: 1 }]
        for (const changes of faults) {
            const error = { code: 'INVALID_CONFIGURATION', number: 1002 }
            await assert.rejects(analytics.initialize(options(collector, changes)), error, JSON.stringify(changes))
        }
        assert.equal((await analytics.track('A')).status, 'dropped')
    })

    test('reports a thousand users, each by its own call', async (t) => {
        const { tracker: { analytics }, collector, pid } = await realTracker(t)
        await analytics.initialize(options(collector, { maxBatchSize: 1000 }))
        await analytics.identify('own')
        await analytics.flush()

        const calls = []
        for (let step = 0; step < 3; step++) {
            for (let user = 0; user < 1000; user++) {
                calls.push(analytics.track(`Step ${step}`, { user }, { userId: `u${user}`, context: { user } }))
            }
            // What the host has not answered is told to the next one, each for its own user.
            if (step === 1) process.kill(pid(), 'SIGKILL')
        }
        await Promise.all(calls)
        await analytics.flush()

        const events = eventsOf(collector, 'batch').slice(1)
        assert.deepEqual(events.map(({ event, userId }) => `${event} ${userId}`), Array.from(
            { length: 3000 }, (_, i) => `Step ${Math.floor(i / 1000)} u${i % 1000}`))
        assert.ok(events.every(({ userId, properties, context }) =>
            userId === `u${properties.user}` && context.user === properties.user))
        assert.ok(events.every(({ anonymousId }) => anonymousId === undefined))
        assert.deepEqual(problemsOf(collector), [])
        assert.equal((await analytics.getDebugInfo()).userId, 'own')
    })

    test('takes what a call says for itself: visitor, group, time and message id', async (t) => {
        const { tracker: { analytics }, collector } = await realTracker(t)
        await analytics.initialize(options(collector))

        const at = new Date(1_600_000_000_000)
        await analytics.page('Start', null, { anonymousId: 'visitor 1', groupId: 'g1', timestamp: at, messageId: 'm-1' })
        await analytics.identify('u1', { name: 'Ada' }, { userId: 'u1', timestamp: '2020-09-13T12:26:40Z' })
        await analytics.screen('Own')
        await analytics.flush()

        const [page, identify, own] = eventsOf(collector, 'batch')
        assert.deepEqual(
            [page.anonymousId, page.groupId, page.userId, page.timestamp, page.messageId],
            ['visitor 1', 'g1', undefined, '2020-09-13T12:26:40.000Z', 'm-1'])
        assert.deepEqual([identify.userId, identify.timestamp], ['u1', '2020-09-13T12:26:40.000Z'])
        assert.equal(own.userId, undefined)
        assert.deepEqual(problemsOf(collector), [])
    })

    test('comes back after its host was killed, and doubles nothing', async (t) => {
        const { tracker: { analytics }, collector, pid } = await realTracker(t)
        await analytics.initialize(options(collector))
        await analytics.identify('u1')

        const calls = []
        for (let i = 0; i < 50; i++) {
            calls.push(analytics.track(`E${i}`))
            if (i === 25) {
                await calls[5]
                process.kill(pid(), 'SIGKILL')
            }
        }
        await inTime(Promise.all(calls))
        await analytics.flush()

        const events = eventsOf(collector, 'batch').slice(1)
        assert.deepEqual(events.map(({ event }) => event), Array.from({ length: 50 }, (_, i) => `E${i}`))
        assert.ok(events.every(({ userId }) => userId === 'u1'))
    })

    test('sends what is left when the program ends', async (t) => {
        const collector = await startCollector()
        afterwards(t, () => collector.close())
        const made = { hostArguments: ['--storage-dir', freshFolder(t), ...PATIENT], stderr: 'ignore' }
        const { code, took } = await runProgram(t, `
            import { createTracker } from '@mobiletracker/bridge'
            const { analytics } = createTracker(${JSON.stringify(made)})
            await analytics.initialize(${JSON.stringify(options(collector))})
            analytics.track('LAST')`)

        assert.equal(code, 0)
        // The program waits for 5 s at most; then the host goes on.
        if (took >= 5000) await collector.wait({ kind: 'batch', timeoutMs: WAIT_MS })
        assert.deepEqual(eventsOf(collector, 'batch').map(({ event }) => event), ['LAST'])
    })
})

suite('the basic tracker', { skip: withoutHost }, () => {
    const endpoint = (collector) => `${collector.url}/events`

    test('sends its events to one endpoint', async (t) => {
        const { tracker: { basic }, collector } = await realTracker(t)
        assert.equal(await basic.initialize(KEY, endpoint(collector), '1.2.3'), undefined)

        await basic.track('Clicked', { button: 'buy' })
        await basic.identify('u1', { plan: 'pro' })
        await basic.screen('Home')
        await collector.wait({ kind: 'basic', count: 3 })

        const events = eventsOf(collector, 'basic')
        assert.deepEqual(events.map(({ type, userId }) => [type, userId]), [
            ['track', undefined], ['identify', 'u1'], ['screen', 'u1'],
        ])
        assert.ok(events.every(({ context }) => context.appVersion === '1.2.3'))
        assert.deepEqual(problemsOf(collector), [])
    })

    test('says what is wrong with its arguments', async (t) => {
        const { tracker: { basic }, collector } = await realTracker(t)

        for (const key of ['', null, undefined]) {
            await assert.rejects(basic.initialize(key, endpoint(collector)), { code: 'INVALID_API_KEY', number: 1007 })
        }
        for (const key of [1, 1n]) {
            const message = "basic.initialize: 'apiKey' must be a string"
            await assert.rejects(basic.initialize(key, endpoint(collector)), { code: 'INVALID_PARAMS', message })
        }
        for (const url of ['', null, undefined, 'nowhere']) {
            await assert.rejects(basic.initialize(KEY, url), { code: 'INVALID_ENDPOINT', number: 1008 })
        }
    })

    test('knows its user again after its host was killed, without saying so twice', async (t) => {
        const { tracker: { basic }, collector, pid } = await realTracker(t)
        await basic.initialize(KEY, endpoint(collector))
        await basic.identify('u0')
        await basic.identify('u1', { plan: 'pro' })
        await collector.wait({ kind: 'basic', count: 2 })

        process.kill(pid(), 'SIGKILL')
        await inTime(basic.track('Clicked'))
        // It may come in one request with the last, of which the dead host did not learn that it had arrived.
        await collector.wait({ kind: 'basic', name: 'Clicked', status: 200 })

        const events = eventsOf(collector, 'basic')
        assert.deepEqual(events.map(({ type, userId, traits }) => [type, userId, traits]), [
            ['identify', 'u0', undefined], ['identify', 'u1', { plan: 'pro' }], ['track', 'u1', { plan: 'pro' }],
        ])
    })
})
