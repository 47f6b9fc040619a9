import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startCollector } from '@mobiletracker/bridge/collector'
import { findHost } from '../src/client/finder.js'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { run, runProgram } from '../testsupport/programs.js'
import { against, exampleIn } from '../testsupport/readme.js'
import { eventNames, patientHost, problemsOf, WAIT_MS, withoutHost } from '../testsupport/real-host.js'

const PYTHON = fileURLToPath(new URL('../../Examples/track.py', import.meta.url))
const RUBY = fileURLToPath(new URL('../../Examples/track.rb', import.meta.url))
const withoutRuby = spawnSync('ruby', ['--version']).error ? 'there is no ruby here' : false
const PAGE = new URL('../README.md', import.meta.url)
const FRONT_PAGE = new URL('../../../README.md', import.meta.url)
const COMPILED = new URL('../../../Tests/Examples/ReadmeExample.swift', import.meta.url)

/** A backend, and an environment with a state folder of its own. */
async function surroundings(t) {
    const collector = await startCollector()
    afterwards(t, () => collector.close())
    return { collector, env: { XDG_STATE_HOME: freshFolder(t), MOBILE_TRACKER_HOST: patientHost(t) } }
}

suite('the example', () => {
    test('in Python tracks with the standard library alone', { skip: withoutHost }, async (t) => {
        const { collector, env } = await surroundings(t)
        const words = ['-I', '-S', PYTHON, findHost(), collector.url, 'python-key-12345']

        const { code, stdout, stderr } = await run(t, 'python3', words, { env: { ...process.env, ...env } })

        assert.equal(code, 0, stderr)
        assert.match(stdout, /^\{'status': 'queued', 'messageId': '[^']+'\}\n\{'delivered': \d, 'remaining': 0\}\n$/)
        const [{ body }] = collector.received({ kind: 'event' })
        assert.equal(body.event_name, 'PURCHASE')
        assert.deepEqual(body.data, { total: 149.99, flow_id: 'checkout_v2' })
        assert.deepEqual(problemsOf(collector), [])
    })

    test('in Python says what went wrong', { skip: withoutHost }, async (t) => {
        const { env } = await surroundings(t)
        const words = ['-I', '-S', PYTHON, findHost(), 'no url', 'python-key-12345']

        const { code, stderr } = await run(t, 'python3', words, { env: { ...process.env, ...env } })

        assert.equal(code, 1)
        assert.match(stderr, /^init: Invalid configuration: 'apiUrl'/m)
        assert.doesNotMatch(stderr, /Traceback/)
    })

    for (const [name, program, path] of [['Python', 'python3', PYTHON], ['Ruby', 'ruby', RUBY]]) {
        test(`in ${name} says what to give`, { skip: name === 'Ruby' && withoutRuby }, async (t) => {
            for (const words of [[], [findHost()], ['/no/host', 'http://127.0.0.1:8123', 'any-key']]) {
                const { code, stderr } = await run(t, program, [path, ...words])

                assert.equal(code, 1)
                assert.match(stderr, /^Usage: \S+ track\.\w+ HOST API_URL KEY, where HOST is .*\n$/)
            }
        })
    }

    test('in Python is short', () => {
        assert.ok(readFileSync(PYTHON, 'utf8').trimEnd().split('\n').length <= 40)
    })

    test('in Ruby tracks with the standard library alone', { skip: withoutHost || withoutRuby }, async (t) => {
        const { collector, env } = await surroundings(t)
        const words = ['--disable-gems', RUBY, findHost(), collector.url, 'ruby-key-12345']

        const { code, stdout, stderr } = await run(t, 'ruby', words, { env: { ...process.env, ...env } })

        assert.equal(code, 0, stderr)
        assert.match(stdout, /^\{"status":"queued","messageId":"[^"]+"\}\n\{"delivered":\d,"remaining":0\}\n$/)
        const [{ body }] = collector.received({ kind: 'event' })
        assert.equal(body.event_name, 'PURCHASE')
        assert.deepEqual(body.data, { total: 149.99, flow_id: 'checkout_v2' })
        assert.deepEqual(problemsOf(collector), [])
    })

    test('in Ruby says what went wrong', { skip: withoutHost || withoutRuby }, async (t) => {
        const { env } = await surroundings(t)
        const words = ['--disable-gems', RUBY, findHost(), 'no url', 'ruby-key-12345']

        const { code, stderr } = await run(t, 'ruby', words, { env: { ...process.env, ...env } })

        assert.equal(code, 1)
        assert.match(stderr, /^init: Invalid configuration: 'apiUrl'/m)
        assert.doesNotMatch(stderr, /RuntimeError/)
    })

    const pages = [
        ['package\'s page', PAGE, 0, ['PURCHASE']],
        ['front page, for a service,', FRONT_PAGE, 0, ['customer-17', 'customer-18']],
        ['front page, for an app,', FRONT_PAGE, 1, ['PURCHASE']],
        ['front page, for a command,', FRONT_PAGE, 2, ['customer-17']],
    ]
    for (const [name, page, number, expected] of pages) {
        test(`in Node on the ${name} does what it says`, { skip: withoutHost }, async (t) => {
            const { collector, env } = await surroundings(t)

            const { code, stderr } = await runProgram(t, against(collector.url, exampleIn(page, 'js', number)), { env })

            assert.equal(code, 0, stderr)
            await collector.wait({ type: ['event', 'track'], count: expected.length, timeoutMs: WAIT_MS })
            const users = collector.received({ kind: 'batch', accepted: true, repeats: false })
                .flatMap(({ body }) => body.batch.map(({ userId }) => userId))
            assert.deepEqual([...eventNames(collector), ...users.sort()], expected)
            assert.deepEqual(problemsOf(collector), [])
        })
    }

    test('in Swift for an app on the front page is the one that is compiled', () => {
        const lines = exampleIn(FRONT_PAGE, 'swift', 1).split('\n').map((line) => line.trim()).filter(Boolean)
        const compiled = readFileSync(COMPILED, 'utf8').split('\n').map((line) => line.trim())

        assert.deepEqual(lines.filter((line) => !compiled.includes(line)), [])
    })
})
