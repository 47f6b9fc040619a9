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

    test('takes no other person for one whose number is not exact, and UUIDs as they are', async (t) => {
        const { analytics } = await analyticsOf(t)
        const uuid = '0189f7e2-6c1b-7c3a-8d55-0123456789ab'
        await analytics.track('A', null, { userId: '9007199254740992' })

        for (const forget of [analytics.forget, analytics.unforget]) {
            await assert.rejects(forget({ userId: 9007199254740993 }), { code: 'INVALID_PARAMS', message: /too large to be exact/ })
        }
        assert.equal((await analytics.forget({ userId: 9007199254740993n })).erased, 0)
        await analytics.forget({ toJSON: () => uuid })
        assert.equal((await analytics.track('B', null, { userId: uuid })).reason, 'FORGOTTEN')
        await analytics.unforget({ userId: { toString: () => uuid } })
        assert.notEqual((await analytics.track('B', null, { userId: uuid })).status, 'dropped')
    })

    test('sends nothing but one object, whatever text its argument gives for itself', async (t) => {
        const { analytics } = await analyticsOf(t)
        await analytics.track('A', null, { userId: 'victim' })

        for (const text of ['{"userId":"victim"}', 'a\nb', '507f1f77bcf86cd799439011', '{}}\n{}']) {
            await assert.rejects(analytics.forget({ toJSON: () => text }), { code: 'INVALID_REQUEST' })
        }
        await assert.rejects(analytics.forget(Promise.resolve({ userId: 'victim' })), { code: 'SERIALIZATION_ERROR' })
        assert.notEqual((await analytics.track('B', null, { userId: 'victim' })).status, 'dropped')
    })

    test('rejects what names nobody', async (t) => {
        const { analytics } = await analyticsOf(t)

        await assert.rejects(analytics.forget({}), { code: 'INVALID_VALUE', message: /Name a person/ })
        await assert.rejects(analytics.unforget({ userId: ' ' }), { code: 'INVALID_VALUE', message: /'userId' is blank/ })
    })
})
