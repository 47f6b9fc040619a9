import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { KEY, realTracker, withoutHost } from '../testsupport/real-host.js'

/** A tracker whose analytics client keeps everything for its interval, and what the backend gets by a flush. */
async function analyticsOf(t) {
    const { tracker, collector, ...rest } = await realTracker(t)
    await tracker.analytics.initialize({ writeKey: KEY, ingestionHost: collector.url, flushAt: 1000, flushIntervalSeconds: 3600 })
    const names = async () => {
        await tracker.analytics.flush()
        return collector.received({ kind: 'batch', accepted: true, repeats: false }).flatMap(({ body }) => body.batch.map(({ event }) => event))
    }
    return { analytics: tracker.analytics, names, ...rest }
}

suite('analytics.forget', { skip: withoutHost }, () => {
    test('erases what waits of a person, and drops what comes later until unforget', async (t) => {
        const { analytics, names } = await analyticsOf(t)
        await analytics.track('A', null, { userId: 'u1' })
        await analytics.track('B', null, { anonymousId: 'v1' })
        await analytics.track('C', null, { userId: 'u2' })

        const report = await analytics.forget({ userId: 'u1', anonymousId: 'v1' })
        const dropped = await analytics.track('D', null, { userId: 'u1' })
        await analytics.unforget('u1')
        await analytics.track('E', null, { userId: 'u1' })

        assert.deepEqual(report, { erased: 2, deliveredOfAnyone: 0 })
        assert.deepEqual(dropped, { status: 'dropped', reason: 'FORGOTTEN' })
        assert.deepEqual(await names(), ['C', 'E'])
    })

    test('holds after the host was killed', async (t) => {
        const { analytics, pid } = await analyticsOf(t)
        await analytics.forget({ userId: 7 })
        process.kill(pid(), 'SIGKILL')

        assert.equal((await analytics.track('A', null, { userId: '7' })).reason, 'FORGOTTEN')
    })

    test('is made again after a crash that left it without an answer', async (t) => {
        const { analytics, pid } = await analyticsOf(t)
        await analytics.track('A', null, { userId: 'u1' })
        process.kill(pid(), 'SIGSTOP')
        const report = analytics.forget({ userId: 'u1' })
        process.kill(pid(), 'SIGKILL')

        assert.deepEqual(await report, { erased: 1, deliveredOfAnyone: 0 })
    })

    test('rejects what names nobody', async (t) => {
        const { analytics } = await analyticsOf(t)

        await assert.rejects(analytics.forget({}), { code: 'INVALID_VALUE', message: /Name a person/ })
        await assert.rejects(analytics.unforget({ userId: ' ' }), { code: 'INVALID_VALUE', message: /'userId' is blank/ })
    })
})
