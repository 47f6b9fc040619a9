import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { runCommand, startCommand } from '../testsupport/commands.js'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { send } from '../testsupport/http.js'
import { sample } from '../testsupport/samples.js'

/** What was recorded of a session, an event in it and a batch. */
async function recorded(t) {
    const path = join(freshFolder(t), 'run.jsonl')
    const { child, line, ended } = startCommand(t, 'collect', '--port', '0', '--record', path)
    const [, url] = /(http:\/\/[\d.:]+)/.exec(await line())
    const session = (await send(url, sample('session'))).json.data.id
    const { body } = sample('event')
    await send(url, { ...sample('event'), body: { ...body, session_id: session } })
    await send(url, { ...sample('location'), path: `/v2/tracking-session/${session}/location` })
    await send(url, { ...sample('batch'), gzip: true })
    child.kill('SIGTERM')
    assert.equal(await ended, 0)
    return { path, session }
}

async function fresh(t, options) {
    const collector = await startCollector(options)
    afterwards(t, () => collector.close())
    return collector
}

suite('a recording', () => {
    test('holds what came, a line each, with its keys masked, for its owner alone', async (t) => {
        const { path, session } = await recorded(t)
        const lines = readFileSync(path, 'utf8').trim().split('\n').map((line) => JSON.parse(line))

        assert.deepEqual(lines.map(({ method, path: sent }) => `${method} ${sent}`), [
            'POST /v2/tracking-session', 'POST /v2/tracking-session-data', `PUT /v2/tracking-session/${session}/location`, 'POST /v1/batch',
        ])
        assert.equal(lines[0].session, session)
        assert.equal(lines[1].headers['x-api-key'], '************5678')
        assert.equal(JSON.parse(lines[1].body).event_name, 'PURCHASE')
        assert.ok(!readFileSync(path, 'utf8').includes('write-key-1234'))
        assert.equal(statSync(path).mode & 0o777, 0o600)
    })

    test('is sent again in its order, in the session that the other backend makes', async (t) => {
        const { path, session } = await recorded(t)
        const collector = await fresh(t)
        const { status, out } = await runCommand(t, 'replay', path, '--to', `${collector.url}/eu`, '--key', 'other-key-12345678')

        assert.equal(status, 0)
        assert.equal(out.split('\n').at(-1), '4 sent: 4 × 200.')
        const records = collector.received()
        const [{ made }, event, location] = records
        assert.notEqual(made, session)
        assert.deepEqual([event.body.session_id, location.path], [made, `/eu/v2/tracking-session/${made}/location`])
        assert.deepEqual(records.map(({ kind }) => kind), ['session', 'event', 'location', 'batch'])
        assert.deepEqual(records.flatMap(({ problems }) => problems), [])
    })

    test('that the other backend refuses ends with 1', async (t) => {
        const { path } = await recorded(t)
        const collector = await fresh(t, { faults: '200,500' })
        const { status, out } = await runCommand(t, 'replay', path, '--to', collector.url)

        assert.equal(status, 1)
        assert.equal(out.split('\n').at(-1), '4 sent: 3 × 200, 1 × 500.')
    })

    test('that cannot be written is no recording', async (t) => {
        const { status, errors } = await runCommand(t, 'collect', '--port', '0', '--record', '/nowhere/run.jsonl')

        assert.equal(status, 1)
        assert.match(errors, /^mobile-tracker: \/nowhere\/run\.jsonl cannot be written: ENOENT/)
    })
})

suite('mobile-tracker replay', () => {
    for (const [what, words, status, reason] of [
        ['nothing', [], 64, /needs FILE/],
        ['no address', ['run.jsonl'], 64, /needs --to <url>/],
        ['a bad address', ['run.jsonl', '--to', 'ftp://x'], 64, /--to is "ftp:\/\/x"; it must be a URL/],
        ['a file that is not there', ['/nowhere', '--to', 'http://127.0.0.1:1'], 1, /\/nowhere cannot be read: ENOENT/],
    ]) {
        test(`explains ${what}`, async (t) => {
            const ended = await runCommand(t, 'replay', ...words)
            assert.equal(ended.status, status)
            assert.match(ended.errors, reason)
        })
    }

    test('names the line that is no request, and sends nothing', async (t) => {
        const path = join(freshFolder(t), 'run.jsonl')
        writeFileSync(path, `${JSON.stringify({ method: 'POST', path: '/', headers: {}, body: '[]' })}\n{"method":"POST"}\n`)
        const collector = await fresh(t)
        const { status, errors } = await runCommand(t, 'replay', path, '--to', collector.url)

        assert.equal(status, 1)
        assert.match(errors, /run\.jsonl:2 is no recorded request: it needs method, path, headers and body\./)
        assert.deepEqual(collector.received(), [])
    })

    test('says that nobody answers', async (t) => {
        const { path } = await recorded(t)
        const { status, errors } = await runCommand(t, 'replay', path, '--to', 'http://127.0.0.1:1')

        assert.equal(status, 1)
        assert.match(errors, /^mobile-tracker: http:\/\/127\.0\.0\.1:1 does not answer: .*ECONNREFUSED/)
    })
})
