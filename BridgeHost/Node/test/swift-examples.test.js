import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startCollector } from '@mobiletracker/bridge/collector'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { run } from '../testsupport/programs.js'
import { eventNames, problemsOf } from '../testsupport/real-host.js'

const program = (name) => fileURLToPath(new URL(`../../../.build/debug/${name}Example`, import.meta.url))
const isMissing = existsSync(program('CommandLine')) ? false : 'the Swift examples are not built'

/** An address where nobody listens. */
const NOBODY = 'http://127.0.0.1:1'

/** Runs an example, with a state folder and an input of its own. */
function runExample(t, name, words, { env = {}, input = '' } = {}) {
    const state = { XDG_STATE_HOME: freshFolder(t), HOME: freshFolder(t), PATH: process.env.PATH }
    return run(t, program(name), words, { env: { ...state, ...env }, input })
}

async function collecting(t) {
    const collector = await startCollector()
    afterwards(t, () => collector.close())
    return collector
}

suite('the Swift example', { skip: isMissing }, () => {
    test('of TrackerStorage alone keeps texts from one process to the next', async (t) => {
        const folder = freshFolder(t)

        const first = await runExample(t, 'Outbox', [folder, 'first', 'second'])
        const second = await runExample(t, 'Outbox', [folder])
        const third = await runExample(t, 'Outbox', [folder])

        assert.match(first.stdout, /^queued first as \S+; 1 wait\nqueued second as \S+; 2 wait\n$/)
        assert.equal(second.stdout, '1 first\n2 second\n0 wait\n')
        assert.equal(third.stdout, '0 wait\n')
        assert.deepEqual([first.code, second.code, third.code], [0, 0, 0])
    })

    test('of TrackerStorage alone says why a folder cannot be used', async (t) => {
        const path = join(freshFolder(t), 'file')
        writeFileSync(path, '')

        const { code, stdout } = await runExample(t, 'Outbox', [path, 'text'])

        assert.equal(code, 1)
        assert.ok(stdout.includes(path), stdout)
    })

    test('of TrackerNetworking alone sends a request and shows the answer', async (t) => {
        const collector = await collecting(t)

        const { code, stdout } = await runExample(t, 'Exchange', [collector.url])

        const [{ path, made, headers, problems }] = collector.received()
        assert.equal(code, 0)
        assert.equal(path, '/v2/tracking-session')
        assert.equal(stdout, `200 {"data":{"id":"${made}"}}\n`)
        assert.equal(headers['user-agent'], 'exchange-example/1.0')
        assert.deepEqual(problems.filter((problem) => !problem.startsWith('User-Agent')), [])
    })

    test('of TrackerNetworking alone says why there is no answer', async (t) => {
        const { code, stdout } = await runExample(t, 'Exchange', [NOBODY])

        assert.equal(code, 1)
        assert.match(stdout, /^Cannot connect to 127\.0\.0\.1:\d+ \(/)
    })

    test('of TrackerModels alone keeps numbers and order, and names what is wrong', async (t) => {
        const input = '{"b": 1.0, "a": 12345678901234567890}\n[1]\n{"x": 01}\n'

        const { code, stdout } = await runExample(t, 'Values', [], { input })

        assert.equal(code, 0)
        assert.deepEqual(stdout.split('\n'), [
            '{"b":1.0,"a":12345678901234567890,"line":1}',
            'line 2 is no object',
            'line 3 is no JSON: The text is not JSON: there is a malformed number at byte 7.',
            'order-4711 is a message id',
            'a line break is in no message id',
            '',
        ])
    })

    test('of a server\'s loop reports each request as its user\'s', async (t) => {
        const collector = await collecting(t)
        const input = 'ada /\nbob /cart\nnonsense\nada /paid\n'

        const { code, stdout } = await runExample(t, 'Server', [], { env: { MOBILE_TRACKER_API_URL: collector.url }, input })

        assert.equal(code, 0)
        assert.match(stdout, /^200 \/\n200 \/cart\n400 nonsense\n200 \/paid\n\d delivered, 0 wait\n$/)
        const events = collector.received({ kind: 'batch' }).flatMap(({ body }) => body.batch)
        assert.deepEqual(events.map(({ event, userId, properties }) => [event, userId, properties]), [
            ['Request Answered', 'ada', { path: '/' }],
            ['Request Answered', 'bob', { path: '/cart' }],
            ['Request Answered', 'ada', { path: '/paid' }],
        ])
        assert.deepEqual(problemsOf(collector), [])
    })

    test('of a server\'s loop says what is wrong with its address', async (t) => {
        const { code, stdout } = await runExample(t, 'Server', [], { env: { MOBILE_TRACKER_API_URL: 'nonsense' } })

        assert.equal(code, 78)
        assert.match(stdout, /The URL is not absolute/)
    })

    test('of a command-line program tracks its run and ends as its work did', async (t) => {
        const collector = await collecting(t)
        const folder = freshFolder(t)
        const env = { MOBILE_TRACKER_API_URL: collector.url, XDG_STATE_HOME: folder }
        const text = join(folder, 'text')
        writeFileSync(text, 'three short words\n')

        const good = await runExample(t, 'CommandLine', [text], { env })
        const bad = await runExample(t, 'CommandLine', [text, '/nowhere'], { env })

        assert.match(good.stdout, /^3 words in 1 files\n(queued|pending)\(.*\)\n\d delivered, 0 wait\n$/)
        assert.match(bad.stdout, /^3 words in 1 files\n\/nowhere cannot be read\n(queued|pending)\(.*\)\n\d delivered, 0 wait\n$/)
        assert.deepEqual([good.code, bad.code], [0, 1])
        assert.deepEqual(eventNames(collector), ['COMMAND_RUN', 'COMMAND_RUN'])
        assert.deepEqual(collector.received({ kind: 'event' }).map(({ body: { data } }) => data), [
            { files: 1, words: 3, failed: false }, { files: 2, words: 3, failed: true },
        ])
        assert.deepEqual(problemsOf(collector), [])
    })

    test('of a command-line program does its work while the backend is away', async (t) => {
        const folder = freshFolder(t)
        writeFileSync(join(folder, 'text'), 'two words')

        const { code, stdout } = await runExample(t, 'CommandLine', [join(folder, 'text')], {
            env: { MOBILE_TRACKER_API_URL: NOBODY },
        })

        assert.equal(code, 0)
        assert.match(stdout, /^2 words in 1 files\npending\(.*\)\n0 delivered, 1 wait\n$/)
    })
})
