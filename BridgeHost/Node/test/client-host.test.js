import assert from 'node:assert/strict'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { KEY, eventNames, fileInTheWay, problemsOf, realTracker, withoutHost } from '../testsupport/real-host.js'
import { freshFolder, inTime } from '../testsupport/hosts.js'
import { runProgram } from '../testsupport/programs.js'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The requests of one kind that the backend has taken. */
const received = (collector, kind) => collector.received({ kind, accepted: true })

suite('the tracker reaches the backend', { skip: withoutHost }, () => {
    test('with a session and the events of it, in order', async (t) => {
        const { tracker, collector, config } = await realTracker(t)

        const initialized = tracker.init('925', config())
        tracker.track('FIRST')
        await initialized
        const outcome = await tracker.track('PURCHASE', { total: 149.99, none: undefined }, { flow_id: 'checkout_v2' })
        await tracker.flush()

        assert.match(outcome.messageId, UUID)
        assert.deepEqual(eventNames(collector), ['FIRST', 'PURCHASE'])
        const [, { body, headers }] = received(collector, 'event')
        assert.deepEqual(body, {
            brand_id: 925,
            session_id: await tracker.getSessionId(),
            event_name: 'PURCHASE',
            data: { total: 149.99, flow_id: 'checkout_v2' },
        })
        assert.equal(headers['idempotency-key'], outcome.messageId)
        assert.deepEqual(problemsOf(collector), [])
    })

    test('by every call there is', async (t) => {
        const { tracker, collector, config, warnings } = await realTracker(t)
        await tracker.init('925', config({ crossSiteCookie: true }))
        const link = await tracker.getCrossDomainUrl('https://shop.example/?a=1')

        const outcomes = await Promise.all([
            tracker.identify('u/1', { name: 'Ada', plan: 'pro' }),
            tracker.set({ birthday: '1815-12-10' }),
            tracker.setMetadata({ ab: 'B' }),
            tracker.screen('Home', { tab: 1 }),
            tracker.screenDidAppear('Cart', 'https://shop.example/cart'),
            tracker.updateLocation(37.77, -122.42, 10),
            tracker.updateSessionEmail('ada@example.com'),
            tracker.linkSession('session-0'),
            tracker.continueSession(link),
            tracker.track('LAST', null, null, { messageId: 'last-1' }),
        ])
        const report = await tracker.flush(60_000)

        assert.equal(report.remaining, 0)
        assert.deepEqual(outcomes.map(({ status }) => status), outcomes.map(() => 'queued'))
        assert.equal(outcomes.at(-1).messageId, 'last-1')
        assert.deepEqual(warnings, [])
        assert.deepEqual(problemsOf(collector), [])
        assert.deepEqual(collector.received().map(({ kind }) => kind), [
            'session', 'identify', 'profile', 'profile', 'profile', 'event', 'event', 'location', 'email', 'link',
            'event',
        ])
        assert.equal(await tracker.getSessionEmail(), 'ada@example.com')
    })

    test('with values as they were given', async (t) => {
        const { tracker, collector, config } = await realTracker(t)
        const attributes = {
            text: 'é漢🐙\u0000"\\\n', numbers: [0, -1.5, 1e21, 5e-324, 2 ** 53, 0.1 + 0.2], flags: [true, false, null],
            empty: [{}, []], at: new Date(0), 'a b': { deep: [[[{ er: 1 }]]] },
        }

        await tracker.init('925', config())
        await tracker.track('VALUES', attributes)
        await tracker.flush()

        const [{ body }] = received(collector, 'event')
        assert.equal(JSON.stringify(body.data), JSON.stringify(attributes))
    })
})

suite('the tracker tells', { skip: withoutHost }, () => {
    test('who it is, and forgets it with reset', async (t) => {
        const { tracker, config } = await realTracker(t)
        assert.deepEqual([await tracker.getSessionId(), await tracker.getDeviceId()], [null, null])
        await tracker.init('0925', config())

        const session = await tracker.getSessionId()
        const device = await tracker.getDeviceId()
        assert.match(session, UUID)
        assert.match(device, UUID)
        assert.equal(await tracker.getBrandId(), '925')
        assert.equal(await tracker.getSessionEmail(), null)
        assert.equal(await tracker.isTrackingAllowed(), true)
        assert.equal(await tracker.getCrossDomainUrl('https://shop.example/'), 'https://shop.example/')

        assert.equal(await tracker.reset(), undefined)
        assert.notEqual(await tracker.getSessionId(), session)
        assert.notEqual(await tracker.getDeviceId(), device)
    })

    test('how it is going, without secrets', async (t) => {
        const { tracker, config } = await realTracker(t)
        await tracker.init('925', config())

        const info = await tracker.getDebugInfo()

        assert.equal(info.lifecycle, 'ready')
        assert.ok(!JSON.stringify(info).includes(KEY))
        assert.equal(await tracker.networkDidChange(), undefined)
    })

    test('its metrics, which are its account', async (t) => {
        const { tracker, config } = await realTracker(t)
        await tracker.init('925', config())
        await tracker.track('PURCHASE')
        await tracker.flush()

        const lines = (await tracker.host.metrics()).split('\n')

        assert.ok(lines.includes('mobile_tracker_delivered_records_total{client="tracker"} 1'))
        assert.equal(lines.at(-2), '# EOF')
    })

    test('the notifications it is asked for', async (t) => {
        const { tracker, collector, config } = await realTracker(t)
        const logged = new Promise((resolve) => tracker.on('log', resolve))
        const made = new Promise((resolve) => tracker.on('session', resolve))
        const dropped = new Promise((resolve) => {
            tracker.on('diagnostic', (notification) => notification.kind === 'dropped' && resolve(notification))
        })
        collector.faults(['200', '422'])

        await tracker.init('925', config({ debug: true }))
        const { messageId } = await tracker.track('BAD')
        const notifications = await inTime(Promise.all([logged, made, dropped]))

        assert.deepEqual(Object.keys(notifications[0]), ['level', 'message', 'at'])
        assert.deepEqual(notifications[1], { sessionId: await tracker.getSessionId() })
        assert.deepEqual([notifications[2].messageId, notifications[2].reason, notifications[2].status], [messageId, 'rejected', 422])
    })

    test('what consent it has, and obeys', async (t) => {
        const { tracker, collector, config } = await realTracker(t)
        await tracker.setConsent('pending')
        await tracker.init('925', config())
        assert.equal(await tracker.isTrackingAllowed(), false)
        assert.equal((await tracker.track('HELD')).status, 'pending')
        assert.equal((await tracker.flush()).stoppedBy, 'noConsent')
        assert.deepEqual(collector.received(), [])

        await tracker.setConsent('granted')
        await collector.wait({ kind: 'event', name: 'HELD' })
        assert.equal(await tracker.isTrackingAllowed(), true)
    })
})

suite('init fails', { skip: withoutHost }, () => {
    const brands = { 'an empty brand': '', 'letters': 'abc', 'null': null, 'nothing': undefined }
    for (const [what, brand] of Object.entries(brands)) {
        test(`with INVALID_BRAND_ID for ${what}`, async (t) => {
            const { tracker, config } = await realTracker(t)

            await assert.rejects(tracker.init(brand, config()), {
                name: 'MobileTrackerError', code: 'INVALID_BRAND_ID', number: 1001, retryable: false,
            })
        })
    }

    for (const [what, brand] of Object.entries({ 'a number': 925, 'a BigInt': 925n })) {
        test(`with INVALID_PARAMS for ${what} as the brand, and says what to give`, async (t) => {
            const { tracker, config } = await realTracker(t)

            await assert.rejects(tracker.init(brand, config()), {
                code: 'INVALID_PARAMS', number: -32602, message: `init: 'brandId' must be a string, such as "925"`,
            })
        })
    }

    const configurations = {
        apiUrl: { apiUrl: null },
        xApiKey: { xApiKey: undefined },
        cookieExpiration: { cookieExpiration: 0 },
        'apiURL.*apiUrl': { apiURL: 'https://api.example.com' },
        'initTimeoutMs': { initTimeoutMs: 'soon' },
        jitter: { jitter: NaN },
    }
    for (const [message, changes] of Object.entries(configurations)) {
        test(`with INVALID_CONFIGURATION, naming ${message}`, async (t) => {
            const { tracker, config } = await realTracker(t)

            await assert.rejects(tracker.init('925', config(changes)), {
                code: 'INVALID_CONFIGURATION', number: 1002, message: new RegExp(message, 's'),
            })
        })
    }

    const unfit = {
        'a malformed URL': ['apiUrl', { apiUrl: 'nonsense' }],
        'plain http to another host': ['apiUrl', { apiUrl: 'http://api.example.com' }],
        'a key with a line break': ['xApiKey', { xApiKey: 'key\nX-Other: 1' }],
    }
    for (const [what, [field, changes]] of Object.entries(unfit)) {
        test(`with INVALID_CONFIGURATION for ${what}`, async (t) => {
            const { tracker, collector, config } = await realTracker(t)

            await assert.rejects(tracker.init('925', config(changes)), {
                code: 'INVALID_CONFIGURATION', number: 1002, message: new RegExp(field),
            })
            assert.deepEqual(collector.received(), [])
        })
    }

    test('with SESSION_CREATION_FAILED if no server listens', async (t) => {
        const { tracker, config } = await realTracker(t)

        const error = await tracker.init('925', config({ apiUrl: 'http://127.0.0.1:1' })).then(() => assert.fail(), (error) => error)
        assert.deepEqual([error.code, error.number, error.retryable], ['SESSION_CREATION_FAILED', 1003, true])
        assert.equal(error.data.cause, 'NETWORK_ERROR')
    })

    test('with SESSION_CREATION_FAILED if the backend is too slow', async (t) => {
        const { tracker, collector, config } = await realTracker(t)
        collector.faults(['delay=60000'])

        const error = await tracker.init('925', config({ initTimeoutMs: 1000 })).then(() => assert.fail(), (error) => error)
        assert.deepEqual([error.code, error.number], ['SESSION_CREATION_FAILED', 1003])
        assert.equal(error.data.cause, 'timeout')
    })

    const failures = {
        'the status it got': ['503', { retryable: true, data: { status: 503 } }],
        'an error of the server': ['500', { retryable: true, data: { status: 500 } }],
        'a refusal': ['400', { data: { status: 400 } }],
        'a connection that broke': ['drop-before', { retryable: true, data: { cause: 'NETWORK_ERROR' } }],
        'an answer that cannot be read': [{ status: 200, body: 'Hello' }, { data: { cause: 'unreadable answer' } }],
    }
    for (const [what, [fault, expected]] of Object.entries(failures)) {
        test(`with SESSION_CREATION_FAILED for ${what}, and a later call starts afresh`, async (t) => {
            const { tracker, collector, config } = await realTracker(t)
            collector.faults([fault])

            const error = await tracker.init('925', config()).then(() => assert.fail(), (error) => error)
            assert.deepEqual([error.code, error.number], ['SESSION_CREATION_FAILED', 1003])
            for (const [name, value] of Object.entries(expected.data)) assert.equal(error.data[name], value, name)
            if ('retryable' in expected) assert.equal(error.retryable, expected.retryable)

            assert.equal((await tracker.track('HELD')).status, 'pending')
            await tracker.init('925', config())
            await collector.wait({ name: 'HELD' })
        })
    }

    test('with STORAGE_ERROR if the state folder cannot be made', async (t) => {
        const { tracker, config } = await realTracker(t)

        const storageDirectory = join(fileInTheWay(t), 'state')
        await assert.rejects(tracker.init('925', config({ storageDirectory })), { code: 'STORAGE_ERROR', number: 1009 })
    })

    test('with INVALID_PARAMS for arguments of the wrong type', async (t) => {
        const { tracker, config } = await realTracker(t)

        await assert.rejects(tracker.init(925, config()), { code: 'INVALID_PARAMS', number: -32602, message: /brandId/ })
        await assert.rejects(tracker.init('925', 'config'), { code: 'INVALID_PARAMS', message: /config/ })
    })
})

suite('a dropped call is warned of', { skip: withoutHost }, () => {
    test('before init', async (t) => {
        const { tracker, warnings } = await realTracker(t)

        assert.deepEqual(await tracker.track('EARLY'), { status: 'dropped', reason: 'NOT_INITIALIZED' })

        assert.equal(warnings.length, 1)
        assert.match(warnings[0], /^\[MobileTracker\] track "EARLY" was dropped: NOT_INITIALIZED\. /)
        assert.match(warnings[0], / Call init\(\) first\. \(at .*client-host\.test\.js:\d+:\d+\)$/)
    })

    const calls = {
        INVALID_EVENT_NAME: (tracker) => tracker.track(' '),
        INVALID_USER_ID: (tracker) => tracker.identify(''),
        INVALID_VALUE: (tracker) => tracker.updateLocation(91, 0, 0),
        TOO_LARGE: (tracker) => tracker.track('BIG', { text: 'x'.repeat(2000) }),
        SERIALIZATION_ERROR: (tracker) => tracker.track('NOT_JSON', { total: NaN }),
        REPEATED_SCREEN: async (tracker) => {
            await tracker.screenDidAppear('Home')
            return tracker.screenDidAppear('Home')
        },
        TRACKING_NOT_ALLOWED: async (tracker) => {
            await tracker.setConsent('denied')
            return tracker.track('DENIED')
        },
    }
    for (const [reason, call] of Object.entries(calls)) {
        test(`as ${reason}`, async (t) => {
            const { tracker, warnings, config } = await realTracker(t)
            await tracker.init('925', config({ maxEventBytes: 1000 }))

            const outcome = await call(tracker)

            assert.deepEqual([outcome.status, outcome.reason], ['dropped', reason])
            assert.equal(warnings.length, 1)
            assert.match(warnings[0], new RegExp(` was dropped: ${reason}\\. `))
        })
    }

    test('with its facts, which its outcome has as well', async (t) => {
        const { tracker, warnings, config } = await realTracker(t)
        await tracker.init('925', config({ maxEventBytes: 1000 }))

        const { fault } = await tracker.track('BIG', { text: 'x'.repeat(2000) })

        assert.deepEqual(fault, { reason: 'size', option: 'maxEventBytes', most: 1000 })
        assert.match(warnings[0], / TOO_LARGE\. As JSON it is larger than maxEventBytes allows, 1,000 bytes\. \(at /)
    })

    test('as QUEUE_FULL', async (t) => {
        const { tracker, warnings, config } = await realTracker(t)
        await tracker.init('925', config({ consent: 'pending', maxPendingEvents: 1 }))

        assert.equal((await tracker.track('HELD')).status, 'pending')
        assert.deepEqual(await tracker.track('REFUSED'), { status: 'dropped', reason: 'QUEUE_FULL' })
        assert.equal(warnings.length, 1)
    })
})

suite('very many calls', { skip: withoutHost }, () => {
    test('are all answered, though none is awaited before the next', async (t) => {
        const { tracker, config } = await realTracker(t)
        await tracker.init('925', config({ consent: 'pending' }))
        const calls = []
        for (let i = 0; i < 100_000; i++) calls.push(tracker.track('MANY', { i }, null, { messageId: `m${i}` }))

        const outcomes = await Promise.all(calls)

        assert.ok(outcomes.every(({ status, messageId }, i) => status === 'pending' && messageId === `m${i}`))
        assert.equal((await tracker.getDebugInfo()).queueLength, 100_000)
    })
})

suite('two trackers', { skip: withoutHost }, () => {
    test('with hosts of their own know nothing of each other', async (t) => {
        const one = await realTracker(t)
        const other = await realTracker(t)
        await one.tracker.init('1', one.config())
        await other.tracker.init('2', other.config())

        await one.tracker.track('ONE')
        await other.tracker.track('OTHER')
        await one.tracker.shutdown()
        await other.tracker.flush()

        assert.deepEqual([eventNames(one.collector), eventNames(other.collector)], [['ONE'], ['OTHER']])
        assert.equal(await other.tracker.getBrandId(), '2')
        assert.notEqual(one.pid(), other.pid())
    })

    test('on one folder share their session', async (t) => {
        const one = await realTracker(t)
        const other = await realTracker(t, { folder: one.folder })
        await one.tracker.init('925', one.config())
        await other.tracker.init('925', one.config())

        assert.equal(await other.tracker.getSessionId(), await one.tracker.getSessionId())
    })
})

suite('a dropped call', { skip: withoutHost }, () => {
    test('is one warning of the program and its host together, with the caller\'s line', async (t) => {
        const { code, stderr } = await runProgram(t, `
            import { createTracker } from '@mobiletracker/bridge'
            const tracker = createTracker({ hostArguments: ['--storage-dir', ${JSON.stringify(freshFolder(t))}] })
            await tracker.track('EARLY')
            await tracker.basic.track('EARLY')
            await tracker.shutdown()`)

        assert.equal(code, 0)
        const lines = stderr.trim().split('\n')
        assert.equal(lines.length, 2, stderr)
        assert.match(lines[0], /track "EARLY" was dropped: NOT_INITIALIZED\. .* \(at .*\)$/)
        assert.match(lines[1], /basic\.track "EARLY" was dropped: NOT_INITIALIZED\. .* \(at .*\)$/)
    })

    test('for its values says what they must be', async (t) => {
        const { stderr } = await runProgram(t, `
            import { createTracker } from '@mobiletracker/bridge'
            const tracker = createTracker({ hostArguments: ['--storage-dir', ${JSON.stringify(freshFolder(t))}] })
            await tracker.init('925', { apiUrl: 'http://127.0.0.1:9', xApiKey: 'key', consent: 'pending' })
            await tracker.continueSession('https://shop.example/?gt_session_id=s1')
            await tracker.updateLocation(91, 0, 0)
            await tracker.updateSessionEmail('ada')
            await tracker.linkSession('')
            await tracker.shutdown()`)

        const lines = stderr.trim().split('\n')
        assert.equal(lines.length, 4, stderr)
        assert.match(lines[0], /continueSession was dropped: INVALID_VALUE\. `crossSiteCookie` is off\. Turn it on in init\(\) /)
        assert.match(lines[1], /updateLocation was dropped: INVALID_VALUE\. The latitude is from -90 to 90/)
        assert.match(lines[2], /updateSessionEmail was dropped: INVALID_VALUE\. An email address has one @ and no spaces\. /)
        assert.match(lines[3], /linkSession was dropped: INVALID_VALUE\. The id of the other session is empty\. /)
    })

    test('before init is one warning with a count, however many there are', async (t) => {
        const { stderr } = await runProgram(t, `
            import { createTracker } from '@mobiletracker/bridge'
            const tracker = createTracker({ hostArguments: ['--storage-dir', ${JSON.stringify(freshFolder(t))}] })
            // On a machine that is held up, a second could go by between two answers, and the rest be another warning.
            globalThis.setTimeout = () => ({ unref() {} })
            for (let i = 0; i < 1000; i++) tracker.track('E' + i)
            await tracker.shutdown()`)

        assert.match(stderr, /^\[MobileTracker\] 1,000 calls were dropped: NOT_INITIALIZED.*\n$/)
    })
})
