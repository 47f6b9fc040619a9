import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { findHost } from '../src/client/finder.js'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { runProgram } from '../testsupport/programs.js'
import { eventNames, KEY, PATIENT, realTracker, WAIT_MS, withoutHost } from '../testsupport/real-host.js'

/** Runs a program that makes two calls, waits for neither, and ends like this. */
async function run(t, ending) {
    const collector = await startCollector()
    afterwards(t, () => collector.close())
    const source = `
        import { createTracker } from '@mobiletracker/bridge'
        const tracker = createTracker({ hostArguments: ${JSON.stringify(PATIENT)} })
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
            await collector.wait({ kind: 'event', count: 2, timeoutMs: WAIT_MS })
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

suite('a program', { skip: withoutHost }, () => {
    /** Runs a program that is initialised for a collector. */
    async function run(t, body) {
        const collector = await startCollector()
        afterwards(t, () => collector.close())
        const options = { hostArguments: ['--storage-dir', freshFolder(t), ...PATIENT], stderr: 'ignore' }
        const end = await runProgram(t, `
            import { createTracker } from '@mobiletracker/bridge'
            const tracker = createTracker(${JSON.stringify(options)})
            await tracker.init('925', { apiUrl: '${collector.url}', xApiKey: '${KEY}' })
            ${body}`)
        return { collector, ...end }
    }

    test('ends by itself, and what it tracked last arrives', async (t) => {
        const { collector, code, took } = await run(t, `for (let i = 0; i < 50; i++) tracker.track('E' + i)`)

        assert.equal(code, 0)
        // What was sent before the end has come. The program waits for 5 s at most; then the host goes on.
        if (took >= 5000) await collector.wait({ kind: 'event', count: 50, timeoutMs: WAIT_MS })
        assert.deepEqual(eventNames(collector), Array.from({ length: 50 }, (_, i) => `E${i}`))
    })

    test('ends by itself with nothing under way', async (t) => {
        const { code, collector } = await run(t, `
            tracker.on('session', () => {})
            await tracker.track('A')
            await tracker.flush()`)

        assert.equal(code, 0)
        assert.deepEqual(eventNames(collector), ['A'])
    })

    test('ends by itself while the backend is away', async (t) => {
        const collector = await startCollector()
        afterwards(t, () => collector.close())
        const options = { hostArguments: ['--storage-dir', freshFolder(t), ...PATIENT], stderr: 'ignore' }
        const track = (apiUrl, name) => runProgram(t, `
            import { createTracker } from '@mobiletracker/bridge'
            const tracker = createTracker(${JSON.stringify(options)})
            await tracker.init('925', { apiUrl: '${apiUrl}', xApiKey: '${KEY}', sessionCreation: 'inBackground' })
            console.log((await tracker.track('${name}')).status)`)

        // Nobody listens on this port.
        const away = await track('http://127.0.0.1:1', 'WHILE_AWAY')
        collector.faults('drop-before×1000')
        const failing = await track(collector.url, 'WHILE_FAILING')
        const missed = collector.received({ kind: 'event', accepted: true }).length
        collector.faults('')
        const back = await track(collector.url, 'LATER')

        assert.deepEqual([away, failing, back].map(({ code, stdout }) => [code, stdout.trim() !== '']), [
            [0, true], [0, true], [0, true],
        ])
        assert.equal(away.stdout, 'pending\n')
        assert.equal(missed, 0)
        await collector.wait({ kind: 'event', count: 3, timeoutMs: WAIT_MS })
        assert.deepEqual(eventNames(collector), ['WHILE_AWAY', 'WHILE_FAILING', 'LATER'])
    })

    test('whose init fails is told once, whether it handles that or not', async (t) => {
        const { code, stderr } = await run(t, `
            tracker.init('926', { apiUrl: 'http://127.0.0.1:1', xApiKey: 'key-1234' })
            await tracker.basic.initialize(null).catch(() => {})
            const loud = createTracker({ hostArguments: ['--storage-dir', '${freshFolder(t)}'] })
            loud.init('letters', { apiUrl: 'http://127.0.0.1:1', xApiKey: 'key-1234' })
            await loud.basic.initialize('key-1234', 'no URL').catch(() => {})
            await loud.track('A')
            await loud.shutdown()`)

        assert.equal(code, 0)
        assert.equal(stderr.match(/Brand ID must be a number/g)?.length, 1, stderr)
        assert.equal(stderr.match(/is initialized for brand 925/g)?.length, 1, stderr)
        assert.doesNotMatch(stderr, /Initialization failed|no URL/)
    })

    test('that exits at once leaves the rest to the host', async (t) => {
        const { code, collector } = await run(t, `
            for (let i = 0; i < 20; i++) tracker.track('E' + i)
            process.exit()`)

        assert.equal(code, 0)
        await collector.wait({ kind: 'event', count: 20, timeoutMs: WAIT_MS })
    })
})
