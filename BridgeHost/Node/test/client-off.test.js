import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { runProgram } from '../testsupport/programs.js'
import { withoutHost } from '../testsupport/real-host.js'

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
