import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { beforeEach, suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { CrashLimit } from '../src/client/crash-limit.js'
import { afterAgent, afterHost } from '../src/client/host-end.js'
import { fakeTracker, inTime, readPid } from '../testsupport/hosts.js'

const methodsOf = (life) => life.map(({ method }) => method)
const config = { apiUrl: 'https://api.example.com', xApiKey: 'key' }

/** The next session that is told of. */
function nextSession(tracker) {
    return inTime(new Promise((resolve) => tracker.on('session', resolve)))
}

suite('when the host dies', () => {
    for (const manner of ['kill', 'exit', 'half', 'garbage', 'hold']) {
        test(`by ${manner}, unanswered tracking calls are made again under their ids`, async (t) => {
            const { tracker, lives } = fakeTracker(t, { diesAt: 2, manner }, {})

            const outcomes = await Promise.all([
                tracker.track('A'), tracker.identify('u1'), tracker.reset(), tracker.setConsent('granted'),
                tracker.analytics.page('B'), tracker.basic.screen('C'),
            ])

            const [first, second] = lives()
            assert.deepEqual(methodsOf(second), ['identify', 'reset', 'setConsent', 'analytics.page', 'basic.screen'])
            assert.equal(first[1].params.messageId, second[0].params.messageId)
            assert.equal(outcomes[1].messageId, second[0].params.messageId)
        })
    }

    test('after its answer, nothing is made twice', async (t) => {
        const { tracker, lives } = fakeTracker(t, { diesAt: 1, answersFirst: true }, {})

        await tracker.track('A')
        await tracker.track('B')

        assert.deepEqual(lives().map((life) => life.map(({ params }) => params.eventName)), [['A'], ['B']])
    })

    test('other calls it may have got reject, those it has not go to the next', async (t) => {
        const { tracker } = fakeTracker(t, { diesAt: 1 }, { results: { flush: { delivered: 1, remaining: 0 } } })
        const flushes = [tracker.flush()]
        await assert.rejects(flushes[0], { code: 'HOST_EXITED', retryable: true, message: /signal SIGKILL/ })

        assert.deepEqual(await tracker.flush(), { delivered: 1, remaining: 0 })
    })

    test('clients are restored first, in their order, then calls in theirs', async (t) => {
        const { tracker, lives } = fakeTracker(t, { diesAt: 10 }, {})
        const isBack = tracker.on('log', () => {})
        await tracker.setConsent('pending')
        await tracker.setConsent('granted', { messageId: 'c2' })
        // On disk the decision outlives the host.
        const inMemory = { ...config, persistence: 'memory' }
        await tracker.init('925', { ...inMemory, sessionCreation: 'duringInit' })
        await tracker.analytics.initialize({ writeKey: 'w', ingestionHost: 'https://i.example.com' })
        await tracker.basic.initialize('key', 'https://b.example.com', '1.0')
        await tracker.basic.initialize('key2', 'https://b.example.com')
        await tracker.basic.identify('u1', { plan: 'pro' }, { messageId: 'b1' })
        await tracker.basic.identify('u2', { plan: 'free' }, { messageId: 'b2' })

        await Promise.all([tracker.track('A'), tracker.track('B')])

        assert.deepEqual(lives()[1].map(({ method, params }) => [method, params]).slice(0, 6), [
            ['setConsent', { consent: 'granted', messageId: 'c2' }],
            ['init', { brandId: '925', config: { ...inMemory, sessionCreation: 'inBackground' } }],
            ['analytics.initialize', { options: { writeKey: 'w', ingestionHost: 'https://i.example.com' } }],
            ['basic.initialize', { apiKey: 'key2', endpoint: 'https://b.example.com' }],
            ['basic.identify', { repeats: 'answered', userId: 'u2', traits: { plan: 'free' }, messageId: 'b2' }],
            ['host.subscribe', ['log']],
        ])
        assert.deepEqual(lives()[1].slice(6).map(({ params }) => params.eventName), ['A', 'B'])
        isBack()
    })

    test('what no longer holds is not brought back', async (t) => {
        const { tracker, lives } = fakeTracker(t, { diesAt: 7 }, {})
        await tracker.setConsent('denied')
        await tracker.init('925', config)
        await tracker.setConsent('granted') // From here on it is on disk.
        await tracker.reset()
        await tracker.analytics.initialize({ writeKey: 'w', ingestionHost: 'https://i.example.com' })
        await tracker.analytics.reset()

        await tracker.track('A')

        assert.deepEqual(methodsOf(lives()[1]), ['init', 'track'])
    })

    test('the last init that succeeded is brought back, and not one that failed after it', async (t) => {
        const error = { code: 1006, message: 'Already initialised', data: { code: 'INIT_ERROR', retryable: false } }
        const { tracker, lives } = fakeTracker(t, { diesAt: 3 }, { errors: { init: error }, diesAt: 4 }, {})
        await tracker.init('007', config)
        await tracker.init('7', { ...config, debug: true })
        await tracker.track('A')
        await assert.rejects(tracker.init('925', config), { code: 'INIT_ERROR' })

        await tracker.track('B')

        assert.equal(lives()[1][0].params.brandId, '7')
        assert.equal(lives()[2][0].params.brandId, '7')
    })

    test('a consent that is kept nowhere but in memory is brought back', async (t) => {
        const { tracker, lives } = fakeTracker(t, { diesAt: 3 }, {})
        await tracker.init('925', { ...config, persistence: 'memory' })
        await tracker.setConsent('denied')

        await tracker.track('A')

        assert.deepEqual(methodsOf(lives()[1]), ['setConsent', 'init', 'track'])
    })

    test('a failed init is not brought back', async (t) => {
        const error = { code: 1001, message: 'Brand ID must be a number', data: { code: 'INVALID_BRAND_ID' } }
        const { tracker, lives } = fakeTracker(t, { errors: { init: error }, diesAt: 2 }, {})
        await assert.rejects(tracker.init('x', config), { code: 'INVALID_BRAND_ID' })

        await tracker.track('A')

        assert.deepEqual(methodsOf(lives()[1]), ['track'])
    })

    test('an init that was under way is made again as it was, in its place', async (t) => {
        const { tracker, lives } = fakeTracker(t, { silent: ['init'], diesAt: 3 }, {})
        const held = tracker.track('EARLY')
        const initialized = tracker.init('925', config)
        const later = tracker.track('LATER')

        await Promise.all([held, initialized, later])

        assert.deepEqual(methodsOf(lives()[1]), ['init', 'track'])
        assert.deepEqual(lives()[1][0].params, { brandId: '925', config })
    })

    test('a setup that is too large for the next is left out, and keeps no other waiting', async (t) => {
        const { tracker, warnings, lives } = fakeTracker(t, { diesAt: 2 }, { maxMessageBytes: 1000 })
        await tracker.init('925', { ...config, caBundle: '/'.padEnd(1000, 'x') })

        await tracker.track('A')
        await tracker.init('925', config)

        assert.deepEqual(methodsOf(lives()[1]), ['track', 'init'])
        const warning = '[MobileTracker] init failed after the host was started: init: The call is too large. '
            + 'A message has at most 1,000 bytes.'
        assert.ok(warnings.includes(warning), warnings.join('\n'))
    })

    test('with nothing to do, another takes its place all the same', async (t) => {
        const { tracker, folder, lives } = fakeTracker(t, {}, { notifications: [['session', { sessionId: 's2' }]] })
        const isBack = nextSession(tracker)
        await tracker.init('925', config)

        process.kill(readPid(folder), 'SIGKILL')
        await isBack
        await tracker.track('A')

        assert.deepEqual(methodsOf(lives()[1]), ['init', 'host.subscribe', 'track'])
    })

    test('in a host that is shutting down run in the next one', async (t) => {
        const { tracker, lives } = fakeTracker(t, { silent: ['track', 'flush'], diesAt: 3 }, {})
        const call = tracker.track('A')
        const flush = tracker.flush()
        const ended = tracker.shutdown()

        await assert.rejects(flush, { code: 'HOST_EXITED' })
        assert.equal((await call).status, 'queued')
        await ended
        assert.deepEqual(methodsOf(lives()[1]), ['track', 'host.shutdown'])
    })

    test('while it ends, what it has not answered rejects', async (t) => {
        const { tracker, lives } = fakeTracker(t, { silent: ['track', 'flush'] })
        const calls = [tracker.track('A'), tracker.flush()]
        const ended = tracker.shutdown()

        for (const call of calls) await assert.rejects(call, { code: 'HOST_EXITED' })
        await ended
        assert.equal(lives().length, 1)
    })
})

suite('a host that always dies', () => {
    test('is given up after 5 times in a minute, and every call says why', async (t) => {
        const { tracker, lives, warnings } = fakeTracker(t, { diesAt: 1, manner: 'exit' })

        const error = { code: 'HOST_EXITED', retryable: true, message: /5 times within a minute.*exit code 3/ }
        await assert.rejects(tracker.track('A'), error)
        assert.equal(lives().length, 5)

        await assert.rejects(tracker.track('B'), error)
        await assert.rejects(tracker.init('925', config), error)
        assert.equal(lives().length, 5)
        assert.equal(warnings.length, 5)
    })

    test('warns with the number of failed calls whose errors are not handled', async (t) => {
        const { tracker, warnings } = fakeTracker(t, { diesAt: 1, manner: 'exit' })
        const lost = /^\[MobileTracker\] 4 calls failed: HOST_EXITED\. Events that no host had stored are lost\. The first was track "A" \(at .*client-crash\.test\.js:\d+:\d+\)\.$/

        void tracker.track('A')
        void tracker.analytics.identify('u1')
        void tracker.basic.screen('B')
        void tracker.reset()
        void tracker.getSessionId()
        await assert.rejects(tracker.track('C'), { code: 'HOST_EXITED' })
        await setImmediate()
        await tracker.shutdown()

        assert.equal(warnings.length, 6)
        assert.match(warnings[5], lost)
    })

    test('does not end a program that handles no error', async (t) => {
        const { tracker } = fakeTracker(t, { diesAt: 1 })
        const unhandled = []
        const listener = (error) => unhandled.push(error)
        process.on('unhandledRejection', listener)
        t.after(() => process.off('unhandledRejection', listener))

        void tracker.track('A')
        void tracker.init('925', config)
        await assert.rejects(tracker.track('B'), { code: 'HOST_EXITED' })
        await setImmediate()

        assert.deepEqual(unhandled, [])
    })

    test('the next start waits, twice as long each time', () => {
        let now = 1000
        const limit = new CrashLimit(() => now)
        const delays = [limit.delay]
        for (let i = 0; i < 9; i++) {
            if (i < 2) limit.record()
            else limit.recordObstacle()
            delays.push(limit.delay)
        }
        assert.deepEqual(delays, [0, 50, 100, 200, 400, 800, 1600, 3200, 5000, 5000])

        assert.equal(limit.isBlocked, false)
        now += 60_000
        assert.equal(limit.isBlocked, true)
        limit.started()
        assert.deepEqual([limit.isBlocked, limit.delay], [false, 0])
    })

    test('is tried again when a minute has passed', () => {
        let now = 1000
        const limit = new CrashLimit(() => now)
        for (let i = 0; i < 5; i++, now += 10_000) limit.record()

        assert.equal(limit.isReached, true)
        now = 60_999
        assert.equal(limit.isReached, true)
        now = 61_000
        assert.equal(limit.isReached, false)
        limit.record()
        assert.equal(limit.isReached, true)
    })
})

suite('what follows from an end', () => {
    const crash = { code: 1, signal: null, stderr: '' }
    const lacking = { ...crash, error: Object.assign(new Error('EAGAIN'), { code: 'EAGAIN' }) }
    let now, limit

    beforeEach(() => {
        now = 0
        limit = new CrashLimit(() => now)
    })

    test('of a host: a warning and another start, until it has ended five times', () => {
        for (let i = 0; i < 4; i++) {
            assert.match(afterHost(limit, '/host', crash, 'exit code 1', true).warning, /ended unexpectedly \(exit code 1\)/)
        }
        const { error, warning } = afterHost(limit, '/host', crash, 'exit code 1', true)
        assert.equal(warning, undefined)
        assert.deepEqual([error.code, error.retryable], ['HOST_EXITED', true])
    })

    test('of a start that the system refuses: another one, until a minute has passed', () => {
        for (const time of [0, 59_000]) {
            now = time
            assert.match(afterHost(limit, '/host', lacking, 'EAGAIN', false).warning, /cannot be started now/)
        }
        now = 60_000
        const { error, warning } = afterHost(limit, '/host', lacking, 'EAGAIN', false)
        assert.equal(warning, undefined)
        assert.deepEqual([error.code, error.retryable], ['HOST_START_FAILED', true])
    })

    test('of a connection to an agent: another one, unless that would not help', () => {
        const absent = { error: Object.assign(new Error('absent'), { code: 'ENOENT' }) }
        const forbidden = { error: Object.assign(new Error('forbidden'), { code: 'EACCES' }) }

        assert.match(afterAgent(limit, '/agent', absent, 'absent', false).warning, /agent at \/agent cannot be reached/)
        assert.equal(afterAgent(limit, '/agent', forbidden, 'forbidden', false).warning, undefined)
        now = 60_000
        const { error } = afterAgent(limit, '/agent', { how: 'it did not answer' }, 'it did not answer', false)
        assert.deepEqual([error.retryable, error.message], [true, 'The agent at /agent could not be reached: it did not answer.'])
        assert.equal(limit.isReached, false)
    })
})

suite('a host of another protocol', () => {
    test('is refused before it gets any call', async (t) => {
        const { tracker, lives, warnings } = fakeTracker(t, { protocolVersion: 99 })
        const calls = [tracker.track('A'), tracker.init('925', config)]

        for (const call of calls) {
            await assert.rejects(call, {
                code: 'PROTOCOL_MISMATCH',
                message: /speaks protocol version 99, this package speaks 1/,
            })
        }
        assert.deepEqual(lives(), [[]])
        assert.equal(warnings.length, 1)
    })
})

test('Ctrl-C in the terminal is not for the host', async (t) => {
    const { tracker, folder } = fakeTracker(t)
    await tracker.track('A')
    const host = readPid(folder)

    assert.equal(processGroupOf(host), host)
})

/** @param {number} pid */
function processGroupOf(pid) {
    const [, fields] = /^\d+ \(.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8').trim())
    return Number(fields.split(' ')[2])
}
