import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { afterwards, freshFolder, inTime } from '../testsupport/hosts.js'
import { runProgram } from '../testsupport/programs.js'
import { ask, send } from '../testsupport/http.js'
import { KEY, realTracker, withoutHost } from '../testsupport/real-host.js'
import { analyticsEvent, batchHeaders } from '../testsupport/samples.js'

const DEVICE = analyticsEvent('track').anonymousId

/** A collector, an analytics client that is not there, and what it would say of itself. */
async function withAccounts(t) {
    const collector = await startCollector()
    afterwards(t, () => collector.close())
    const deliver = (number) => {
        const events = [analyticsEvent('track', number)]
        return send(collector.url, { path: '/v1/batch', headers: batchHeaders(events, String(number)), body: { batch: events } })
    }
    const post = async (delivered, changes = {}) => {
        const debugInfo = {
            ingestionHost: collector.url, anonymousId: DEVICE, writeKey: 'write-key-1234', account: { delivered }, ...changes,
        }
        const body = { client: 'AnalyticsClient, process 1', at: '2025-01-31T09:30:00.000Z', debugInfo }
        return (await ask(collector.url, '/accounts', { method: 'POST', body })).json.comparison
    }
    return { collector, deliver, post }
}

suite('a client\'s account', () => {
    test('is kept, the last of each client, with its keys masked', async (t) => {
        const { collector, post } = await withAccounts(t)
        await post(1)
        await post(2)

        const { accounts } = (await ask(collector.url, '/accounts')).json
        assert.equal(accounts.length, 1)
        assert.equal(accounts[0].debugInfo.account.delivered, 2)
        assert.equal(accounts[0].debugInfo.writeKey, '**********1234')
        assert.deepEqual(accounts, collector.accounts())
    })

    test('is passed to listeners', async (t) => {
        const { collector, post } = await withAccounts(t)
        const told = []
        const stop = collector.onAccount(({ client }) => told.push(client))
        await post(0)
        stop()
        await post(0)

        assert.deepEqual(told, ['AnalyticsClient, process 1'])
    })

    test('agrees with what came though every event names a user of its own', async (t) => {
        const { collector, post } = await withAccounts(t)
        const deliver = (number) => {
            const event = { ...analyticsEvent('track', number), userId: `u${number}` }
            delete event.anonymousId
            return send(collector.url, { path: '/v1/batch', headers: batchHeaders([event], String(number)), body: { batch: [event] } })
        }
        await deliver(1)
        await post(1)
        await post(1)
        await deliver(2)
        await deliver(3)

        assert.deepEqual((await post(3)).state, 'agrees')
        assert.equal((await post(4)).state, 'differs')
    })

    test('agrees with what came', async (t) => {
        const { deliver, post } = await withAccounts(t)
        await deliver(1)
        assert.equal((await post(0)).state, 'waiting')
        assert.equal((await post(1)).state, 'waiting')
        assert.equal((await post(1)).state, 'agrees')
        await deliver(2)
        await deliver(3)

        const text = 'Since it first had nothing left to send, the client counts 2 delivered, and 2 came here.'
        assert.deepEqual(await post(3), { state: 'agrees', delivered: 2, arrived: 2, text })
    })

    test('may lag behind what came', async (t) => {
        const { deliver, post } = await withAccounts(t)
        await post(0)
        await post(0)
        await deliver(1)

        assert.deepEqual([(await post(0)).state, (await post(1)).state], ['agrees', 'agrees'])
    })

    test('that counts events that never arrived is marked', async (t) => {
        const { deliver, post } = await withAccounts(t)
        await post(7)
        await post(7)
        await deliver(1)

        const text = 'Since it first had nothing left to send, the client counts 2 delivered, but only 1 came here.'
        assert.deepEqual(await post(9), { state: 'differs', delivered: 2, arrived: 1, text })
    })

    test('does not count what came twice, nor what others sent', async (t) => {
        const { collector, deliver, post } = await withAccounts(t)
        await post(0)
        await post(0)
        await deliver(1)
        await deliver(1)
        const others = [{ ...analyticsEvent('track', 9), anonymousId: 'other' }]
        await send(collector.url, { path: '/v1/batch', headers: batchHeaders(others, '1'), body: { batch: others } })

        assert.equal((await post(1)).arrived, 1)
        assert.equal((await post(2)).state, 'differs')
    })

    test('is compared from anew after the collector was cleared', async (t) => {
        const { collector, deliver, post } = await withAccounts(t)
        await deliver(1)
        await post(1)
        await post(1)
        collector.clear()

        assert.equal((await post(1)).state, 'waiting')
        assert.equal((await post(1)).state, 'agrees')
    })

    test('is answered once that the client is to send again what was refused, if a reader asks for it', async (t) => {
        const { collector } = await withAccounts(t)
        const body = { client: 'A', at: '2025-01-31T09:30:00.000Z', debugInfo: {}, refused: [{ event: 'PURCHASE', status: 422 }] }
        const post = async () => (await ask(collector.url, '/accounts', { method: 'POST', body })).json.retryRefused
        const unknown = await ask(collector.url, '/accounts/retry', { method: 'POST', body: { client: 'A' } })
        const before = await post()
        const asked = await ask(collector.url, '/accounts/retry', { method: 'POST', body: { client: 'A' } })

        assert.deepEqual([unknown.status, unknown.json.error], [400, 'There is no account of a client "A".'])
        assert.equal(asked.status, 200)
        assert.deepEqual([before, await post(), await post()], [undefined, true, undefined])
        assert.deepEqual(collector.accounts()[0].refused, body.refused)
    })

    for (const [what, body, reason] of [
        ['is no JSON', '{', 'The account is not JSON.'],
        ['has no client', { at: '2025-01-31', debugInfo: {} }, '"client" must be a text of 1 to 200 characters.'],
        ['has no time', { client: 'a', debugInfo: {} }, '"at" must be a time.'],
        ['has refused events that are none', { client: 'a', at: '2025-01-31', debugInfo: {}, refused: [null] }, '"refused" must be an array of objects.'],
        ['holds nothing', { client: 'a', at: '2025-01-31' }, '"debugInfo" must be an object.'],
    ]) {
        test(`that ${what} is refused with a sentence`, async (t) => {
            const { collector } = await withAccounts(t)
            const answer = await ask(collector.url, '/accounts', { method: 'POST', body })

            assert.deepEqual([answer.status, answer.json.error], [400, reason])
        })
    }
})

suite('a tracker with a collector panel', { skip: withoutHost }, () => {
    test('posts its account until it is shut down', async (t) => {
        const { tracker, collector, config } = await realTracker(t, { options: { collectorPanel: true } })
        await tracker.init('925', config())
        await tracker.track('PURCHASE')
        await tracker.flush()
        const account = await inTime(new Promise((resolve) => {
            collector.onAccount((posted) => posted.comparison.state === 'agrees' && resolve(posted))
        }))

        assert.match(account.client, /^MobileTracker 925, process \d+$/)
        assert.equal(account.debugInfo.account.delivered, 1)
        assert.equal(account.debugInfo.config.xApiKey, `****${KEY.slice(-4)}`)
        assert.deepEqual(collector.received({ kind: 'basic' }), [])
    })

    test('posts what was refused, with the answers, and sends it again when the page asks for it', async (t) => {
        const { tracker, collector, config } = await realTracker(t, { options: { collectorPanel: true } })
        await tracker.init('925', config())
        collector.faults([{ status: 422, body: { error: 'no currency' }, name: 'PURCHASE' }])
        const { messageId } = await tracker.track('PURCHASE')
        const { client, refused, debugInfo } = await inTime(new Promise((resolve) => {
            collector.onAccount((posted) => posted.refused.length > 0 && resolve(posted))
        }))
        await ask(collector.url, '/accounts/retry', { method: 'POST', body: { client } })
        const [{ headers }] = await collector.wait({ name: 'PURCHASE' })

        assert.deepEqual(refused.map(({ event, status, answer }) => [event, status, answer]), [['PURCHASE', 422, '{"error":"no currency"}']])
        assert.ok(!('body' in refused[0]))
        assert.deepEqual(debugInfo.refusedEvents.reasons, { 'rejected(422)': 1 })
        assert.equal(headers['idempotency-key'], messageId)
    })

    test('posts its account by itself, if its configuration says so', async (t) => {
        const { tracker, collector, config } = await realTracker(t)
        await tracker.init('925', config({ collectorPanel: true }))
        await tracker.track('PURCHASE')
        await tracker.flush()
        const { client, comparison } = await inTime(new Promise((resolve) => {
            collector.onAccount((posted) => posted.comparison.state === 'agrees' && resolve(posted))
        }))

        assert.match(client, /^MobileTracker 925, process \d+$/)
        assert.equal(comparison.delivered, comparison.arrived)
        await tracker.shutdown()
    })

    test('posts for the analytics client too', async (t) => {
        const { tracker, collector } = await realTracker(t, { options: { collectorPanel: true } })
        await tracker.analytics.initialize({ writeKey: 'write-key-1234', ingestionHost: collector.url })
        const { client } = await inTime(new Promise((resolve) => collector.onAccount(resolve)))

        assert.match(client, /^AnalyticsClient \*\*\*\*1234, process \d+$/)
    })

    test('posts for the basic client too', async (t) => {
        const { tracker, collector } = await realTracker(t, { options: { collectorPanel: true } })
        await tracker.basic.initialize(KEY, `${collector.url}/events`)
        await tracker.basic.track('Clicked')
        await tracker.basic.flush()
        const { client, comparison, debugInfo } = await inTime(new Promise((resolve) => {
            collector.onAccount((posted) => posted.comparison.state === 'agrees' && resolve(posted))
        }))

        assert.match(client, /^BasicTracker, process \d+$/)
        assert.deepEqual([comparison.state, debugInfo.account.delivered], ['agrees', 1])
    })

    test('does not keep Node alive, and is quiet when there is no collector', async (t) => {
        const env = { XDG_STATE_HOME: freshFolder(t), MOBILE_TRACKER_COLLECTOR_PANEL: '1' }
        const { code, stdout, stderr } = await runProgram(t, `
            import MobileTracker from '@mobiletracker/bridge'
            import { startCollector } from '@mobiletracker/bridge/collector'
            const collector = await startCollector()
            const posted = new Promise((resolve) => collector.onAccount(resolve))
            await MobileTracker.init('925', { apiUrl: collector.url, xApiKey: '${KEY}' })
            console.log((await posted).client.split(',')[0])
            await collector.close()`, { env })

        assert.deepEqual([code, stdout], [0, 'MobileTracker 925\n'])
        assert.ok(!stderr.includes('accounts'), stderr)
    })
})
