import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { FAKE_HOST, fakeTracker, freshFolder, inTime, readEndedLives } from '../testsupport/hosts.js'
import { runProgram } from '../testsupport/programs.js'

const config = { apiUrl: 'https://api.example.com', xApiKey: 'key' }
const error = { code: 1003, message: 'The backend answered 503', data: { code: 'SESSION_CREATION_FAILED', retryable: true } }

/** A host that finds no session, and dies after one more call. */
const FIRST = { errors: { init: error }, diesAt: 2, answersFirst: true }

/** The host after it: the `init` that is repeated finds no session either, as soon as this method was called. */
const second = (opensAt) => ({ gate: { method: 'init', opensAt, error } })

/** The events that a host got by `track`, and the methods of its other calls. */
const namesOf = (life) => life.map(({ method, params }) => method === 'track' ? params.eventName : method)

/** A tracker whose second host works on the repeated `init`. */
async function recovering(t, ...lives) {
    const fake = fakeTracker(t, FIRST, ...lives)
    await assert.rejects(fake.tracker.init('925', config), { code: 'SESSION_CREATION_FAILED' })
    await fake.tracker.track('A')
    await fake.tracker.track('B')
    return { ...fake, methods: (life) => namesOf(fake.lives()[life]) }
}

/** Runs a program with such a tracker to its end, and says what the second host got. */
async function runRecovering(t, life, body) {
    const folder = freshFolder(t)
    writeFileSync(join(folder, 'script.json'), JSON.stringify({ lives: [FIRST, life] }))
    const end = await runProgram(t, `
        import { createTracker } from '@mobiletracker/bridge'
        const tracker = createTracker(${JSON.stringify({ hostPath: FAKE_HOST, hostArguments: [folder] })})
        const config = ${JSON.stringify({ ...config, initTimeoutMs: 1 })}
        await tracker.init('925', config).catch(() => {})
        await tracker.track('A')
        ${body}`)
    const [, calls] = await readEndedLives(folder)
    return { ...end, calls: namesOf(calls) }
}

suite('while a new host works on the repeated init', () => {
    test('the next one waits for the end of that, and runs by itself; calls after it wait too', async (t) => {
        const { tracker, methods } = await recovering(t, second('host.subscribe'))

        const calls = [tracker.init('925', config), tracker.analytics.track('C'), tracker.track('D')]
        tracker.on('log', () => {}) // It is the link's own call, and opens the gate.
        await inTime(Promise.all(calls))

        assert.deepEqual(methods(1), ['init', 'B', 'host.subscribe', 'init', 'analytics.track', 'D'])
    })

    for (const [method, call] of [
        ['setCredentials', (tracker) => tracker.setCredentials('key-2')],
        ['setConsent', (tracker) => tracker.setConsent('denied')],
        ['reset', (tracker) => tracker.reset()],
        ['host.shutdown', (tracker) => tracker.shutdown()],
    ]) {
        test(`${method} does not wait, and nor does what was called before it`, async (t) => {
            const { tracker, methods } = await recovering(t, second(method))

            const initialized = tracker.init('925', config)
            const tracked = tracker.track('C')
            const called = call(tracker)
            await assert.rejects(inTime(initialized), { code: 'SESSION_CREATION_FAILED' })
            await inTime(Promise.all([tracked, called]))

            assert.deepEqual(methods(1), ['init', 'B', 'init', 'C', method])
        })
    }

    test('what waits goes to the next host if it dies, in its order', async (t) => {
        const { tracker, methods } = await recovering(t, { ...second('never'), diesAt: 3 }, {})

        const calls = [tracker.init('925', config), tracker.track('C')]
        tracker.on('log', () => {})
        await inTime(Promise.all(calls))

        assert.deepEqual(methods(1), ['init', 'B', 'host.subscribe'])
        assert.deepEqual(methods(2), ['init', 'host.subscribe', 'init', 'C'])
    })

    test('what waits is handed over if the program ends', async (t) => {
        const { code, calls } = await runRecovering(t, second('never'), `
            await tracker.track('B')
            tracker.init('925', config)
            tracker.track('C')
            process.on('exit', () => tracker.track('D'))
            process.exit()`)

        assert.equal(code, 0)
        assert.deepEqual(calls, ['init', 'B', 'init', 'C', 'D'])
    })

    test('what waits is handed over if the host does not answer, and the program ends by itself', async (t) => {
        const { code, stdout, stderr, calls } = await runRecovering(t, { silent: ['init', 'track', 'flush'] }, `
            tracker.init('925', config).catch(({ code }) => console.log(code))
            tracker.track('C')`)

        assert.equal(code, 0)
        assert.equal(stdout, 'HOST_EXITED\n')
        assert.match(stderr, /has not answered for 10 s, and 2 calls wait for it/)
        assert.deepEqual(calls, ['init', 'init', 'C'])
    })

    test('what waits, and the last host has not answered, is not overdue because of that one', async (t) => {
        const folder = freshFolder(t)
        const lives = [{ errors: { init: error }, diesAt: 2 }, second('host.subscribe')]
        writeFileSync(join(folder, 'script.json'), JSON.stringify({ lives }))
        const { code, stdout, stderr } = await runProgram(t, `
            import { setForward } from './testsupport/clock-ahead.js'
            import { createTracker } from '@mobiletracker/bridge'
            import { setImmediate as turn } from 'node:timers/promises'
            import { readLives } from './testsupport/hosts.js'
            const tracker = createTracker(${JSON.stringify({ hostPath: FAKE_HOST, hostArguments: [folder] })})
            const config = ${JSON.stringify(config)}
            await tracker.init('925', config).catch(() => {})
            const calls = [tracker.init('925', config), tracker.track('C')]
            while (!readLives(${JSON.stringify(folder)})[1]?.length) await turn()
            setForward(11_000)
            tracker.on('log', () => {})
            await Promise.all(calls)
            console.log('answered')`)
        const [, calls] = await readEndedLives(folder)

        assert.deepEqual([code, stdout], [0, 'answered\n'], stderr)
        assert.doesNotMatch(stderr, /has not answered/)
        assert.deepEqual(namesOf(calls), ['init', 'host.subscribe', 'init', 'C', 'flush'])
    })
})
