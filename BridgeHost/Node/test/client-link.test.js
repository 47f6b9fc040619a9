import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { CallTable, MOST_CALLS, MOST_TEXT } from '../src/client/call-table.js'
import { Call } from '../src/client/call.js'
import { NotificationListeners } from '../src/client/notification-listeners.js'
import { fakeTracker, readPid } from '../testsupport/hosts.js'

const methodsOf = (life) => life.map(({ method }) => method)
const config = { apiUrl: 'https://api.example.com', xApiKey: 'key' }

/** A warning, if it ends with a line of this file; that line is left out. */
function withoutPlace(warning) {
    assert.match(warning, / \(at .*client-link\.test\.js:\d+:\d+\)$/)
    return warning.replace(/ \(at .*$/, '')
}

suite('a call', () => {
    test('carries its arguments by name, and a message id', async (t) => {
        const { tracker, lives } = fakeTracker(t)

        const outcome = await tracker.track('PURCHASE', { total: 149.99 }, { flow_id: 'checkout_v2' })

        const [[{ method, params }]] = lives()
        assert.equal(method, 'track')
        assert.deepEqual(params, {
            eventName: 'PURCHASE',
            attributes: { total: 149.99 },
            metadata: { flow_id: 'checkout_v2' },
            messageId: outcome.messageId,
        })
        assert.match(outcome.messageId, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    })

    test('may bring its message id', async (t) => {
        const { tracker, lives } = fakeTracker(t)

        await tracker.set({ name: 'x' }, { messageId: 'm1' })
        await tracker.reset(undefined, { messageId: 'm2' })
        await tracker.analytics.alias('u2', { messageId: 'm3' })

        assert.deepEqual(lives()[0].map(({ params }) => params), [
            { profileData: { name: 'x' }, messageId: 'm1' },
            { messageId: 'm2' },
            { newUserId: 'u2', messageId: 'm3' },
        ])
    })

    test('of the analytics client has a message id with the time in it', async (t) => {
        const { tracker, lives } = fakeTracker(t)

        await tracker.analytics.track('Signed Up')

        assert.match(lives()[0][0].params.messageId, /^\d{13}-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    })

    test('resolves with the one value it asked for', async (t) => {
        const { tracker } = fakeTracker(t, {
            results: {
                isTrackingAllowed: { allowed: false },
                getSessionId: { sessionId: null },
                getBrandId: { brandId: '925' },
                getCrossDomainUrl: { url: 'https://a.example/?gt_session_id=s' },
                flush: { delivered: 2, remaining: 1, stoppedBy: 'retryWait' },
            },
        })

        assert.equal(await tracker.init('925', config), undefined)
        assert.equal(await tracker.isTrackingAllowed(), false)
        assert.equal(await tracker.getSessionId(), null)
        assert.equal(await tracker.getBrandId(), '925')
        assert.equal(await tracker.getCrossDomainUrl('https://a.example/'), 'https://a.example/?gt_session_id=s')
        assert.deepEqual(await tracker.flush(), { delivered: 2, remaining: 1, stoppedBy: 'retryWait' })
    })

    test('needs no this', async (t) => {
        const { tracker: { track, analytics: { page } } } = fakeTracker(t)

        assert.equal((await track('A')).status, 'queued')
        assert.equal((await page('A')).status, 'queued')
    })

    test('rejects with what the host says', async (t) => {
        const { tracker } = fakeTracker(t, {
            errors: {
                init: {
                    code: 1003,
                    message: 'The backend answered 503',
                    data: { code: 'SESSION_CREATION_FAILED', retryable: true, status: 503 },
                },
            },
        })

        await assert.rejects(tracker.init('925', config), {
            name: 'MobileTrackerError',
            code: 'SESSION_CREATION_FAILED',
            number: 1003,
            retryable: true,
            message: 'The backend answered 503',
            data: { code: 'SESSION_CREATION_FAILED', retryable: true, status: 503 },
        })
    })

    test('warns when it was dropped, with a name but no person', async (t) => {
        const results = {
            track: { status: 'dropped', reason: 'NOT_INITIALIZED' },
            identify: { status: 'dropped', reason: 'DISABLED', fault: { reason: 'offByOption' } },
        }
        const { tracker, warnings } = fakeTracker(t, { results })

        assert.deepEqual(await tracker.track('PURCHASE'), { status: 'dropped', reason: 'NOT_INITIALIZED' })
        await tracker.identify('ada@example.com')

        assert.deepEqual(warnings.map(withoutPlace), [
            '[MobileTracker] track "PURCHASE" was dropped: NOT_INITIALIZED. Not initialized. Call init() first.',
            '[MobileTracker] identify was dropped: DISABLED. Tracking is off: `enabled` is false.',
        ])
    })

    test('takes init in the React Native form, and any object as named params', async (t) => {
        const { tracker, lives } = fakeTracker(t)

        await tracker.init({ apiKey: '925', x_api_key: 'key', endpoint: 'https://api.example.com' })
        await tracker.basic.initialize({ apiKey: 'key', endpoint: 'https://api.example.com/collect' })

        assert.deepEqual(lives()[0].map(({ params }) => params), [
            { apiKey: '925', x_api_key: 'key', endpoint: 'https://api.example.com' },
            { apiKey: 'key', endpoint: 'https://api.example.com/collect' },
        ])
    })
})

suite('a value that cannot be sent', () => {
    test('drops the call and says where it is', async (t) => {
        const { tracker, warnings, lives } = fakeTracker(t)

        const outcomes = [await tracker.track('A', { a: [1, NaN] }), await tracker.basic.track('B', { b: '\ud800' })]
        await tracker.track('C')

        const refused = (fault) => ({ status: 'dropped', reason: 'SERIALIZATION_ERROR', fault })
        assert.deepEqual(outcomes, [
            refused({ reason: 'notJSON', option: 'attributes.a[1]', value: 'NaN' }),
            refused({ reason: 'loneSurrogate', option: 'properties.b' }),
        ])
        assert.deepEqual(warnings.map(withoutPlace), [
            `[MobileTracker] track "A" was dropped: SERIALIZATION_ERROR. 'attributes.a[1]' is NaN, which JSON does not have.`,
            '[MobileTracker] basic.track "B" was dropped: SERIALIZATION_ERROR. '
                + "'properties.b' holds half a surrogate pair, which is no character.",
        ])
        assert.deepEqual(methodsOf(lives()[0]), ['track'])
    })

    test('is too large past what the host takes in one message', async (t) => {
        const { tracker } = fakeTracker(t, { maxMessageBytes: 10_000 })
        await tracker.track('A')
        const large = 'é'.repeat(5000)

        const fault = { reason: 'size', option: '--max-message-bytes', most: 10_000 }
        assert.deepEqual(await tracker.track('A', { large }), { status: 'dropped', reason: 'TOO_LARGE', fault })
        await assert.rejects(tracker.getCrossDomainUrl(large), { code: 'MESSAGE_TOO_LARGE', number: -32600, data: { limit: 10_000 } })
        assert.equal((await tracker.track('A', { large: large.slice(200) })).status, 'queued')
    })

    test('is too large for the host although the call was made before the host has said what it takes', async (t) => {
        const { tracker, warnings, lives } = fakeTracker(t, { maxMessageBytes: 10_000 })
        const large = 'é'.repeat(5000)

        const outcomes = Promise.all([tracker.track('A', { large }), tracker.track('B')])
        await assert.rejects(tracker.getCrossDomainUrl(large), {
            code: 'MESSAGE_TOO_LARGE',
            number: -32600,
            message: 'getCrossDomainUrl: The call is too large. A message has at most 10,000 bytes.',
        })

        assert.deepEqual((await outcomes).map(({ status, reason }) => reason ?? status), ['TOO_LARGE', 'queued'])
        assert.deepEqual(lives().map(methodsOf), [['track']])
        assert.deepEqual(warnings.map(withoutPlace), [
            '[MobileTracker] track "A" was dropped: TOO_LARGE. As JSON it is larger than --max-message-bytes allows, 10,000 bytes.',
        ])
    })

    test('that is too large for the host lets no call of the logger overtake those behind it', async (t) => {
        const { tracker, lives } = fakeTracker(t, { maxMessageBytes: 10_000 })
        const later = []
        const warn = () => later.push(tracker.track('FROM_LOGGER'), tracker.shutdown())
        const initialized = tracker.init('925', { ...config, logger: { warn } })
        const calls = ['ONE', 'LARGE', 'TWO'].map((name) => tracker.track(name, { text: 'x'.repeat(name === 'LARGE' ? 10_000 : 1) }))

        const outcomes = await Promise.all(calls)
        await Promise.all([initialized, ...later])

        assert.deepEqual(outcomes.map(({ status, reason }) => reason ?? status), ['queued', 'TOO_LARGE', 'queued'])
        assert.deepEqual(
            lives().map((life) => life.map(({ method, params }) => params.eventName ?? method)),
            [['init', 'ONE', 'TWO', 'FROM_LOGGER', 'host.shutdown']])
    })

    test('is too large past 16 MiB, before the host has said what it takes', async (t) => {
        const { tracker } = fakeTracker(t)
        const mebi = 1024 * 1024

        for (const large of ['é'.repeat(8 * mebi), 'x'.repeat(17 * mebi)]) {
            const fault = { reason: 'size', option: '--max-message-bytes', most: 16 * mebi }
            assert.deepEqual(await tracker.track('A', { large }), { status: 'dropped', reason: 'TOO_LARGE', fault })
            await assert.rejects(tracker.init('925', { apiUrl: large }), { code: 'MESSAGE_TOO_LARGE', number: -32600 })
        }
    })

    test('fails a call without an outcome by the code of its argument', async (t) => {
        const { tracker } = fakeTracker(t)

        await assert.rejects(tracker.init('\ud800'), { code: 'INVALID_BRAND_ID', number: 1001 })
        await assert.rejects(tracker.init('925', { cookieExpiration: NaN }), {
            code: 'INVALID_CONFIGURATION',
            message: "init: 'config.cookieExpiration' is NaN, which JSON does not have.",
        })
        await assert.rejects(tracker.basic.initialize('key', '\ud800'), { code: 'INVALID_ENDPOINT', number: 1008 })
        await assert.rejects(tracker.getCrossDomainUrl('\ud800'), { code: 'SERIALIZATION_ERROR', number: 1004 })
        for (const messageIds of [undefined, () => ['m1']]) {
            await assert.rejects(tracker.refused.drop({ messageIds }), /'filter\.messageIds' has no form in JSON, and would be left out/)
        }
        await assert.rejects(tracker.init({ toJSON() {} }), {
            code: 'INVALID_CONFIGURATION', message: 'init: It is of type undefined, which JSON does not have.',
            data: { reason: 'notJSON', type: 'undefined' },
        })
        const fault = { reason: 'wrongKind', option: 'options', expected: 'object', example: "{ messageId: 'order-1' }" }
        await assert.rejects(tracker.reset(true, 'm1'), {
            code: 'INVALID_PARAMS', data: { method: 'reset', param: 'options', fault },
        })
    })
})

suite('answers', () => {
    test('are put together from pieces', async (t) => {
        const results = { getSessionEmail: { sessionEmail: 'jörg@example.com 🐙' } }
        const { tracker } = fakeTracker(t, { piece: 1, results })

        assert.equal(await tracker.getSessionEmail(), 'jörg@example.com 🐙')
        assert.equal((await tracker.track('A')).status, 'queued')
    })

    test('come to 100,000 calls that are not awaited one by one', async (t) => {
        const { tracker } = fakeTracker(t)
        const calls = []
        for (let i = 0; i < 100_000; i++) calls.push(tracker.track('A', { i }, null, { messageId: `m${i}` }))

        const outcomes = await Promise.all(calls)

        assert.ok(outcomes.every(({ messageId }, i) => messageId === `m${i}`))
    })

    test('come from a host that reads slowly', async (t) => {
        const { tracker, lives } = fakeTracker(t, { pauseEvery: 64 })
        const text = 'x'.repeat(1000)
        const calls = []
        for (let i = 0; i < 500; i++) calls.push(tracker.track('A', { i, text }))

        await Promise.all(calls)

        assert.deepEqual(lives()[0].map(({ params }) => params.attributes.i), Array.from({ length: 500 }, (_, i) => i))
    })
})

suite('notifications', () => {
    const log = { level: 'warning', message: 'Careful.', at: '2025-01-31T09:30:00.000Z' }

    test('reach their listeners, from the start on', async (t) => {
        const { tracker, lives } = fakeTracker(t, { notifications: [['log', log], ['session', { sessionId: 's1' }]] })
        const heard = []
        tracker.on('log', (notification) => heard.push(notification))
        tracker.on('log', (notification) => heard.push(notification))
        tracker.on('diagnostic', (notification) => heard.push(notification))

        await tracker.track('A')

        assert.deepEqual(heard, [log, log])
        assert.deepEqual(lives()[0].map(({ method, params }) => [method, params]).slice(0, 1), [
            ['host.subscribe', ['log', 'diagnostic']],
        ])
    })

    test('are asked for once, also later', async (t) => {
        const { tracker, lives } = fakeTracker(t)
        await tracker.track('A')

        tracker.on('session', () => {})
        tracker.on('session', () => {})
        await tracker.track('B')

        assert.deepEqual(methodsOf(lives()[0]), ['track', 'host.subscribe', 'track'])
    })

    test('reach no removed listener, and survive one that fails', async (t) => {
        const { tracker, warnings } = fakeTracker(t, { notifications: [['log', log]] })
        const heard = []
        tracker.on('log', () => { throw new Error('Not now.') })
        tracker.on('log', () => { throw { stack: '', get name() { throw 1 } } })
        tracker.on('log', () => heard.push('second'))
        tracker.on('log', () => heard.push('stopped'))()

        await tracker.track('A')

        assert.deepEqual(heard, ['second'])
        assert.match(warnings[0], /A listener to log failed: Error at file:.*client-link\.test\.js:\d+:\d+$/)
        assert.match(warnings[1], /A listener to log failed: what was thrown cannot be shown/)
    })

    test('reach a listener that registers itself again once each, and none that another has removed', async (t) => {
        const calls = []
        const listeners = new NotificationListeners({ subscribe() {}, warn: assert.fail })
        const again = ({ number }) => {
            calls.push(`again ${number}`)
            assert.ok(calls.length < 10)
            removeSelf()
            removeOther()
            removeSelf = listeners.on('log', again)
        }
        let removeSelf = listeners.on('log', again)
        const removeOther = listeners.on('log', () => calls.push('other'))

        for (const number of [1, 2]) listeners.receive({ method: 'log', params: { number } })

        assert.deepEqual(calls, ['again 1', 'again 2'])
    })

    test('that were left out are warned of', async (t) => {
        const { tracker, warnings } = fakeTracker(t, { notifications: [['$/lost', { count: 12 }], ['$/other', {}]] })

        await tracker.track('A')

        assert.deepEqual(warnings, ['[MobileTracker] 12 notifications were left out: they were not read in time.'])
    })

    test('of another kind do not exist', (t) => {
        const { tracker } = fakeTracker(t)

        assert.throws(() => tracker.on('logs', () => {}), /There is no topic 'logs', only log, diagnostic, session/)
        assert.throws(() => tracker.on('log'), /must be a function/)
    })
})

suite('shutdown', () => {
    test('ends the host after answering what was called before', async (t) => {
        const { tracker, folder } = fakeTracker(t)
        const outcome = tracker.track('A')

        await Promise.all([tracker.shutdown(), tracker.shutdown()])

        assert.equal((await outcome).status, 'queued')
        assert.throws(() => process.kill(readPid(folder), 0), { code: 'ESRCH' })
    })

    test('needs no host', async (t) => {
        const { tracker, folder } = fakeTracker(t)

        await tracker.close()

        assert.throws(() => readFileSync(`${folder}/log.jsonl`), { code: 'ENOENT' })
    })

    test('is no crash, and leaves later calls to a host that knows nothing', async (t) => {
        const { tracker, lives, warnings } = fakeTracker(t)
        await tracker.init('925', config)

        const ended = tracker.shutdown()
        const later = tracker.track('LATER')
        await ended
        await later

        assert.deepEqual(lives().map(methodsOf), [['init', 'host.shutdown'], ['track']])
        assert.deepEqual(warnings, [])
    })
})

suite('trackers made with createTracker', () => {
    test('have hosts of their own', async (t) => {
        const one = fakeTracker(t)
        const other = fakeTracker(t)

        await Promise.all([one.tracker.track('ONE'), other.tracker.track('OTHER')])
        await one.tracker.shutdown()
        await other.tracker.track('STILL')

        assert.deepEqual(one.lives()[0].map(({ params }) => params.eventName), ['ONE', undefined])
        assert.deepEqual(other.lives()[0].map(({ params }) => params.eventName), ['OTHER', 'STILL'])
    })
})

suite('calls that are not awaited', () => {
    test('are dropped past a bound, counted and warned of, but those that decide about data', async (t) => {
        const { tracker, warnings, folder } = fakeTracker(t)
        await tracker.track('FIRST')
        process.kill(readPid(folder), 'SIGSTOP')

        const calls = Array.from({ length: MOST_CALLS + 500 }, () => tracker.track('A'))
        const denied = tracker.setConsent('denied')
        const outcomes = await Promise.all(calls.slice(MOST_CALLS))
        await tracker.track('ONE MORE')
        process.kill(readPid(folder), 'SIGCONT')
        await denied

        assert.deepEqual(new Set(outcomes.map(({ status, reason }) => `${status} ${reason}`)), new Set(['dropped QUEUE_FULL']))
        assert.equal((await calls[MOST_CALLS - 1]).status, 'queued')
        assert.match(warnings.join('\n'), /^\[MobileTracker\] 50[01] calls were dropped: QUEUE_FULL\. The host has not answered 100,000 calls, or 32 MiB of them: wait for the outcome of some\. The first was track "A"\.$/)
    })

    test('are bounded in their size too', () => {
        const table = new CallTable()
        const text = `{"a":"${'x'.repeat(MOST_TEXT / 2)}"}`
        for (let id = 1; id <= 2; id++) {
            assert.equal(table.isFull, false)
            table.add(new Call(id, 'track', text))
        }
        assert.equal(table.isFull, true)
        table.take(1)
        assert.equal(table.isFull, false)
    })
})
