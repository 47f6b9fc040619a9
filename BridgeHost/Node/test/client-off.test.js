import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createTracker } from '../src/client/tracker.js'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { runProgram } from '../testsupport/programs.js'
import { KEY, eventNames, realTracker, withoutHost } from '../testsupport/real-host.js'

const NOWHERE = { MOBILE_TRACKER_HOST: '/nowhere/BridgeHost' }

/** A program whose clients are off by this option. */
const program = (enabled) => `
    import MobileTracker from '@mobiletracker/bridge'
    console.warn = () => {}
    const config = { apiUrl: 'https://api.example.com', xApiKey: 'key'${enabled} }
    await MobileTracker.init('925', config)
    await MobileTracker.analytics.initialize({ writeKey: 'key', ingestionHost: 'https://in.example.com'${enabled} })
    await MobileTracker.basic.initialize('key', 'https://in.example.com/events', undefined, { maxQueueSize: 5${enabled} })
    console.log(JSON.stringify([
        await MobileTracker.track('A'), await MobileTracker.analytics.track('B'), await MobileTracker.basic.track('C'),
        await MobileTracker.flush(), await MobileTracker.analytics.flush(),
    ]))
    await MobileTracker.shutdown()`

suite('A program that turns tracking off', () => {
    const ways = [
        ['by the option', ', enabled: false', {}, 'offByOption'],
        ['by the option, though the environment turns it on', ', enabled: false', { MOBILE_TRACKER_ENABLED: 'true' }, 'offByOption'],
        ['by the environment', '', { MOBILE_TRACKER_ENABLED: 'FALSE' }, 'offByEnvironment'],
    ]
    for (const [how, enabled, env, reason] of ways) {
        test(`${how} needs no host`, async (t) => {
            const { code, stdout, stderr } = await runProgram(t, program(enabled), { env: { ...NOWHERE, ...env } })

            assert.equal(code, 0, stderr)
            const off = { status: 'dropped', reason: 'DISABLED', fault: { reason } }
            const nothing = { delivered: 0, remaining: 0 }
            assert.deepEqual(JSON.parse(stdout), [off, off, off, nothing, nothing])
        })
    }

    test('needs no host for any other call either, and starts none', async (t) => {
        const { code, stdout, stderr } = await runProgram(t, `
            import { createTracker } from '@mobiletracker/bridge'
            const tracker = createTracker({ credentials: () => ({ key: 'key' }) })
            tracker.on('diagnostic', () => {})
            await tracker.setConsent('pending')
            console.log((await tracker.track('EARLY')).reason)
            await tracker.init('925', {})
            await tracker.analytics.initialize({})
            const { analytics, basic, refused, host } = tracker
            console.log(JSON.stringify([
                await tracker.isTrackingAllowed(), await tracker.setConsent('granted'), await tracker.isTrackingAllowed(),
                await tracker.reset(), await tracker.getSessionId(), await tracker.getBrandId(), await tracker.getDebugInfo(),
                await tracker.getCrossDomainUrl('https://shop.example/'), await tracker.setCredentials('key'),
                await analytics.setDefaults({ release: 1 }), await analytics.forget('u1'), await analytics.enableDebugLogging(),
                await basic.getDebugInfo(), await refused.list(), await refused.drop(), await host.metrics(),
            ]))
            console.log((await tracker.track('A')).reason)
            await tracker.shutdown()`, { env: { ...NOWHERE, MOBILE_TRACKER_ENABLED: 'off' } })

        assert.deepEqual([code, stderr.match(/host/g)], [0, null], stderr)
        const [early, values, late] = stdout.split('\n')
        assert.deepEqual([early, late], ['NOT_INITIALIZED', 'DISABLED'])
        assert.deepEqual(JSON.parse(values), [
            false, null, true, null, null, null,
            { lifecycle: 'disabled', queueLength: 0, disabledBecause: 'MOBILE_TRACKER_ENABLED is false in the environment' },
            'https://shop.example/', null, null, { erased: 0, deliveredOfAnyone: 0 }, null,
            { lifecycle: 'idle', queueLength: 0 }, [], 0, '# EOF\n',
        ])
    })

    test('and on again has what it called meanwhile take effect first', { skip: withoutHost }, async (t) => {
        const { tracker, collector, warnings, config, pid } = await realTracker(t)
        const { analytics } = tracker
        await tracker.init('925', config())
        await tracker.shutdown()
        const [before] = collector.received({ kind: 'session' })

        await tracker.init('925', { enabled: false })
        await analytics.initialize({ enabled: false })
        for (const consent of ['granted', 'denied', 'granted', 'denied']) await tracker.setConsent(consent)
        for (const release of [5n, 6n]) await analytics.setDefaults({ release })
        await tracker.setConsent('nonsense')
        await tracker.reset()
        await analytics.setDefaults({ release: 7 })
        assert.equal(pid(), undefined)
        await analytics.initialize({ writeKey: KEY, ingestionHost: collector.url })
        await analytics.track('A')
        await analytics.flush()
        await tracker.init('925', config())

        assert.deepEqual(collector.received({ kind: 'batch' })[0].body.batch[0].properties, { release: 7 })
        assert.equal((await tracker.track('B')).reason, 'TRACKING_NOT_ALLOWED')
        assert.deepEqual(collector.received({ kind: 'session' }), [before])
        assert.ok(warnings.some((text) => text.includes('setConsent, which was called while tracking was off, failed: ')), `${warnings}`)
    })

    test('and on again after a shutdown has all but credentials take effect first', { skip: withoutHost }, async (t) => {
        const { tracker, collector, config } = await realTracker(t)
        await tracker.init('925', { enabled: false })
        await tracker.setConsent('denied')
        await tracker.setCredentials('other-key')
        await tracker.shutdown()
        await tracker.init('925', config())

        assert.equal((await tracker.track('A')).reason, 'TRACKING_NOT_ALLOWED')
        await tracker.setConsent('granted')
        await tracker.track('B')
        assert.equal((await tracker.flush()).delivered, 1)
        assert.equal(collector.received({ kind: 'session' })[0].headers['x-api-key'].slice(-4), KEY.slice(-4))
    })

    test('and on again erases whom it was to forget meanwhile', { skip: withoutHost }, async (t) => {
        const { tracker: { analytics }, collector, warnings } = await realTracker(t)
        await analytics.initialize({ enabled: false })
        await analytics.forget({ userId: 'u1' })
        await analytics.forget('u2')
        await analytics.unforget('u2')
        await analytics.initialize({ writeKey: KEY, ingestionHost: collector.url })

        assert.equal((await analytics.track('A', null, { userId: 'u1' })).reason, 'FORGOTTEN')
        assert.notEqual((await analytics.track('B', null, { userId: 'u2' })).status, 'dropped')
        assert.ok(!warnings.some((text) => text.includes('while tracking was off')), `${warnings}`)
    })

    test('in part has a host for the rest', { skip: withoutHost }, async (t) => {
        const { code, stdout, stderr } = await runProgram(t, `
            import { createTestTracker } from '@mobiletracker/bridge/testing'
            const tracker = createTestTracker({ warnings: false, stderr: 'ignore' })
            await tracker.init('925', { enabled: false })
            await tracker.analytics.initialize({ writeKey: 'key', ingestionHost: 'https://in.example.com' })
            console.log((await tracker.track('A')).reason, (await tracker.analytics.track('B')).status)
            console.log((await tracker.getDebugInfo()).lifecycle, (await tracker.track('A')).reason)
            await tracker.init('925', { apiUrl: 'https://api.example.com', xApiKey: 'key', enabled: true })
            console.log((await tracker.track('A')).status)
            await tracker.shutdown()`)

        assert.equal(code, 0, stderr)
        assert.equal(stdout, 'DISABLED queued\ndisabled DISABLED\nqueued\n')
    })
})

suite('enabled, and what comes from the environment', { skip: withoutHost }, () => {
    test('false: nothing is stored or sent, and it is said once', async (t) => {
        const { tracker, collector, warnings } = await realTracker(t)
        await tracker.init('925', { enabled: false })
        await tracker.analytics.initialize({ enabled: false })
        await tracker.basic.initialize(null, null, null, { enabled: false })

        const off = { status: 'dropped', reason: 'DISABLED', fault: { reason: 'offByOption' } }
        for (let i = 0; i < 3; i++) assert.deepEqual(await tracker.track('A'), off)
        assert.equal((await tracker.analytics.track('A')).reason, 'DISABLED')
        assert.equal((await tracker.basic.track('A')).reason, 'DISABLED')
        assert.equal((await tracker.getDebugInfo()).lifecycle, 'disabled')
        await tracker.flush()

        assert.equal(warnings.length, 3)
        assert.ok(warnings[0].includes('Tracking is off: `enabled` is false.'), warnings[0])
        assert.ok(warnings[1].includes('Tracking is off: `enabled` is false.'), warnings[1])
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
