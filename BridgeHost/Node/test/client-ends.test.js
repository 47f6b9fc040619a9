import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { findHost } from '../src/client/finder.js'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { runProgram } from '../testsupport/programs.js'
import { eventNames, realTracker, withoutHost } from '../testsupport/real-host.js'

/** Runs a program that makes two calls, waits for neither, and ends like this. */
async function run(t, ending) {
    const collector = await startCollector()
    afterwards(t, () => collector.close())
    const source = `
        import { createTracker } from '@mobiletracker/bridge'
        // A slow machine may need more than the 1.5 s that a host has to send.
        const tracker = createTracker({ hostArguments: ['--shutdown-timeout', '60s'] })
        await tracker.init('925', { apiUrl: '${collector.url}', xApiKey: 'key-1234' })
        tracker.track('FIRST')
        tracker.track('SECOND')
        ${ending}`
    const env = { XDG_STATE_HOME: freshFolder(t), MOBILE_TRACKER_HOST: findHost() }
    return { collector, ...await runProgram(t, source, { env }) }
}

const STAYS = 'setInterval(() => {}, 1000)'

suite('what a program tracked arrives, though nobody waited for it,', { skip: withoutHost }, () => {
    const endings = [
        ['runs out of work', '', 0],
        ['calls process.exit', 'process.exit(3)', 3],
        ['throws', 'throw new Error("This is meant")', 1],
        ['leaves a rejection unhandled', `Promise.reject(new Error("This is meant")); ${STAYS}`, 1],
        ['gets a signal after the tick of the calls', `setImmediate(() => process.kill(process.pid, 'SIGTERM')); ${STAYS}`,
            'SIGTERM'],
        ['is killed after the tick of the calls', `setImmediate(() => process.kill(process.pid, 'SIGKILL')); ${STAYS}`,
            'SIGKILL'],
        ['shuts down at a signal', `
            process.once('SIGTERM', async () => {
                await tracker.shutdown()
                process.exit(0)
            })
            process.kill(process.pid, 'SIGTERM')
            ${STAYS}`, 0],
    ]
    for (const [title, ending, end] of endings) {
        test(`when it ${title}`, async (t) => {
            const { collector, code, signal, stderr } = await run(t, ending)

            assert.equal(code ?? signal, end, stderr)
            await collector.wait({ kind: 'event', count: 2, timeoutMs: 40_000 })
            assert.deepEqual(eventNames(collector), ['FIRST', 'SECOND'])
        })
    }
})

test('a host has a process group of its own, so that Ctrl-C reaches the program alone', { skip: withoutHost }, async (t) => {
    const { tracker, pid } = await realTracker(t)
    await tracker.getDebugInfo()

    const groupOf = (process) => Number(readFileSync(`/proc/${process}/stat`, 'utf8').split(') ')[1].split(' ')[2])
    assert.equal(groupOf(pid()), pid())
})
