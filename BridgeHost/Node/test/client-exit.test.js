import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { FAKE_HOST, freshFolder, readEndedLives } from '../testsupport/hosts.js'
import { run as runCommand, runProgram } from '../testsupport/programs.js'
import { withoutHost } from '../testsupport/real-host.js'

/** Runs a program that has a tracker with a stand-in for the host. */
async function run(t, body, life = {}, options) {
    const folder = freshFolder(t)
    writeFileSync(join(folder, 'script.json'), JSON.stringify({ lives: [life] }))
    const source = `
        import { createTracker } from '@mobiletracker/bridge'
        const tracker = createTracker(${JSON.stringify({ hostPath: FAKE_HOST, hostArguments: [folder] })})
        const config = { apiUrl: 'https://api.example.com', xApiKey: 'key' }
        ${body.replace('FOLDER', folder)}`
    const end = await runProgram(t, source, options)
    return { ...end, lives: () => methodsOf(folder) }
}

async function methodsOf(folder) {
    return (await readEndedLives(folder)).map((life) => life.map(({ method }) => method))
}

suite('a program ends by itself', () => {
    test('when all its calls are answered', async (t) => {
        const { code, lives } = await run(t, `await tracker.track('A')`)

        assert.equal(code, 0)
        assert.deepEqual(await lives(), [['track']])
    })

    test('but not before they are, also if they are not awaited', async (t) => {
        const { code, stdout, lives } = await run(t, `tracker.track('A').then(() => console.log('answered'))`)

        assert.equal(code, 0)
        assert.equal(stdout, 'answered\n')
        assert.deepEqual(await lives(), [['track']])
    })

    test('when its only call was too large for the host', async (t) => {
        const { code, stdout, lives } = await run(t, `
            tracker.track('A', { text: 'x'.repeat(1000) }).then(({ reason }) => console.log(reason))`, { maxMessageBytes: 1000 })

        assert.equal(code, 0)
        assert.equal(stdout, 'TOO_LARGE\n')
        assert.deepEqual(await lives(), [[]])
    })

    test('with many calls in flight and a listener', async (t) => {
        const { code, stdout } = await run(t, `
            tracker.on('log', () => {})
            let answered = 0
            for (let i = 0; i < 20000; i++) tracker.track('A', { i, text: 'x'.repeat(300) }).then(() => answered++)
            process.on('exit', () => console.log(answered))`)

        assert.equal(code, 0)
        assert.equal(stdout, '20000\n')
    })

    test('when nothing was ever called', async (t) => {
        const { code } = await run(t, `tracker.on('session', () => {})`)

        assert.equal(code, 0)
    })

    test('and has kept nothing of a tracker that was shut down', { skip: withoutHost }, async (t) => {
        const { code, stdout, stderr } = await runProgram(t, `
            import { createTracker } from '@mobiletracker/bridge'
            import { setTimeout as moment } from 'node:timers/promises'
            import { setFlagsFromString } from 'node:v8'
            import { runInNewContext } from 'node:vm'
            setFlagsFromString('--expose-gc')
            const collectGarbage = runInNewContext('gc')
            async function use() {
                const logger = { warn() {} }
                const tracker = createTracker({ logger, hostArguments: ['--storage-dir', ${JSON.stringify(freshFolder(t))}] })
                tracker.on('diagnostic', () => logger)
                await tracker.track("A")
                await tracker.shutdown()
                return new WeakRef(logger)
            }
            const used = await use()
            // A timer of its host's may still hold it for a moment.
            while (used.deref()) {
                await moment(50)
                collectGarbage()
            }
            console.log('gone')`)

        assert.deepEqual([code, stdout], [0, 'gone\n'], stderr)
    })

    test('and passes the host\'s log on, whether anybody reads it or not', async (t) => {
        const body = `
            for (let i = 0; i < 20; i++) await tracker.track('A')
            console.log('done')`
        const heard = await run(t, body, { log: 'Careful.\n' })
        const unheard = await run(t, body, { log: 'Careful.\n' }, { isHeard: false })

        assert.deepEqual([heard.code, heard.stdout, heard.stderr], [0, 'done\n', 'Careful.\n'.repeat(20)])
        assert.deepEqual([unheard.code, unheard.stdout], [0, 'done\n'])
    })

    test('with a stderr that is closed, whose errors its own listener still gets', { skip: withoutHost }, async (t) => {
        const body = (own) => `
            import { createTestTracker } from '@mobiletracker/bridge/testing'
            const tracker = createTestTracker()
            ${own}
            for (let i = 0; i < 5; i++) await tracker.track('')
            await tracker.shutdown()
            console.log('done')`
        const without = await runProgram(t, body(''), { isHeard: false })
        const listening = await runProgram(t, body(`process.stderr.once('error', ({ code }) => console.log(code))`), { isHeard: false })

        assert.deepEqual([without.code, without.stdout], [0, 'done\n'])
        assert.deepEqual([listening.code, listening.stdout], [0, 'EPIPE\ndone\n'])
    })

    test('after a shutdown', async (t) => {
        const { code, lives } = await run(t, `tracker.track('A'); await tracker.shutdown()`)

        assert.equal(code, 0)
        assert.deepEqual(await lives(), [['track', 'host.shutdown']])
    })

    test('when the host has died and a call waits for the next', async (t) => {
        const { code, stdout } = await run(t, `
            tracker.track('A').catch((error) => console.log(error.code))`, { diesAt: 1 })

        assert.equal(code, 0)
        assert.equal(stdout, 'HOST_EXITED\n')
    })

    test('when an init that is not awaited fails', async (t) => {
        const { code } = await run(t, `tracker.init('x', config)`, {
            errors: { init: { code: 1001, message: 'Brand ID must be a number', data: { code: 'INVALID_BRAND_ID' } } },
        })

        assert.equal(code, 0)
    })
})

suite('before the program ends', () => {
    test('what is left is sent, once, by all three clients', async (t) => {
        const { code, lives } = await run(t, `
            await tracker.init('925', config)
            await tracker.analytics.initialize({ writeKey: 'w', ingestionHost: 'https://i.example.com' })
            await tracker.basic.initialize('key', 'https://b.example.com')
            tracker.track('A')`)

        assert.equal(code, 0)
        const [calls] = await lives()
        assert.deepEqual(calls.slice(0, 4), ['init', 'analytics.initialize', 'basic.initialize', 'track'])
        assert.deepEqual(calls.slice(4), ['flush', 'analytics.flush', 'basic.flush'])
    })

    test('it is sent again if the program finds more to do', async (t) => {
        const { code, lives } = await run(t, `
            await tracker.init('925', config)
            process.once('beforeExit', () => tracker.track('LAST'))`)

        assert.equal(code, 0)
        assert.deepEqual(await lives(), [['init', 'flush', 'track', 'flush']])
    })

    test('nothing is sent for a client that is not initialized', async (t) => {
        const { code, lives } = await run(t, `await tracker.track('A')`)

        assert.equal(code, 0)
        assert.deepEqual(await lives(), [['track']])
    })

    test('calls of its last tick are handed over, also by process.exit', async (t) => {
        const { code, lives } = await run(t, `
            await tracker.init('925', config)
            tracker.track('LAST')
            process.exit()`)

        assert.equal(code, 0)
        assert.deepEqual(await lives(), [['init', 'track']])
    })

    const LOST = /^\[MobileTracker\] The program ended before the host had received (1(?= call:)|(?!1 )[\d,]+(?= calls:)) calls?: what it has not received is lost\. Await shutdown\(\) before process\.exit\(\)\.$/gm
    const lostOf = (stderr) => [...stderr.matchAll(LOST)].map(([, count]) => Number(count.replace(',', '')))

    for (const [end, code] of [['process.exit(3)', 3], ['throw new Error("This is meant")', 1]]) {
        test(`by ${end} before the host has started, one line says how many calls are lost`, async (t) => {
            const ended = await run(t, `
                tracker.init('925', config)
                tracker.track('A')
                tracker.analytics.identify('u1')
                ${end}`)

            assert.equal(ended.code, code)
            assert.deepEqual(lostOf(ended.stderr), [2])
        })
    }

    test('by process.exit before a shutdown is done, the calls behind it are counted, and not those before it', async (t) => {
        const { stderr, lives } = await run(t, `
            await tracker.init('925', config)
            tracker.track('BEFORE')
            tracker.shutdown()
            tracker.init('925', config)
            tracker.track('A')
            tracker.analytics.identify('u1')
            process.exit()`)

        assert.deepEqual(lostOf(stderr), [2])
        assert.deepEqual(await lives(), [['init', 'track', 'host.shutdown']])
    })

    test('by process.exit after more than a pipe takes, the calls that are lost are counted exactly', async (t) => {
        const { stderr, lives } = await run(t, `
            await tracker.init('925', config)
            for (let i = 0; i < 3000; i++) tracker.track('A', { text: 'x'.repeat(500) })
            process.exit()`, { pauseEvery: 4096 })

        const [calls] = await lives()
        const [lost = 0] = lostOf(stderr)
        assert.ok(lost > 0)
        assert.equal(calls.filter((method) => method === 'track').length + lost, 3000)
    })

    test('exit listeners still track, whether they were added before the first call or after it', async (t) => {
        const { stderr, lives } = await run(t, `
            process.on('exit', () => void tracker.track('FIRST'))
            await tracker.init('925', config)
            process.on('exit', () => void tracker.track('SECOND'))
            setTimeout(() => process.exit(), 1)
            await new Promise(() => {})`)

        assert.deepEqual(await lives(), [['init', 'track', 'track']])
        assert.deepEqual(lostOf(stderr), [])
    })

    test('an exit listener that makes the very first call is told that it is lost', async (t) => {
        const { stderr } = await run(t, `process.on('exit', () => void tracker.track('ONLY'))`)

        assert.deepEqual(lostOf(stderr), [1])
    })
})

suite('a program that has used up its file descriptors', () => {
    /** Runs a program that holds all descriptors for as long. */
    async function runWithout(t, body, life) {
        const folder = freshFolder(t)
        writeFileSync(join(folder, 'script.json'), JSON.stringify({ lives: [life] }))
        writeFileSync(join(folder, 'program.mjs'), `
            import { closeSync, openSync } from 'node:fs'
            import { createTracker } from '${new URL('../src/client/index.js', import.meta.url)}'
            import { readPid } from '${new URL('../testsupport/hosts.js', import.meta.url)}'
            const tracker = createTracker(${JSON.stringify({ hostPath: FAKE_HOST, hostArguments: [folder] })})
            const config = { apiUrl: 'https://api.example.com', xApiKey: 'key' }
            const holdDescriptors = () => {
                const held = []
                try {
                    for (;;) held.push(openSync('/dev/null'))
                } catch {
                    return () => held.forEach((each) => closeSync(each))
                }
            }
            ${body}`)
        const script = `ulimit -n 128; exec ${process.execPath} ${join(folder, 'program.mjs')}`
        return { ...await runCommand(t, '/bin/sh', ['-c', script]), folder }
    }

    test('at the start, keeps its calls until the host can be started', async (t) => {
        const { code, stdout, stderr, folder } = await runWithout(t, `
            const release = holdDescriptors()
            setTimeout(release, 400)
            const calls = [tracker.init('925', config), tracker.track('A'), tracker.track('B')]
            console.log((await Promise.all(calls)).slice(1).map(({ status }) => status).join())`, {})

        assert.equal(code, 0, stderr)
        assert.equal(stdout, 'queued,queued\n')
        assert.match(stderr, /^\[MobileTracker\] The host cannot be started now \(.*EMFILE.*\)\. This is tried again; calls wait\.\n$/)
        assert.deepEqual(await methodsOf(folder), [['init', 'track', 'track', 'flush']])
    })

    test('at a restart, keeps its calls until the host can be started', async (t) => {
        const { code, stdout, stderr } = await runWithout(t, `
            await tracker.init('925', config)
            const host = readPid(process.argv[1].replace('/program.mjs', ''))
            const release = holdDescriptors()
            setTimeout(release, 400)
            process.kill(host, 'SIGKILL')
            console.log((await tracker.track('A')).status)`, {})

        assert.equal(code, 0, stderr)
        assert.equal(stdout, 'queued\n')
    })
})

suite('a program with a host that does not answer', { concurrency: true }, () => {
    test('ends by itself, and its calls reject', async (t) => {
        const { code, stdout, stderr, took } = await run(t, `
            await tracker.init('925', config)
            tracker.track('A').catch(({ code }) => console.log(code))`, { silent: ['track', 'flush'] })

        assert.equal(code, 0)
        assert.equal(stdout, 'HOST_EXITED\n')
        assert.match(stderr, /The host \(process \d+\) has not answered for 10 s, and 1 call waits for it: it was stopped, or its disk does not answer\./)
        assert.ok(took < 60_000, String(took))
    })

    test('and a flush at its end, ends by itself', async (t) => {
        const { code, lives } = await run(t, `await tracker.init('925', config)`, { silent: ['flush'] })

        assert.equal(code, 0)
        assert.deepEqual(await lives(), [['init', 'flush']])
    })

    test('is told so, and goes on if it answers after all', async (t) => {
        const { code, stdout, stderr } = await run(t, `
            import { readPid } from './testsupport/hosts.js'
            await tracker.init('925', config)
            const [host, goOn] = [readPid('FOLDER'), setInterval(() => {}, 1000)]
            const { warn } = console
            console.warn = (text) => {
                warn(text)
                if (text.includes('has not answered')) process.kill(host, 'SIGCONT')
            }
            process.kill(host, 'SIGSTOP')
            console.log((await tracker.track('A')).status)
            clearInterval(goOn)`)

        assert.equal(code, 0, stderr)
        assert.equal(stdout, 'queued\n')
    })

    test('and reads nothing, ends by itself', async (t) => {
        const { code, stdout } = await run(t, `
            import { readPid } from './testsupport/hosts.js'
            await tracker.init('925', config)
            const host = readPid('FOLDER')
            process.kill(host, 'SIGSTOP')
            const calls = Array.from({ length: 5000 }, () => tracker.track('A', { text: 'x'.repeat(500) }))
            const ends = await Promise.allSettled(calls)
            console.log(new Set(ends.map(({ reason }) => reason?.code)))
            process.kill(host, 'SIGCONT')`)

        assert.equal(code, 0)
        assert.equal(stdout, "Set(1) { 'HOST_EXITED' }\n")
    })

    test('and reads nothing for a while, gets its calls once it goes on', async (t) => {
        const { code, stdout, stderr } = await run(t, `
            import { readPid } from './testsupport/hosts.js'
            await tracker.init('925', config)
            const [host, goOn] = [readPid('FOLDER'), setInterval(() => {}, 1000)]
            const { warn } = console
            console.warn = (text) => {
                warn(text)
                if (text.includes('has not answered')) process.kill(host, 'SIGCONT')
            }
            process.kill(host, 'SIGSTOP')
            const calls = Array.from({ length: 5000 }, () => tracker.track('A', { text: 'x'.repeat(500) }))
            console.log(new Set((await Promise.all(calls)).map(({ status }) => status)))
            clearInterval(goOn)`)

        assert.equal(code, 0, stderr)
        assert.equal(stdout, "Set(1) { 'queued' }\n")
    })

    test('ends in time by shutdown', async (t) => {
        const { code, stdout, took } = await run(t, `
            await tracker.init('925', config)
            const call = tracker.track('A').catch(({ code }) => console.log(code))
            await tracker.shutdown()
            await call`, { silent: ['track', 'host.shutdown'] })

        assert.equal(code, 0)
        assert.equal(stdout, 'HOST_EXITED\n')
        assert.ok(took < 60_000, String(took))
    })
})

test('an async listener that rejects, or a logger, does not end the program', async (t) => {
    const { code, stderr } = await run(t, `
        const no = async () => { throw new Error('no') }
        const heard = new Promise((resolve) => tracker.on('session', (session) => resolve(session)))
        tracker.on('session', no)
        await tracker.init('925', config)
        await heard
        await tracker.init('925', { ...config, logger: { warn: no } })
        await tracker.track(17)
        await tracker.track('A')`, { notifications: [['session', { sessionId: 's' }]] })

    assert.equal(code, 0, stderr)
    assert.match(stderr, /A listener to session failed: Error at /)
})
