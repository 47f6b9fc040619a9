import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createTracker } from '../src/client/tracker.js'
import { KEY, eventNames, realTracker, withoutHost } from '../testsupport/real-host.js'
import { afterwards, fakeTracker, freshFolder } from '../testsupport/hosts.js'

const config = { apiUrl: 'https://api.example.com', xApiKey: 'key' }

/** What the host got of the tracking calls: method and params without the message id. */
function written(lives) {
    return lives()[0].filter(({ method }) => !/^(init|host\.)|initialize$/.test(method))
        .map(({ method, params: { messageId, ...params } }) => [method, params])
}

/** A tracker whose host is a stand-in, after an `init` with these functions. */
async function hooked(t, hooks) {
    const made = fakeTracker(t)
    await made.tracker.init('925', { ...config, ...hooks })
    return made
}

suite('beforeSend', () => {
    test('changes a call in place, before it is written', async (t) => {
        const { tracker, lives } = await hooked(t, {
            beforeSend(call) {
                if (call.name) call.name += '!'
                if (call.userId) call.userId = `hash of ${call.userId}`
                if (call.properties?.email) call.properties.email = '***'
                if (call.metadata) call.metadata.seen = true
            },
        })
        const attributes = { email: 'ada@example.com', at: new Date(0), n: 12345678901234567890n }

        await tracker.track('A', attributes, { m: 1 })
        await tracker.identify('ada', { email: 'ada@example.com' })
        await tracker.setMetadata({ email: 'ada@example.com' })
        await tracker.updateSessionEmail('ada@example.com')
        await tracker.screen('Home')

        assert.deepEqual(written(lives), [
            ['track', {
                eventName: 'A!',
                attributes: { email: '***', at: '1970-01-01T00:00:00.000Z', n: 12345678901234567000 },
                metadata: { m: 1, seen: true },
            }],
            ['identify', { userId: 'hash of ada', profileData: { email: '***' } }],
            ['setMetadata', { metadata: { email: '***' } }],
            ['updateSessionEmail', { email: 'ada@example.com' }],
            ['screen', { name: 'Home!' }],
        ])
        // The caller's own objects stay as they were.
        assert.equal(attributes.email, 'ada@example.com')
    })

    test('leaves a call that it does not change to the character, and its message id', async (t) => {
        const { tracker, lives } = await hooked(t, { beforeSend: (call) => call })

        await tracker.track('A', { n: 12345678901234567890n }, null, { messageId: 'm-1' })

        const { params } = lives()[0].at(-1)
        assert.equal(params.messageId, 'm-1')
        assert.equal((await tracker.track('B', {}, null, { messageId: 'm-2' })).messageId, 'm-2')
    })

    test('drops a call by null or false, silently', async (t) => {
        const { tracker, lives, warnings } = await hooked(t, {
            beforeSend: ({ name }) => (name === 'A' ? null : name === 'B' ? false : undefined),
        })

        assert.deepEqual(await tracker.track('A'), { status: 'dropped', reason: 'BEFORE_SEND' })
        assert.deepEqual(await tracker.track('B'), { status: 'dropped', reason: 'BEFORE_SEND' })
        assert.equal((await tracker.track('C')).status, 'queued')

        assert.deepEqual(written(lives).map(([, { eventName }]) => eventName), ['C'])
        assert.deepEqual(warnings, [])
    })

    const faults = {
        'that throws': [() => { throw new Error('no') }, 'beforeSend has thrown: no'],
        'that throws what cannot be shown': [() => { throw { get message() { throw 1 } } }, 'beforeSend has thrown'],
        'that is asynchronous': [async (call) => call, 'beforeSend must return the call, or null to drop it, and no promise'],
        'that returns a text': [() => 'x', 'beforeSend must return the call'],
    }
    for (const [what, [beforeSend, words]] of Object.entries(faults)) {
        test(`${what} drops the call with a warning and the caller's line`, async (t) => {
            const { tracker, warnings } = await hooked(t, { beforeSend })

            assert.deepEqual(await tracker.track('A'), { status: 'dropped', reason: 'BEFORE_SEND' })

            assert.equal(warnings.length, 1)
            assert.ok(warnings[0].includes(words), warnings[0])
            assert.match(warnings[0], /client-hooks\.test\.js:\d+:\d+\)$/)
        })
    }

    test('sees valid calls alone, and what it makes of them is checked', async (t) => {
        const seen = []
        const { tracker } = await hooked(t, {
            beforeSend(call) {
                seen.push(call.name ?? call.method)
                if (call.name === 'NUMBER') call.name = 17
                if (call.name === 'NAN') call.properties = { x: NaN }
            },
        })

        assert.equal((await tracker.track(17)).reason, 'INVALID_EVENT_NAME')
        assert.equal((await tracker.track('X', { x: NaN })).reason, 'SERIALIZATION_ERROR')
        assert.equal((await tracker.track('NUMBER')).reason, 'INVALID_EVENT_NAME')
        assert.equal((await tracker.track('NAN')).reason, 'SERIALIZATION_ERROR')
        await tracker.getSessionId()
        await tracker.reset()

        assert.deepEqual(seen, ['NUMBER', 'NAN'])
    })

    test('belongs to the client that was initialised with it', async (t) => {
        const { tracker: { track, init, analytics, basic }, lives } = fakeTracker(t)
        await init('925', { ...config, beforeSend: (call) => void (call.name += ' of tracker') })
        await analytics.initialize({ writeKey: 'k', ingestionHost: 'https://x', beforeSend: (call) => void (call.name += ' of analytics') })
        await basic.initialize('k', 'https://x', null, {})

        await track('A')
        await analytics.track('A', {}, { userId: 'u1' })
        await basic.track('A')

        assert.deepEqual(written(lives), [
            ['track', { eventName: 'A of tracker' }],
            ['analytics.track', { event: 'A of analytics', properties: {}, options: { userId: 'u1' } }],
            ['basic.track', { event: 'A' }],
        ])
        // The functions are for this side alone.
        assert.ok(lives()[0].every(({ params }) => !JSON.stringify(params ?? {}).includes('beforeSend')))
    })

    test('is refused if it is no function', async (t) => {
        const { tracker } = fakeTracker(t)

        await assert.rejects(tracker.init('925', { ...config, beforeSend: 7 }), { code: 'INVALID_CONFIGURATION' })
        await assert.rejects(tracker.basic.initialize('k', 'https://x', null, { logger: {} }), { code: 'INVALID_CONFIGURATION' })
        assert.throws(() => createTracker({ beforeSend: 7 }), TypeError)
        assert.throws(() => createTracker({ logger: 7 }), TypeError)
    })
})

suite('a logger', () => {
    const recording = () => {
        const lines = []
        const log = (level) => (message) => lines.push(`${level}: ${message}`)
        return { lines, logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') } }
    }

    test('takes the warnings of this package', async (t) => {
        const { lines, logger } = recording()
        const { tracker, warnings } = await hooked(t, { logger })

        await tracker.track(17)

        assert.deepEqual(warnings, [])
        assert.equal(lines.length, 1)
        assert.match(lines[0], /^warn: track was dropped: INVALID_EVENT_NAME/)
    })

    test('that fails fails no call; one that lacks a level gets its messages at the nearest', async (t) => {
        const lines = []
        const { tracker } = await hooked(t, { logger: { error: (message) => lines.push(message) } })
        await tracker.track(17)
        assert.equal(lines.length, 1)

        await tracker.init('925', { ...config, logger: { warn() { throw new Error('full') } } })
        assert.equal((await tracker.track(17)).status, 'dropped')
    })

    test('takes the log of the host, by its levels', { skip: withoutHost }, async (t) => {
        const { lines, logger } = recording()
        const { collector, folder } = await realTracker(t)
        const tracker = createTracker({ logger, hostArguments: ['--storage-dir', folder] })
        afterwards(t, () => tracker.shutdown())

        await tracker.init('925', { apiUrl: collector.url, xApiKey: KEY, debug: true })
        await tracker.track('A')
        await tracker.flush()
        await tracker.init('926', { apiUrl: collector.url, xApiKey: KEY }).catch(() => {})
        await tracker.shutdown()

        assert.ok(lines.some((line) => line.startsWith('info: Initialized.')), lines.join('\n'))
        assert.ok(lines.some((line) => line.startsWith('error: Initialization failed: The tracker is initialized for brand 925')))
        assert.ok(lines.every((line) => !line.includes('[MobileTracker]')))
    })
})

suite('enabled, and what comes from the environment', { skip: withoutHost }, () => {
    test('false: nothing is stored or sent, and it is said once', async (t) => {
        const { tracker, collector, warnings } = await realTracker(t)
        await tracker.init('925', { enabled: false })
        await tracker.analytics.initialize({ enabled: false })
        await tracker.basic.initialize(null, null, null, { enabled: false })

        for (let i = 0; i < 3; i++) assert.deepEqual(await tracker.track('A'), { status: 'dropped', reason: 'DISABLED' })
        assert.equal((await tracker.analytics.track('A')).reason, 'DISABLED')
        assert.equal((await tracker.basic.track('A')).reason, 'DISABLED')
        assert.equal((await tracker.getDebugInfo()).lifecycle, 'disabled')
        await tracker.flush()

        assert.equal(warnings.length, 3)
        assert.ok(warnings[0].includes('Tracking is off: `enabled` is false.'), warnings[0])
        assert.ok(warnings[1].includes('`disabledBecause` of analytics.getDebugInfo() says why'), warnings[1])
        assert.deepEqual(collector.received(), [])
    })

    test('the warning names the variable that turned tracking off', async (t) => {
        const before = process.env.MOBILE_TRACKER_ENABLED
        afterwards(t, () => {
            if (before === undefined) delete process.env.MOBILE_TRACKER_ENABLED
            else process.env.MOBILE_TRACKER_ENABLED = before
        })
        process.env.MOBILE_TRACKER_ENABLED = 'Off'
        const { tracker, warnings } = await realTracker(t)
        await tracker.init('925')

        await tracker.track('A')
        await tracker.flush()

        assert.equal(warnings.length, 1)
        assert.ok(warnings[0].includes('Tracking is off: MOBILE_TRACKER_ENABLED is false in the environment.'), warnings[0])
        const { disabledBecause } = await tracker.getDebugInfo()
        assert.equal(disabledBecause, 'MOBILE_TRACKER_ENABLED is false in the environment')
    })

    test('gives what the program leaves out, and a bad value is named', async (t) => {
        const { collector } = await realTracker(t)
        const set = { MOBILE_TRACKER_API_URL: collector.url, MOBILE_TRACKER_KEY: KEY, MOBILE_TRACKER_STORAGE_DIR: freshFolder(t) }
        const before = { ...process.env }
        afterwards(t, () => {
            for (const name of [...Object.keys(set), 'MOBILE_TRACKER_ENABLED']) delete process.env[name]
            Object.assign(process.env, before)
        })
        Object.assign(process.env, set)
        const tracker = createTracker({ stderr: 'ignore', warnings: false })
        afterwards(t, () => tracker.shutdown())
        await tracker.init('925')
        await tracker.track('A')
        await collector.wait({ name: 'A' })
        assert.deepEqual(eventNames(collector), ['A'])
        await tracker.shutdown()

        process.env.MOBILE_TRACKER_ENABLED = 'perhaps'
        await assert.rejects(tracker.init('925'), (error) => {
            assert.equal(error.code, 'INVALID_CONFIGURATION')
            assert.match(error.message, /'MOBILE_TRACKER_ENABLED' must be true or false/)
            return true
        })
    })
})

suite('deliveries', { skip: withoutHost }, () => {
    test('are reported by their message ids once there is a listener', async (t) => {
        const { tracker, config: configure } = await realTracker(t)
        await tracker.init('925', configure())
        const all = []
        tracker.on('diagnostic', (notification) => all.push(notification))
        await tracker.track('UNHEARD')
        await tracker.flush()

        const told = []
        let arrived
        const both = new Promise((resolve) => (arrived = resolve))
        tracker.on('delivered', (notification) => told.push(notification) === 2 && arrived())
        const ids = [await tracker.track('A'), await tracker.track('B')].map(({ messageId }) => messageId)
        await tracker.flush()
        await both

        assert.deepEqual(told.map(({ messageId }) => messageId), ids)
        assert.deepEqual(told[0], { client: 'tracker', kind: 'delivered', messageId: ids[0] })
        assert.ok(all.every(({ kind }) => kind !== 'delivered'))
    })
})
