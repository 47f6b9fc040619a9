import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Recovery } from '../src/client/recovery.js'
import { KEY, eventNames, problemsOf, realTracker, withoutHost } from '../testsupport/real-host.js'
import { inTime } from '../testsupport/hosts.js'
import { randomFrom } from '../testsupport/random.js'

const PLAN = fileURLToPath(new URL('../testsupport/plan/plan.json', import.meta.url))

/** The next turn of the event loop. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

suite('a host that is killed', { skip: withoutHost }, () => {
    for (let round = 1; round <= 5; round++) {
        test(`at any point loses and doubles nothing, round ${round}`, async (t) => {
            const { tracker, collector, config, pid } = await realTracker(t)
            const random = randomFrom(t)
            await tracker.init('925', config())
            const calls = []
            const names = []
            let kills = 0

            while (names.length < 300) {
                for (let many = Math.trunc(random() * 20); many >= 0; many--) {
                    names.push(`E${names.length}`)
                    calls.push(tracker.track(names.at(-1), { text: 'x'.repeat(Math.trunc(random() * 2000)) }))
                }
                if (random() < 0.3) await calls.at(-1)
                for (let turns = Math.trunc(random() * 5); turns > 0; turns--) await turn()
                // Past four in a minute the host is given up. Between two hosts there is none.
                const host = kills < 4 && random() < 0.15 && pid()
                if (host) kills += Number(process.kill(host, 'SIGKILL'))
            }
            const outcomes = await inTime(Promise.all(calls))
            await collector.wait({ kind: 'event', count: names.length })

            assert.ok(outcomes.every(({ status }) => status !== 'dropped'))
            assert.equal(new Set(outcomes.map(({ messageId }) => messageId)).size, names.length)
            assert.deepEqual(eventNames(collector), names)
            assert.deepEqual(problemsOf(collector), [])
        })
    }

    test('in the middle of an init goes on with it', async (t) => {
        const { tracker, collector, config, pid } = await realTracker(t)
        collector.faults(['delay=60000'])
        const initialized = tracker.init('925', config())
        const held = tracker.track('HELD')
        assert.equal((await held).status, 'pending')
        await collector.wait({ kind: 'session' })

        process.kill(pid(), 'SIGKILL')
        await inTime(initialized)

        assert.equal((await tracker.track('NEXT')).status, 'queued')
        await collector.wait({ kind: 'event', count: 2 })
        assert.deepEqual(eventNames(collector), ['HELD', 'NEXT'])
    })

    test('comes back with its session, its consent and its listeners, without a further call', async (t) => {
        const { tracker, collector, config, pid } = await realTracker(t)
        await tracker.setConsent('granted')
        await tracker.init('925', config())
        const session = await tracker.getSessionId()
        collector.faults(['503×always'])
        await tracker.track('LEFT')
        const retried = inTime(new Promise((resolve) => {
            tracker.on('diagnostic', ({ kind }) => kind === 'retried' && resolve())
        }))

        const first = pid()
        process.kill(first, 'SIGKILL')
        await retried
        collector.faults([])
        await tracker.networkDidChange()
        await collector.wait({ name: 'LEFT' })

        assert.notEqual(pid(), first)
        assert.equal(await tracker.getSessionId(), session)
        assert.equal(await tracker.isTrackingAllowed(), true)
    })

    const forms = {
        'with two arguments': (url) => ['925', { apiUrl: url, xApiKey: KEY, persistence: 'memory' }],
        'with one object': (url) => [{ apiKey: '925', endpoint: url, x_api_key: KEY, persistence: 'memory' }],
    }
    for (const [form, argumentsFor] of Object.entries(forms)) {
        test(`keeps a denial that is in memory alone, after an init ${form}`, async (t) => {
            const { tracker, collector, pid } = await realTracker(t)
            await tracker.init(...argumentsFor(collector.url))
            await tracker.setConsent('denied')

            process.kill(pid(), 'SIGKILL')

            assert.deepEqual(await inTime(tracker.track('A')), { status: 'dropped', reason: 'TRACKING_NOT_ALLOWED' })
        })
    }

    for (const end of ['a kill', 'a shutdown']) {
        test(`keeps a denial over ${end} that was made while its client was turned off`, async (t) => {
            const { tracker, collector, config, pid } = await realTracker(t)
            await tracker.init('925', config())
            await tracker.init('925', config({ enabled: false }))
            await tracker.setConsent('denied')

            if (end === 'a kill') process.kill(pid(), 'SIGKILL')
            else await tracker.shutdown()
            await inTime(tracker.init('925', config()))

            assert.equal(await tracker.isTrackingAllowed(), false)
            assert.deepEqual(await tracker.track('A'), { status: 'dropped', reason: 'TRACKING_NOT_ALLOWED' })
            assert.equal(collector.received({ kind: 'session' }).length, 1)
        })
    }

    for (const end of ['a kill', 'a shutdown']) {
        test(`keeps resets over ${end} that were made while their clients were turned off`, async (t) => {
            const { tracker, collector, config, pid } = await realTracker(t)
            const analytics = (changes) => ({ writeKey: 'key', ingestionHost: collector.url, ...changes })
            collector.faults(['503×always:name=OF_THE_LAST'])
            await tracker.init('925', config())
            const device = await tracker.getDeviceId()
            await tracker.track('OF_THE_LAST')
            await tracker.analytics.initialize(analytics())
            await tracker.analytics.identify('user-1')
            await tracker.init('925', config({ enabled: false }))
            await tracker.analytics.initialize(analytics({ enabled: false }))
            await tracker.reset(true)
            await tracker.analytics.reset()

            if (end === 'a kill') process.kill(pid(), 'SIGKILL')
            else await tracker.shutdown()
            collector.faults([])
            await inTime(tracker.init('925', config()))
            await tracker.analytics.initialize(analytics())
            await tracker.track('OF_THE_NEXT')
            await tracker.analytics.track('OF_NOBODY')
            await collector.wait({ name: 'OF_THE_NEXT' })
            const [{ body }] = await collector.wait({ name: 'OF_NOBODY' })

            assert.notEqual(await tracker.getDeviceId(), device)
            assert.deepEqual(eventNames(collector), ['OF_THE_NEXT'])
            assert.equal(body.batch.find(({ event }) => event === 'OF_NOBODY').userId, undefined)
        })
    }

    test('goes on with the configuration in force, and not with that of an init that was ignored', async (t) => {
        const { tracker, collector, config, pid } = await realTracker(t)
        await tracker.init('925', config({ requestTimeoutMs: 11_000 }))
        await tracker.init('925', config({ requestTimeoutMs: 12_000 }))

        process.kill(pid(), 'SIGKILL')
        await inTime(tracker.track('A'))
        await collector.wait({ name: 'A' })

        assert.equal((await tracker.getDebugInfo()).config.delivery.requestTimeoutMs, 11_000)
    })

    test('between a denial and its answer keeps the denial', async (t) => {
        const { tracker, collector, config, pid } = await realTracker(t)
        await tracker.init('925', config())
        collector.faults(['503×always'])
        await tracker.track('BEFORE')

        const denied = tracker.setConsent('denied')
        process.kill(pid(), 'SIGKILL')
        await inTime(denied)

        assert.equal(await tracker.isTrackingAllowed(), false)
        assert.equal((await tracker.getDebugInfo()).queueLength, 0)
        assert.deepEqual(await tracker.track('AFTER'), { status: 'dropped', reason: 'TRACKING_NOT_ALLOWED' })
        assert.deepEqual(eventNames(collector), [])
    })

    for (const all of [false, true]) {
        test(`after a reset before init has the next init apply it, with all ${all}`, async (t) => {
            const { tracker, collector, config, pid } = await realTracker(t)
            await tracker.init('925', config())
            await tracker.identify('user-1', { email: 'a@example.com' })
            const session = await tracker.getSessionId()
            await tracker.shutdown()

            await tracker.reset(all)
            process.kill(pid(), 'SIGKILL')
            await inTime(tracker.init('925', config()))

            assert.notEqual(await tracker.getSessionId(), session)
            assert.equal(collector.received({ kind: 'session' }).length, 2)
        })
    }

    for (const when of ['before the kill', 'after the kill']) {
        test(`takes an init for another brand ${when}, if a reset of everything was answered during the first`, async (t) => {
            const { tracker, collector, config, pid, first } = await resetDuringInit(t)
            const ended = first.then(() => 'OK', ({ code }) => code)

            const host = pid()
            const early = when === 'before the kill' ? tracker.init('2', config()) : undefined
            process.kill(host, 'SIGKILL')
            if (!early) await inTime(tracker.getDebugInfo().catch(() => tracker.getDebugInfo()))
            await inTime(early ?? tracker.init('2', config()))

            assert.equal(await tracker.getBrandId(), '2')
            if (early) assert.equal(await ended, 'INIT_ERROR')
            else await inTime(ended)
            await tracker.track('OF_2')
            const [{ body }] = await collector.wait({ name: 'OF_2' })
            assert.equal(body.brand_id, 2)
        })
    }

    test('takes an init for another brand if the first was answered after a reset of everything', async (t) => {
        const { tracker, config, pid, first } = await resetDuringInit(t)
        await inTime(first)

        process.kill(pid(), 'SIGKILL')
        await inTime(tracker.init('2', config()))

        assert.equal(await tracker.getBrandId(), '2')
    })

    test('goes on with a brand after a reset of everything during its init, if no other init follows', async (t) => {
        const { tracker, pid, first } = await resetDuringInit(t)

        process.kill(pid(), 'SIGKILL')
        await inTime(first)

        assert.equal((await tracker.track('A')).status, 'queued')
        assert.equal(await tracker.getBrandId(), '1')
    })

    test('takes an init for another brand after a reset of everything and two kills', async (t) => {
        const { tracker, config, pid } = await realTracker(t)
        await tracker.init('1', config())
        await tracker.reset(true)

        for (let kills = 0; kills < 2; kills++) {
            process.kill(pid(), 'SIGKILL')
            // A host that answers this has got the calls that bring back its clients.
            await inTime(tracker.getDebugInfo().catch(() => tracker.getDebugInfo()))
        }
        await inTime(tracker.init('2', config()))

        assert.equal(await tracker.getBrandId(), '2')
    })

    test('after analytics.reset before its initialize has forgotten the user', async (t) => {
        const { tracker, collector, pid } = await realTracker(t)
        const options = { writeKey: KEY, ingestionHost: collector.url }
        await tracker.analytics.initialize(options)
        await tracker.analytics.identify('user-1')
        await tracker.shutdown()

        await tracker.analytics.reset()
        process.kill(pid(), 'SIGKILL')
        await inTime(tracker.analytics.initialize(options))

        assert.equal((await tracker.analytics.getDebugInfo()).userId, null)
    })

    test('keeps over a shutdown what holds from the next init on', async (t) => {
        const { tracker, collector, config } = await realTracker(t)
        await tracker.setConsent('denied')
        await tracker.shutdown()

        await tracker.init('925', config())

        assert.deepEqual(await tracker.track('A'), { status: 'dropped', reason: 'TRACKING_NOT_ALLOWED' })
        assert.deepEqual(eventNames(collector), [])
    })

    test('tracks the initial screen once', async (t) => {
        const { tracker, collector, config, pid } = await realTracker(t)
        await tracker.init('925', config({ initialScreen: 'Home' }))
        await collector.wait({ name: 'VIEW_PAGE' })

        process.kill(pid(), 'SIGKILL')
        await inTime(tracker.track('NEXT'))
        await tracker.flush()

        assert.deepEqual(eventNames(collector), ['VIEW_PAGE', 'NEXT'])
    })

    test('comes back without the debug log of analytics', async (t) => {
        const { tracker, collector, pid } = await realTracker(t)
        const levels = []
        tracker.on('log', ({ level }) => levels.push(level))
        await tracker.analytics.initialize({ writeKey: KEY, ingestionHost: collector.url })
        await tracker.analytics.enableDebugLogging()
        await tracker.analytics.track('A')
        await tracker.analytics.flush()
        assert.ok(levels.includes('debug'), String(levels))

        process.kill(pid(), 'SIGKILL')
        await inTime(tracker.analytics.track('B'))
        levels.length = 0
        await tracker.analytics.track('C')
        await tracker.analytics.flush()

        assert.deepEqual(levels, [])
    })

    test('between a reset and its answer keeps what was tracked after it', async (t) => {
        const { tracker, collector, config, pid } = await realTracker(t)
        await tracker.init('925', config())
        const session = await tracker.getSessionId()

        const calls = [tracker.track('OLD'), tracker.reset(), tracker.track('NEW')]
        await turn()
        process.kill(pid(), 'SIGKILL')
        await inTime(Promise.all(calls))
        await collector.wait({ kind: 'event', count: 2 })

        const sessions = collector.received({ kind: 'event', accepted: true, repeats: false })
            .map(({ body }) => body.session_id)
        assert.deepEqual(eventNames(collector), ['OLD', 'NEW'])
        assert.equal(sessions[0], session)
        assert.notEqual(sessions[1], session)
    })
})

suite('what a new host is told of a brand that has ended', () => {
    const init = { id: 1, method: 'init', given: { brandId: '925' } }
    const reset = { id: 2, method: 'reset', given: { all: true, messageId: 'r' } }
    const credentials = (id) => ({ id, method: 'setCredentials', given: { key: 'key-of-then' } })
    const methods = (calls) => calls.map(({ method }) => method)

    test('is the reset alone, if its init has no answer: the next one begins without it', () => {
        const recovery = new Recovery()
        recovery.answered(reset, {}, false, [init])

        assert.deepEqual(recovery.calls(), [])
        assert.deepEqual(recovery.endings(), [{ ...reset, given: { repeats: 'answered', all: true, messageId: 'r' } }])
    })

    test('is nothing of a reset that was answered before, and comes once more behind another init', () => {
        const recovery = new Recovery()
        for (const call of [init, reset]) recovery.answered(call, {})
        assert.ok(!recovery.mayHaveEnded(reset) && recovery.mayHaveEnded({ ...reset, given: { all: true, messageId: 's' } }))
        recovery.answered({ ...init, id: 3 }, {})
        recovery.answered({ ...reset, id: 4 }, {})

        assert.deepEqual(recovery.endings(), [])
        assert.deepEqual(methods(recovery.calls()), ['init'])
    })

    test('has no credentials that its init has taken', () => {
        const recovery = new Recovery()
        recovery.answered(credentials(0), {})
        recovery.answered(reset, {}, false, [init])

        assert.deepEqual(methods(recovery.calls()), ['setCredentials'])
        assert.deepEqual(methods(recovery.endings()), ['reset'])
    })

    test('is no decision from before its init, unless that keeps nothing on disk', () => {
        for (const [config, kept] of [[{}, []], [{ persistence: 'memory' }, ['setConsent']]]) {
            const recovery = new Recovery()
            recovery.answered({ id: 0, method: 'setConsent', given: { consent: 'denied' } }, {})
            recovery.answered(reset, {}, false, [{ ...init, given: { brandId: '925', config } }])

            assert.deepEqual(methods(recovery.calls()), kept)
        }
    })

    test('has the key and the headers that were set after the reset, each by a call of its own', () => {
        const recovery = new Recovery()
        const headers = { id: 4, method: 'setCredentials', given: { key: null, headers: { X: '1' } } }
        for (const call of [init, credentials(3), headers, reset]) recovery.answered(call, {})

        assert.deepEqual(recovery.endings().at(-1).given, { key: 'key-of-then', headers: { X: '1' } })
    })

    test('has the credentials that were set after the reset, in whatever order the two are answered', () => {
        for (const calls of [[reset, credentials(3)], [credentials(3), reset]]) {
            const recovery = new Recovery()
            for (const call of [init, ...calls]) recovery.answered(call, {})

            assert.deepEqual(methods(recovery.endings()), ['reset', 'setCredentials'])
        }
    })
})

suite('the user of a basic tracker, after a kill', () => {
    const identified = (id, userId) => ({
        id, method: 'basic.identify', given: { userId, traits: { plan: userId }, messageId: `m${id}` },
    })
    const alice = { userId: 'alice', traits: { plan: 'alice' }, messageId: 'm2' }
    const dropped = (reason) => ({ status: 'dropped', reason })

    /** What a new host is told of the user. */
    function userAfter(...answers) {
        const recovery = new Recovery()
        recovery.answered({ id: 1, method: 'basic.initialize', given: { apiKey: 'key', endpoint: 'https://b.example.com' } }, {})
        for (const [call, result, isReplay] of answers) recovery.answered(call, result, isReplay)
        return recovery.calls().find(({ method }) => method === 'basic.identify').given
    }

    for (const reason of ['PLAN', 'STORAGE_ERROR', 'QUEUE_FULL', 'FORGOTTEN', 'TRACKING_NOT_ALLOWED']) {
        test(`is the one of an identify that was dropped as ${reason}, without its traits and as no new event`, () => {
            const bob = [identified(3, 'bob'), dropped(reason)]

            assert.deepEqual(userAfter([identified(2, 'alice'), { status: 'queued' }], bob), { repeats: 'answered', userId: 'bob' })
            assert.deepEqual(userAfter(bob), { repeats: 'answered', userId: 'bob' })
        })
    }

    for (const reason of ['NOT_INITIALIZED', 'INVALID_USER_ID', 'INVALID_VALUE', 'SERIALIZATION_ERROR', 'TOO_LARGE', 'DISABLED']) {
        test(`is the one before an identify that was dropped as ${reason}`, () => {
            const user = userAfter([identified(2, 'alice'), { status: 'queued' }], [identified(3, 'bob'), dropped(reason)])

            assert.deepEqual(user, { repeats: 'answered', ...alice })
        })
    }

    test('is the last one, although the host answers an earlier identify after it', () => {
        const user = userAfter([identified(3, 'carol'), { status: 'queued' }], [identified(2, 'bob'), dropped('QUEUE_FULL')])

        assert.equal(user.userId, 'carol')
    })

    test('keeps the traits if a new host drops the same identify', () => {
        const user = userAfter(
            [identified(2, 'alice'), { status: 'queued' }], [identified(3, 'alice'), dropped('STORAGE_ERROR'), true])

        assert.deepEqual(user, { repeats: 'answered', ...alice })
    })

    test('goes with what follows an identify that the plan has dropped', { skip: withoutHost }, async (t) => {
        const { tracker: { basic }, collector, pid } = await realTracker(t)
        await basic.initialize(KEY, `${collector.url}/events`, '1.0', { plan: { file: PLAN, onBroken: 'drop' } })
        await basic.identify('alice', { email: 'alice@example.com', plan: 'pro' })
        assert.equal((await basic.identify('bob', { email: 'bob' })).reason, 'PLAN')

        process.kill(pid(), 'SIGKILL')
        await inTime(basic.track('LOGOUT'))
        const [{ body }] = await collector.wait({ name: 'LOGOUT' })

        const { userId, traits } = body.find(({ name }) => name === 'LOGOUT')
        assert.deepEqual([userId, traits], ['bob', undefined])
        // It stays dropped: only its user is restored.
        const items = collector.received().flatMap((request) => request.body)
        assert.deepEqual(items.filter((item) => item.userId === 'bob').map(({ name }) => name), ['LOGOUT'])
    })
})

/** A tracker with a reset of everything during its first `init`, whose session the collector holds back. */
async function resetDuringInit(t) {
    const real = await realTracker(t)
    const { tracker, collector, config } = real
    collector.faults(['delay=60000'])
    const first = tracker.init('1', config())
    await collector.wait({ kind: 'session' })
    await tracker.reset(true)
    return { ...real, first }
}
