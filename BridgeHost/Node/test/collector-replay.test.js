import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { API_SAMPLES, apiSample, KEY } from '../testsupport/api-samples.js'
import { runCommand, startCommand } from '../testsupport/commands.js'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { send } from '../testsupport/http.js'
import { sample } from '../testsupport/samples.js'

/** Records what is sent. @param {(url: string) => Promise<void>} sendAll */
async function recordingOf(t, sendAll) {
    const path = join(freshFolder(t), 'run.jsonl')
    const { child, line, ended } = startCommand(t, 'collect', '--port', '0', '--record', path)
    const [, url] = /(http:\/\/[\d.:]+)/.exec(await line())
    await sendAll(url)
    child.kill('SIGTERM')
    assert.equal(await ended, 0)
    return path
}

/** What was recorded of a session, an event in it and a batch. */
async function recorded(t) {
    let session
    const path = await recordingOf(t, async (url) => {
        session = (await send(url, sample('session'))).json.data.id
        const { body } = sample('event')
        await send(url, { ...sample('event'), body: { ...body, session_id: session } })
        await send(url, { ...sample('location'), path: `/v2/tracking-session/${session}/location` })
        await send(url, { ...sample('batch'), gzip: true })
    })
    return { path, session }
}

/** A backend that keeps what it gets as it is, keys and all. */
async function backend(t) {
    const requests = []
    const server = createServer(async (request, response) => {
        requests.push({ path: request.url, headers: request.headers, body: await text(request) })
        response.end('{}')
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    afterwards(t, () => new Promise((resolve) => server.close(resolve)))
    return { url: `http://127.0.0.1:${server.address().port}`, requests }
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

    test('takes a file that others could read from them', async (t) => {
        const path = join(freshFolder(t), 'run.jsonl')
        writeFileSync(path, 'of another run', { mode: 0o644 })
        const { child, line, ended } = startCommand(t, 'collect', '--port', '0', '--record', path)
        await line()
        child.kill('SIGTERM')

        assert.equal(await ended, 0)
        assert.deepEqual([statSync(path).mode & 0o777, readFileSync(path, 'utf8')], [0o600, ''])
    })

    test('of a collector that runs is left alone by one that cannot start', async (t) => {
        const path = join(freshFolder(t), 'run.jsonl')
        writeFileSync(path, 'of the one that runs')
        const { port } = await fresh(t)
        const { status, errors } = await runCommand(t, 'collect', '--port', String(port), '--record', path)

        assert.equal(status, 1)
        assert.match(errors, /a collector runs there already/)
        assert.equal(readFileSync(path, 'utf8'), 'of the one that runs')
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

    for (const [name, own, key] of [
        ...API_SAMPLES.map((name) => [name, apiSample(name), KEY]),
        ['otlp with a key', { ...apiSample('otlp'), headers: { ...apiSample('otlp').headers, Authorization: `Bearer ${KEY}` } }, KEY],
        ['metaRouter', sample('batch'), 'write-key-1234'],
        ['the basic client', sample('basic'), 'api-key-12345678'],
    ]) {
        test(`of ${name} goes under the key of --key, as it went under its own`, async (t) => {
            const path = await recordingOf(t, (url) => send(url, own))
            const { url, requests } = await backend(t)
            const { status } = await runCommand(t, 'replay', path, '--to', url, '--key', key)

            assert.equal(status, 0)
            assert.deepEqual(requests.map(({ body }) => body), [JSON.stringify(own.body)])
            assert.equal(requests[0].headers.authorization, own.headers.Authorization)
            assert.equal(requests[0].headers['x-api-key'], own.headers['X-API-Key'])
        })
    }

    test('has the key where its API has it alone, and all else as it was spelled', async (t) => {
        const body = `{"api_key":"${KEY}","events":[{"event_type":"A","event_properties":{"api_key":"another-one","n":12345678901234567890}}]}`
        const path = await recordingOf(t, (url) => send(url, { ...apiSample('amplitude'), body }))
        const { url, requests } = await backend(t)
        await runCommand(t, 'replay', path, '--to', url, '--key', 'a"key')

        assert.equal(requests[0].body, body.replace(KEY, 'a\\"key').replace('another-one', '*******-one'))
    })

    test('shows a collector no other problems than it had', async (t) => {
        const path = await recordingOf(t, async (url) => {
            for (const name of API_SAMPLES) await send(url, apiSample(name))
        })
        const collector = await fresh(t)
        await runCommand(t, 'replay', path, '--to', collector.url)

        assert.deepEqual(collector.received().map(({ api, problems }) => [api, problems]), API_SAMPLES.map((name) => [name.split(' ')[0], []]))
    })

    test('goes to no other host, whatever its paths begin with', async (t) => {
        const [own, foreign] = [await backend(t), await backend(t)]
        const host = new URL(foreign.url).host
        const path = join(freshFolder(t), 'run.jsonl')
        const paths = [`//${host}/v1/batch?a=1`, `/\\${host}/`, `/\t/${host}/`]
        const headers = { 'x-api-key': '****' }
        writeFileSync(path, paths.map((target) => JSON.stringify({ method: 'POST', path: target, headers, body: '{}' })).join('\n'))
        const { status } = await runCommand(t, 'replay', path, '--to', own.url, '--key', KEY)

        assert.equal(status, 0)
        assert.deepEqual(foreign.requests, [])
        assert.deepEqual(own.requests.map(({ path: target, headers: { 'x-api-key': key } }) => [target, key]), [
            [`//${host}/v1/batch?a=1`, KEY], [`//${host}/`, KEY], [`//${host}/`, KEY],
        ])
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
        ['nothing', [], 64, /^mobile-tracker: replay needs FILE/],
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
