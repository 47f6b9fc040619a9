import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { FAKE_HOST, freshFolder, readEndedLives } from '../testsupport/hosts.js'
import { runProgram } from '../testsupport/programs.js'

/** Runs a program that has a tracker with a stand-in for the host. */
async function run(t, body, life = {}, options) {
    const folder = freshFolder(t)
    writeFileSync(join(folder, 'script.json'), JSON.stringify({ lives: [life] }))
    const source = `
        import { createTracker } from '@mobiletracker/bridge'
        const tracker = createTracker(${JSON.stringify({ hostPath: FAKE_HOST, hostArguments: [folder] })})
        const config = { apiUrl: 'https://api.example.com', xApiKey: 'key' }
        ${body}`
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

    test('and passes the host\'s log on, whether anybody reads it or not', async (t) => {
        const body = `
            for (let i = 0; i < 20; i++) await tracker.track('A')
            console.log('done')`
        const heard = await run(t, body, { log: 'Careful.\n' })
        const unheard = await run(t, body, { log: 'Careful.\n' }, { isHeard: false })

        assert.deepEqual([heard.code, heard.stdout, heard.stderr], [0, 'done\n', 'Careful.\n'.repeat(20)])
        assert.deepEqual([unheard.code, unheard.stdout], [0, 'done\n'])
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
})
