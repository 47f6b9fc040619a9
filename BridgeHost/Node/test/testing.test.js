import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { suite, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createTracker } from '@mobiletracker/bridge'
import { createTestTracker } from '@mobiletracker/bridge/testing'
import { childWith } from '../testsupport/children.js'
import { afterwards, captureWarnings, freshFolder } from '../testsupport/hosts.js'
import { runProgram } from '../testsupport/programs.js'
import { withoutHost } from '../testsupport/real-host.js'

/** A test tracker that ends with its test. */
function testTracker(t, options) {
    const tracker = createTestTracker({ stderr: 'ignore', warnings: false, ...options })
    afterwards(t, () => tracker.shutdown())
    return tracker
}

suite('A test tracker', { skip: withoutHost }, () => {
    test('records the calls of all clients, with their outcomes, and whose events they are', async (t) => {
        const tracker = testTracker(t)
        tracker.track('PURCHASE', { total: 149.99 }, { flow_id: 'checkout' })
        tracker.analytics.identify('user-1')
        tracker.analytics.track('Order Completed', { total: 149.99 })
        tracker.basic.track(' ')

        const calls = await tracker.calls()

        assert.deepEqual(calls.map(({ client, method, name }) => [client, method, name]), [
            ['tracker', 'track', 'PURCHASE'], ['analytics', 'identify', undefined],
            ['analytics', 'track', 'Order Completed'], ['basic', 'track', ' '],
        ])
        assert.deepEqual(calls[0].metadata, { flow_id: 'checkout' })
        assert.equal(calls[2].userId, 'user-1')
        assert.deepEqual(calls[3].outcome, { status: 'dropped', reason: 'INVALID_EVENT_NAME' })
    })

    test('is not hurried by the fake timers of a test', async (t) => {
        t.mock.timers.enable()
        const tracker = testTracker(t)
        tracker.track('Cart Opened')
        setTimeout(() => tracker.track('Reminder'), 30_000)
        // The host has been started, and has not answered yet.
        await turn()

        t.mock.timers.tick(30_000)

        await tracker.expect('Reminder', undefined, { count: 1 })
        t.mock.timers.reset()
        tracker.track('Later')
        await tracker.expect('Later', undefined, { count: 1 })
    })

    test('finds calls by some of their values', async (t) => {
        const tracker = testTracker(t)
        tracker.analytics.track('Order Completed', { total: 1, items: [{ sku: 'A' }] }, { userId: 'user-1' })
        tracker.analytics.track('Order Completed', { total: 2 }, { userId: 'user-2' })

        const [first] = await tracker.expect('Order Completed', { items: [{}] }, { userId: 'user-1', count: 1 })

        assert.deepEqual(first.properties, { total: 1, items: [{ sku: 'A' }] })
        assert.equal((await tracker.find('Order Completed')).length, 2)
        assert.deepEqual(await tracker.find('Order Completed', {}, { client: 'tracker' }), [])
    })

    test('takes ids as calls do', async (t) => {
        const tracker = testTracker(t)
        class UUID {
            toString() {
                return '123e4567-e89b-12d3-a456-426614174000'
            }
        }
        for (const id of [new UUID(), { toString: () => '123e4567-e89b-12d3-a456-426614174001' }, 42, 2n ** 64n]) {
            const person = { userId: id, anonymousId: id, groupId: id }
            tracker.analytics.track('Order Completed', {}, person)
            tracker.analytics.setAdvertisingId(id)
            tracker.linkSession(id)

            await tracker.expect('Order Completed', {}, { ...person, count: 1 })
            assert.equal((await tracker.find('setAdvertisingId', null, { advertisingId: id })).length, 1)
            await tracker.expect('linkSession', null, { sourceSessionId: id, count: 1 })
        }
        for (const ask of [tracker.find, tracker.expect]) {
            const fault = { code: 'INVALID_PARAMS', message: /^record\.\w+: 'call\.userId' is a number too large to be exact/ }
            await assert.rejects(ask('Order Completed', {}, { userId: 2 ** 53 }), fault)
        }
    })

    test('says what is wrong with the calls, at the line that expects them', async (t) => {
        const tracker = testTracker(t)
        tracker.analytics.track('Order Completed', { total: 99 }, { userId: 'user-1' })

        const fault = await tracker.expect('Order Completed', { total: 149.99 }).catch((error) => error)

        assert.equal(fault.name, 'AssertionError')
        assert.equal(fault.message, [
            'Expected a call "Order Completed" with {"total":149.99}, and there was none.',
            'The nearest was: analytics.track "Order Completed" {"total":99}',
            '  properties.total is 99; expected 149.99.',
        ].join('\n'))
        assert.match(fault.stack, /^AssertionError \[ERR_ASSERTION\]: Expected [^]*\n +at .*testing\.test\.js/)
    })

    test('plays a refusal, which takes the way of a real one', async (t) => {
        const tracker = testTracker(t)
        await tracker.fail('STORAGE_ERROR')

        const outcome = await tracker.track('PURCHASE')

        assert.deepEqual(outcome, { status: 'dropped', reason: 'STORAGE_ERROR' })
        await tracker.expect('PURCHASE', {}, { droppedAs: 'STORAGE_ERROR' })
        await tracker.clear()
        assert.equal((await tracker.track('PURCHASE')).status, 'queued')
        assert.equal((await tracker.calls()).length, 1)
        await assert.rejects(tracker.fail('FULL'), { code: 'INVALID_PARAMS' })
    })

    test('lets the program initialise its clients, and needs neither server nor disk', async (t) => {
        const folder = freshFolder(t)
        const tracker = testTracker(t, { hostArguments: ['--storage-dir', folder] })
        await tracker.init('925', { apiUrl: 'https://api.example.com', xApiKey: 'key', beforeSend: (call) => call.name === 'NOISE' ? null : call })
        tracker.track('PURCHASE')
        tracker.track('NOISE')

        assert.equal((await tracker.flush()).remaining, 0)
        assert.equal(await tracker.getSessionId(), 'session-1')
        assert.deepEqual((await tracker.calls()).map(({ name }) => name), ['PURCHASE'])
        assert.deepEqual(readdirSync(folder), [])
        await assert.rejects(tracker.init('925', { apiUrl: 'nowhere' }), { code: 'INVALID_CONFIGURATION' })
    })

    test('has a host of its own where the program connects to an agent', async (t) => {
        process.env.MOBILE_TRACKER_AGENT = '/nowhere/agent.sock'
        t.after(() => delete process.env.MOBILE_TRACKER_AGENT)
        const tracker = testTracker(t)
        tracker.track('PURCHASE')

        assert.deepEqual((await tracker.calls()).map(({ name }) => name), ['PURCHASE'])
    })

    test('records though the environment turns tracking off', async (t) => {
        const { code, stdout, stderr } = await runProgram(t, `
            import { createTestTracker } from '@mobiletracker/bridge/testing'
            const tracker = createTestTracker()
            await tracker.init('925', { apiUrl: 'https://api.example.com', xApiKey: 'key' })
            await tracker.track('A')
            await tracker.basic.track('B')
            console.log((await tracker.expect('A')).length, (await tracker.expect('B')).length)
            await tracker.shutdown()`, { env: { MOBILE_TRACKER_ENABLED: 'false' } })

        assert.deepEqual([code, stdout], [0, '1 1\n'], stderr)
    })

    test('answers for a program that shuts it down, whose later calls are refused as they are', async (t) => {
        const tracker = testTracker(t, { beforeSend: (call) => (call.name === 'Noise' ? null : call) })
        tracker.track('Report Made')
        await tracker.shutdown()

        await tracker.expect('Report Made', {}, { count: 1 })
        await assert.rejects(tracker.expect('Report Made', {}, { count: 0 }), { name: 'AssertionError' })
        assert.equal((await tracker.track('Late')).reason, 'NOT_INITIALIZED')
        await tracker.expect('Late', {}, { droppedAs: 'NOT_INITIALIZED' })
        await tracker.init('925', { apiUrl: 'https://api.example.com', xApiKey: 'key' })
        await tracker.track('Again')
        assert.deepEqual((await tracker.calls()).map(({ name }) => name), ['Report Made', 'Late', 'Again'])
    })

    test('says that it has forgotten its calls once many others have ended after it', async (t) => {
        const first = testTracker(t)
        first.track('A')
        await first.shutdown()
        for (let i = 0; i < 8; i++) await testTracker(t).shutdown()

        for (const question of [first.calls(), first.find('A'), first.expect('A', {}, { count: 0 })]) {
            await assert.rejects(question, /^Error: The calls of this test tracker are forgotten: 8 others were shut down/)
        }
    })

    test('says that its calls are lost once its host has ended, until it is cleared', async (t) => {
        const folder = freshFolder(t)
        const tracker = testTracker(t, { hostArguments: ['--storage-dir', folder] })
        await tracker.track('A')

        process.kill(childWith(folder), 'SIGKILL')

        await tracker.track('B')
        for (const ask of [() => tracker.calls(), () => tracker.find('B'), () => tracker.expect('A', {}, { count: 0 })]) {
            await assert.rejects(ask, /^Error: The host of this test tracker has ended, .* are lost\. Call clear\(\)/)
        }
        await tracker.clear()
        await tracker.track('C')
        assert.deepEqual((await tracker.calls()).map(({ name }) => name), ['C'])
        await tracker.expect('A', {}, { count: 0 })
    })

    test('warns of a question that fails if nobody handles that, as of other calls', async (t) => {
        const folder = freshFolder(t)
        const warnings = captureWarnings(t)
        const tracker = testTracker(t, { hostArguments: ['--storage-dir', folder], warnings: true })
        await tracker.track('A')
        process.kill(childWith(folder), 'SIGKILL')
        await tracker.track('B')

        tracker.calls()
        tracker.find('B')
        await assert.rejects(tracker.find('B'))
        await turn()

        const sentence = 'failed, and its error was not handled: The host of this test tracker has ended'
        assert.deepEqual(
            warnings.slice(1).map((warning) => warning.split(',').slice(0, 2).join()),
            ['calls', 'find'].map((name) => `[MobileTracker] ${name}() ${sentence}`))
    })

    test('is in use again once it is initialised, however many others end then', async (t) => {
        const first = testTracker(t)
        first.track('A')
        await first.shutdown()
        await first.init('925', { apiUrl: 'https://api.example.com', xApiKey: 'key' })
        first.track('B')
        for (let i = 0; i < 8; i++) await testTracker(t).shutdown()

        assert.deepEqual((await first.calls()).map(({ name }) => name), ['A', 'B'])
        await first.shutdown()
        for (let i = 0; i < 8; i++) await testTracker(t).shutdown()
        await first.analytics.initialize({ ingestionHost: 'https://in.example.com', writeKey: 'key' })
        first.analytics.track('C')
        await first.expect('C', {}, { count: 1 })
    })

    test('starts no host to shut down', async () => {
        await createTestTracker({ hostPath: '/nonexistent/BridgeHost', warnings: false }).shutdown()
    })

    test('refuses to expect what no call can have', async (t) => {
        const tracker = testTracker(t)

        await assert.rejects(tracker.expect('PURCHASE', {}, { userID: 'user-1', count: 0 }), /did you mean 'userId'/)
        assert.throws(() => tracker.expect('PURCHASE', {}, 0), /is an object, such as/)
        await tracker.analytics.track('PURCHASE')
        for (const user of [undefined, null]) {
            await assert.rejects(tracker.expect('PURCHASE', {}, { userId: user }), /'call\.userId' must be a string or a whole number$/)
        }
    })

    const leftOut = {
        undefined: { total: undefined }, 'a function': { total: () => 9 }, 'a regular expression': { total: /9/ },
        'an undefined member further in': { cart: { total: undefined } }, 'a regular expression as all of it': /9/,
    }
    for (const [what, properties] of Object.entries(leftOut)) {
        test(`refuses to expect what JSON leaves out, which any call would meet: ${what}`, async (t) => {
            const tracker = testTracker(t)
            tracker.track('PURCHASE', { total: 99, cart: { total: 99 } })

            await assert.rejects(tracker.expect('PURCHASE', properties), { name: 'MobileTrackerError', message: /^record\.expect: '?properties/ })
            await assert.rejects(tracker.find('PURCHASE', properties), { name: 'MobileTrackerError', message: /^record\.find: '?properties/ })
        })
    }

    test('is the only one that records', async (t) => {
        const tracker = createTracker({ stderr: 'ignore' })
        afterwards(t, () => tracker.shutdown())

        assert.equal(tracker.calls, undefined)
    })
})
