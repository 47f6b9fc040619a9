import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { Collector } from '../src/collector/collector.js'
import { LiveStream } from '../src/collector/live.js'
import { afterwards } from '../testsupport/hosts.js'
import { ask, send } from '../testsupport/http.js'
import { sample } from '../testsupport/samples.js'

async function start(t, options) {
    const collector = await startCollector(options)
    afterwards(t, () => collector.close())
    return collector
}

let number = 0

/** Sends an event of a name, as a record of its own. */
function event(url, name, changes = {}) {
    number++
    const { headers, body, ...rest } = sample('event')
    const own = { 'Idempotency-Key': `live-${number}`, 'X-Sequence': String(number) }
    return send(url, { ...rest, headers: { ...headers, ...own }, body: { ...body, event_name: name, ...changes } })
}

/** Reads the stream as a browser does. `next(event)` gives the next message of that name, `close` leaves. */
async function listen(t, url, headers = {}) {
    const response = await new Promise((resolve, reject) => {
        const outgoing = request(`${url}/live`, { agent: false, headers }, resolve).on('error', reject)
        t.after(() => outgoing.destroy())
        outgoing.end()
    })
    const messages = messagesOf(response.setEncoding('utf8'))
    const next = async (name) => {
        for (;;) {
            const { value, done } = await messages.next()
            if (done) throw new Error(`The stream ended before "${name}" came.`)
            if (value.event === name) return value
        }
    }
    return { response, next, close: () => response.destroy() }
}

async function* messagesOf(stream) {
    let text = ''
    for await (const chunk of stream) {
        text += chunk
        for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
            const fields = Object.fromEntries(
                text.slice(0, end).split('\n').map(
                    (line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)],
                ),
            )
            text = text.slice(end + 2)
            if (fields.event) yield { ...fields, data: JSON.parse(fields.data) }
        }
    }
}

const namesIn = ({ data }) => data.map((record) => record.items[0].name)

suite('GET /live', () => {
    test('gives what is there already, then what comes', async (t) => {
        const { url } = await start(t)
        await event(url, 'A')
        const { next } = await listen(t, url)

        assert.deepEqual(namesIn(await next('requests')), ['A'])
        await event(url, 'B')
        assert.deepEqual(namesIn(await next('requests')), ['B'])
    })

    test('goes on after the last that a reader has seen', async (t) => {
        const { url } = await start(t)
        const first = await listen(t, url)
        await event(url, 'A')
        const { id } = await first.next('requests')
        first.close()
        await event(url, 'B')
        await event(url, 'C')

        const second = await listen(t, url, { 'Last-Event-ID': id })
        assert.equal((await second.next('hello')).data.resumed, true)
        const names = []
        while (names.length < 2) names.push(...namesIn(await second.next('requests')))
        assert.deepEqual(names, ['B', 'C'])
    })

    test('begins anew for a reader of an earlier run', async (t) => {
        const { url } = await start(t)
        await event(url, 'A')
        const { next } = await listen(t, url, { 'Last-Event-ID': '00000000-500' })

        assert.equal((await next('hello')).data.resumed, false)
        assert.deepEqual(namesIn(await next('requests')), ['A'])
    })

    test('sends everything to a reader that reads slowly, and keeps no copy for it', async (t) => {
        const { url } = await start(t)
        const { response, next } = await listen(t, url)
        response.pause()
        const text = 'x'.repeat(20_000)
        for (let i = 0; i < 300; i++) await event(url, `E${i}`, { data: { text } })

        const names = []
        while (names.length < 300) names.push(...namesIn(await next('requests')))
        assert.deepEqual(names, Array.from({ length: 300 }, (_, i) => `E${i}`))
    })

    test('leaves a reader that does not read at all, and keeps no account for it meanwhile', async (t) => {
        const collector = new Collector({ strict: false, maxBytes: 1 << 20, maxBodyBytes: 1 << 20 })
        const server = createServer((_, response) => new LiveStream(collector, response, undefined, 50))
        const opened = once(server, 'request')
        await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
        afterwards(t, () => new Promise((resolve) => server.close(resolve)))
        const { response: reader } = await listen(t, `http://127.0.0.1:${server.address().port}`)
        reader.pause().on('error', () => {})
        const [, response] = await opened
        const closed = once(response, 'close')
        const debugInfo = { text: 'x'.repeat(200_000) }
        for (let i = 0; i < 300; i++) {
            collector.accounts.post({ client: `client ${i % 150}`, at: '2025-01-31T09:30:00.000Z', debugInfo })
            await new Promise(setImmediate)
            assert.ok(response.writableLength < 1_000_000)
        }

        await closed
    })

    test('sends a slow reader the last account of each client', async (t) => {
        const collector = await start(t)
        const { response, next } = await listen(t, collector.url)
        response.pause()
        const text = 'x'.repeat(200_000)
        for (let i = 0; i < 100; i++) {
            const account = { client: `client ${i % 2}`, at: '2025-01-31T09:30:00.000Z', debugInfo: { i, text } }
            assert.equal((await ask(collector.url, '/accounts', { method: 'POST', body: account })).status, 200)
        }

        const last = new Map()
        while (last.get('client 0') !== 98 || last.get('client 1') !== 99) {
            const { data } = await next('account')
            last.set(data.client, data.debugInfo.i)
        }
    })

    test('says that everything was forgotten', async (t) => {
        const collector = await start(t)
        const { next } = await listen(t, collector.url)
        await event(collector.url, 'A')
        await next('requests')
        collector.clear()

        assert.deepEqual((await next('cleared')).data, { clears: 1 })
        await event(collector.url, 'B')
        assert.deepEqual(namesIn(await next('requests')), ['B'])
    })

    test('says what is left of the fault script', async (t) => {
        const collector = await start(t)
        const { next } = await listen(t, collector.url)
        const faults = async () => (await next('state')).data.faults

        assert.deepEqual(await faults(), [])
        collector.faults('500×2')
        assert.deepEqual(await faults(), ['500×2'])
        await event(collector.url, 'A')
        assert.deepEqual(await faults(), ['500'])
    })

    test('sends a long body cut short, and the whole of it on demand', async (t) => {
        const { url } = await start(t)
        const { next } = await listen(t, url)
        await event(url, 'A', { data: { text: 'x'.repeat(100_000) } })
        const [record] = (await next('requests')).data

        assert.equal(record.isCut, true)
        assert.equal(record.raw.length, 32 * 1024)
        const whole = (await ask(url, `/record?seq=${record.seq}`)).json.requests[0]
        assert.equal(whole.body.data.text.length, 100_000)
        assert.equal((await ask(url, '/record?seq=99')).status, 404)
        assert.equal((await ask(url, '/record')).status, 400)
    })

    test('shows a page that is opened late the newest of very much', async (t) => {
        const { url } = await start(t, { maxBytes: 64 * 1024 * 1024 })
        const text = 'x'.repeat(4 * 1024 * 1024)
        for (let i = 0; i < 9; i++) await event(url, `E${i}`, { data: { text } })
        const { next } = await listen(t, url)
        const names = []
        while (names.at(-1) !== 'E8') names.push(...namesIn(await next('requests')))

        assert.deepEqual(names, ['E2', 'E3', 'E4', 'E5', 'E6', 'E7', 'E8'])
    })

    test('ends with the collector', async (t) => {
        const collector = await start(t)
        const { response } = await listen(t, collector.url)
        const ended = new Promise((resolve) => response.on('close', resolve).on('error', () => {}).resume())
        await collector.close()
        await ended
    })
})

suite('the page\'s files', () => {
    const html = { Accept: 'text/html,*/*;q=0.8' }

    test('are served to a browser, while curl gets a few words', async (t) => {
        const { url } = await start(t)

        const page = await ask(url, '/', { headers: html })
        assert.match(page.headers['content-type'], /^text\/html/)
        assert.match((await ask(url, '/')).text, /GET {2}\/received/)
        const files = [...page.text.matchAll(/(?:src|href)="\/(page\/[^"]+)"/g)].map(([, path]) => path)
        assert.ok(files.length > 2)
        for (const path of files) assert.equal((await ask(url, `/${path}`)).status, 200, path)
    })

    test('may load nothing from elsewhere, and no other page may embed them', async (t) => {
        const { url } = await start(t)
        const { headers } = await ask(url, '/', { headers: html })

        const policy = headers['content-security-policy']
        assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
        assert.match(policy, /frame-ancestors 'none'.*require-trusted-types-for 'script'/)
        assert.equal(headers['x-content-type-options'], 'nosniff')
        assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    })

    test('are those in the folder, and no others', async (t) => {
        const { url } = await start(t)
        for (const path of ['/page/none.js', '/page/..%2Frecord.js', '/page/../record.js']) {
            const { status, text } = await ask(url, path)
            assert.ok(status === 404 && !text.includes('class'), path)
        }
    })

    test('are no way in for a page elsewhere', async (t) => {
        const { url } = await start(t)
        const refused = [
            ['/live', { Origin: 'http://example.com' }],
            ['/live', { Origin: 'null' }],
            ['/live', { Host: 'example.com' }],
            ['/received', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }],
            ['/record?seq=1', { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'no-cors' }],
            ['/', { ...html, Host: 'collector.example.com' }],
        ]
        for (const [path, headers] of refused) assert.equal((await ask(url, path, { headers })).status, 403, path)
        const link = { ...html, 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }
        assert.equal((await ask(url, '/', { headers: link })).status, 200)
    })
})
