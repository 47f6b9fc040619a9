import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startCollector } from '@mobiletracker/bridge/collector'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { run, runFile } from '../testsupport/programs.js'
import { eventNames, patientHost, problemsOf, withoutHost } from '../testsupport/real-host.js'

const example = (name) => fileURLToPath(new URL(`../examples/${name}`, import.meta.url))

/** A backend, and an environment in which the examples send there. */
async function surroundings(t) {
    const collector = await startCollector()
    afterwards(t, () => collector.close())
    const env = {
        MOBILE_TRACKER_API_URL: collector.url, MOBILE_TRACKER_HOST: patientHost(t), XDG_STATE_HOME: freshFolder(t),
    }
    return { collector, env }
}

suite('the Node example', { skip: withoutHost }, () => {
    test('of a service reports each request as its user\'s, and ends at SIGTERM with everything sent', async (t) => {
        const { collector, env } = await surroundings(t)
        const child = spawn(process.execPath, [example('service.js')], { env: { ...process.env, ...env } })
        const guard = setTimeout(() => child.kill('SIGKILL'), 60_000)
        t.after(() => {
            clearTimeout(guard)
            child.kill('SIGKILL')
        })
        const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
        const [, url] = /^listening at (.*)$/.exec((await lines.next()).value)

        const statuses = []
        for (const [path, user] of [['/', 'ada'], ['/nowhere', 'bob'], ['/', null]]) {
            const { status } = await fetch(url + path, { headers: user ? { 'x-user': user } : {} })
            statuses.push(status)
        }
        child.kill('SIGTERM')
        const last = (await lines.next()).value
        const [code] = await once(child, 'close')

        assert.deepEqual(statuses, [200, 404, 200])
        assert.match(last, /^\d delivered, 0 wait$/)
        assert.equal(code, 0)
        const events = collector.received({ kind: 'batch' }).flatMap(({ body }) => body.batch)
        assert.deepEqual(events.map(({ event, userId, properties: { path, status } }) => [event, userId, path, status]), [
            ['Request Answered', 'ada', '/', 200],
            ['Request Answered', 'bob', '/nowhere', 404],
            ['Request Answered', undefined, '/', 200],
        ])
        assert.deepEqual(events.map(({ anonymousId }) => typeof anonymousId), ['undefined', 'undefined', 'string'])
        assert.deepEqual(problemsOf(collector), [])
    })

    test('of a service says what to give', async (t) => {
        const { env } = await surroundings(t)

        for (const port of ['abc', '70000']) {
            const { code, stderr } = await run(t, process.execPath, [example('service.js'), port], { env: { ...process.env, ...env } })

            assert.equal(code, 64)
            assert.match(stderr, /^Usage: node examples\/service\.js \[PORT\] /)
        }
    })

    test('of an Electron window tracks each page once', async (t) => {
        const { collector, env } = await surroundings(t)

        const { code, stdout, stderr } = await runFile(t, example('navigation.js'), { env })

        assert.equal(code, 0, stderr)
        assert.match(stdout, /^\d delivered, 0 wait\n$/)
        assert.deepEqual(eventNames(collector), ['VIEW_PAGE', 'VIEW_PAGE', 'VIEW_PAGE'])
        assert.deepEqual(collector.received({ kind: 'event' }).map(({ body: { data: { screen, url } } }) => [screen, url]), [
            ['Shop', 'https://shop.example/'], ['Cart', 'https://shop.example/cart'],
            ['Thank you', 'https://shop.example/paid'],
        ])
        assert.deepEqual(problemsOf(collector), [])
    })
})
