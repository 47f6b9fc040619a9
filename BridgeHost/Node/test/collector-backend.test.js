import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { after, before, beforeEach, suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { ask, send } from '../testsupport/http.js'
import { analyticsEvent, sample } from '../testsupport/samples.js'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

let collector
before(async () => (collector = await startCollector()))
after(() => collector.close())
beforeEach(() => collector.clear())

/** The same request as another record: its own key and number. */
function another(kind, number, changes = {}) {
    const request = sample(kind)
    const headers = { ...request.headers, 'Idempotency-Key': `m${number}`, 'X-Sequence': String(number) }
    return { ...request, headers, ...changes }
}

suite('the backend answers', () => {
    test('a session with a fresh id', async () => {
        const first = await send(collector.url, sample('session'))
        const other = another('session', 2, { headers: { ...sample('session').headers, 'Idempotency-Key': crypto.randomUUID() } })
        const second = await send(collector.url, other)

        assert.equal(first.status, 200)
        assert.match(first.json.data.id, UUID)
        assert.notEqual(first.json.data.id, second.json.data.id)
    })

    test('the repeat of a session attempt with the same id', async () => {
        const first = await send(collector.url, sample('session'))
        const repeat = await send(collector.url, sample('session'))

        assert.equal(repeat.json.data.id, first.json.data.id)
        assert.equal(collector.received()[1].repeat, true)
    })

    test('identify, email and link with the session they name', async () => {
        for (const kind of ['identify', 'email', 'link']) {
            const answer = await send(collector.url, another(kind, 1))
            assert.equal(answer.json.data.id, '5f775520-0a19-44da-b4c3-4584ab3f4569', kind)
        }
    })

    test('everything else with success', async () => {
        for (const kind of ['event', 'profile', 'location', 'batch', 'basic']) {
            const answer = await send(collector.url, sample(kind))
            assert.deepEqual([answer.status, answer.json], [200, { success: true }], kind)
        }
    })

    test('a path it does not know with 404', async () => {
        const answer = await send(collector.url, { method: 'PUT', path: '/nowhere' })

        assert.equal(answer.status, 404)
        assert.match(collector.received()[0].problems[0], /^There is no endpoint for PUT \/nowhere\. /)
        assert.equal(collector.received()[0].kind, 'unknown')
    })

    test('the wrong method with 405 and the right one', async () => {
        const answer = await send(collector.url, { ...sample('event'), method: 'PUT' })

        assert.equal(answer.status, 405)
        assert.equal(answer.headers.allow, 'POST')
    })

    test('many requests on one connection', async () => {
        const agent = new Agent({ keepAlive: true, maxSockets: 1 })
        for (let i = 1; i <= 3; i++) await send(collector.url, { ...another('event', i), agent })

        assert.equal(Object.values(agent.freeSockets).flat().length, 1)
        assert.equal(collector.received().length, 3)
        agent.destroy()
    })
})

suite('what cannot be read is recorded and refused', () => {
    const cases = [
        ['half a JSON object', { body: '{"brand_id":925,' }, 400, /^The body is not JSON: /],
        ['a byte that is not UTF-8', { body: Buffer.from([0x22, 0xff, 0x22]) }, 400, /^The body is not UTF-8\.$/],
        ['a body that is not gzip', { headers: { 'Content-Encoding': 'gzip' }, body: 'plain' }, 400, /^The body is not gzip: /],
        ['another compression', { headers: { 'Content-Encoding': 'br' }, body: 'x' }, 415, /^Content-Encoding is "br"; it must be gzip or left out\.$/],
    ]
    for (const [name, changes, status, problem] of cases) {
        test(name, async () => {
            const request = sample('event')
            const headers = { ...request.headers, ...changes.headers }
            const answer = await send(collector.url, { ...request, ...changes, headers })

            assert.equal(answer.status, status)
            const [record] = collector.received()
            assert.deepEqual(record.problems.filter((text) => problem.test(text)).length, 1, record.problems.join('\n'))
            assert.equal(record.accepted, false)
            assert.equal(record.body, undefined)
        })
    }

    test('a body above the cap, compressed or not', async () => {
        const small = await startCollector({ maxBodyBytes: 1000 })
        const request = sample('event')
        request.body.data = { text: 'x'.repeat(2000) }

        assert.equal((await send(small.url, request)).status, 413)
        assert.equal((await send(small.url, { ...request, gzip: true })).status, 413)

        assert.equal((await send(small.url, { ...request, body: 'x'.repeat(3_000_000) })).status, 413)

        const problems = small.received().flatMap((record) => record.problems)
        assert.deepEqual(problems, Array(3).fill('The body is larger than 1000 bytes.'))
        assert.equal(small.received()[2].size, 3_000_000)
        await small.close()
    })

    test('the key in a broken body is not repeated in the problem', async () => {
        await send(collector.url, { ...sample('batch'), body: '{"writeKey":"secret-key-1234"} x' })

        assert.ok(!JSON.stringify(collector.received()).includes('secret-key'))
    })
})

suite('strict mode', () => {
    test('refuses what has problems, and nothing else', async () => {
        const strict = await startCollector({ strict: true })
        const good = await send(strict.url, another('event', 1))
        const bad = await send(strict.url, another('event', 2, { body: { brand_id: 1 } }))

        assert.equal(good.status, 200)
        assert.equal(bad.status, 422)
        assert.match(bad.json.error, /session_id is missing\./)
        assert.deepEqual(strict.received().map((record) => record.accepted), [true, false])
        await strict.close()
    })
})

suite('a record', () => {
    test('shows numbers as they were sent', async () => {
        const text = '{"brand_id":925,"session_id":"s","event_name":"E","data":{"big":12345678901234567890,"one":1.0}}'
        await send(collector.url, { ...sample('event'), body: text, gzip: true })

        assert.equal(collector.received()[0].raw, text)
        assert.ok((await ask(collector.url, '/received')).text.includes(`"body":${text}`))
    })

    test('masks keys wherever they stand', async () => {
        const leaking = sample('event')
        leaking.body.data = { key: 'api-key-12345678' }
        await send(collector.url, leaking)
        await send(collector.url, sample('batch'))
        const shown = (await ask(collector.url, '/received')).text

        assert.ok(!shown.includes('api-key-1234'))
        assert.ok(!shown.includes('write-key'))
        assert.equal(collector.received()[0].headers['x-api-key'], '************5678')
        assert.equal(collector.received()[1].body.batch[0].writeKey, '**********1234')
    })

    for (const [what, key, data, masked] of [
        ['whose digits are inside numbers', '00000000', '{"at":1700000000000,"of":-0.000000001}', null],
        ['that is a number', '17000000', '{"at":17000000,"to":170000001}', '{"at":"****0000","to":170000001}'],
        ['that is spelled across members', '","to":"there', '{"at":"here","to":"there"}', null],
        ['that is half an escape', 'u0041bcdefgh', '{"at":"\\u0041bcdefgh"}', null],
        ['that needs an escape', 'key-"12345678', '{"at":"a key-\\"12345678\\n"}', '{"at":"a *********5678\\n"}'],
        ['that ends like a pattern', 'api-key-1$&', '{"at":"api-key-1$&"}', '{"at":"*******-1$&"}'],
    ]) {
        test(`stays JSON with a key ${what}`, async () => {
            const event = sample('event')
            const text = `{"brand_id":925,"session_id":"s","event_name":"E","data":${data}}`
            await send(collector.url, { ...event, headers: { ...event.headers, 'X-API-Key': key }, body: text })
            const [{ raw, body }] = collector.received()

            assert.equal(raw, masked === null ? text : text.replace(data, () => masked))
            assert.deepEqual(body, JSON.parse(raw))
        })
    }

    test('masks a key of a batch in texts, and leaves its digits in numbers', async () => {
        const event = { ...analyticsEvent('track'), writeKey: '00000000', properties: { at: 1700000000000, key: 'of 00000000' } }
        await send(collector.url, { ...sample('batch'), body: { batch: [event] } })

        const [{ body: { batch: [{ writeKey, properties }] } }] = collector.received()
        assert.deepEqual([writeKey, properties], ['****0000', { at: 1700000000000, key: 'of ****0000' }])
    })

    for (const [what, character] of [['letters', 'k'], ['line breaks', '\n']]) {
        test(`masks a key of seven million ${what}`, async () => {
            const event = { ...analyticsEvent('track'), writeKey: character.repeat(7_000_000) }
            const { status } = await send(collector.url, { ...sample('batch'), body: { batch: [event] } })

            const [{ body: { batch: [{ writeKey }] } }] = collector.received()
            assert.deepEqual([status, writeKey.replaceAll('*', '')], [200, character === 'k' ? 'kkkk' : ''])
        })
    }

    test('keeps the headers of a request, but those that may be secret', async () => {
        const event = sample('event')
        event.headers['X-Tenant'] = 'shop'
        event.headers.Authorization = 'Bearer 0123456789'
        event.headers.Cookie = 'id=0123456789'
        await send(collector.url, event)
        const { headers } = collector.received().at(-1)

        assert.deepEqual(
            [headers['x-tenant'], headers.authorization, headers.cookie, headers['idempotency-key'], headers.host],
            ['shop', '*************6789', '*********6789', event.headers['Idempotency-Key'], undefined])
    })

    test('masks keys in paths, names, headers and problems too', async () => {
        const key = 'api-key-12345678'
        const named = sample('event')
        named.body = { ...named.body, event_name: `Sent ${key}`, brand_id: key }
        named.headers['Idempotency-Key'] = key
        await send(collector.url, named)
        await send(collector.url, { ...sample('identify'), path: `/v2/tracking-session/${key}/identify/${key}` })
        const written = analyticsEvent('track')
        await send(collector.url, { ...sample('batch'), body: { batch: [{ ...written, event: 'write-key-1234', type: 'write-key-1234' }] } })

        const shown = (await ask(collector.url, '/received')).text
        assert.ok(!shown.includes('api-key-1234'))
        assert.ok(!shown.includes('write-key'))
        assert.ok(shown.includes('brand_id is \\"************5678\\"'))
    })

    test('masks a long key that a problem quotes in part', async () => {
        const key = 'k3y-'.repeat(30)
        const request = sample('event')
        await send(collector.url, { ...request, headers: { ...request.headers, 'X-API-Key': key }, body: { ...request.body, brand_id: key } })

        const [{ problems }] = collector.received()
        assert.ok(problems.some((problem) => /^brand_id is "\*+…;/.test(problem)), problems.join())
    })

    test('names what the request carries', async () => {
        await send(collector.url, sample('identify'))
        await send(collector.url, sample('batch'))

        const [identify, batch] = collector.received()
        assert.equal(identify.items[0].user, 'u/1')
        assert.deepEqual(batch.items.map((item) => item.name), ['Signed Up', null, null, 'Home', 'Start', null])
        assert.deepEqual(batch.items.map((item) => item.type), ['track', 'identify', 'group', 'screen', 'page', 'alias'])
    })
})

suite('memory', () => {
    test('the oldest requests are forgotten first, and counted', async () => {
        const small = await startCollector({ maxBytes: 5000 })
        for (let i = 1; i <= 10; i++) await send(small.url, another('event', i))

        const kept = small.received().map((record) => record.seq)
        assert.equal(kept.at(-1), 10)
        assert.deepEqual(kept, kept.map((_, i) => 11 - kept.length + i))
        assert.equal(small.totals().forgotten, 10 - kept.length)
        assert.ok(kept.length >= 1 && kept.length < 10)
        await small.close()
    })

    const large = {
        'its headers': (event) => ({ ...event, headers: { ...event.headers, Baggage: 'x'.repeat(8192) } }),
        'its path': (event) => ({ ...event, path: `${event.path}?${'x'.repeat(8192)}` }),
        'what is wrong with it': () => ({ ...sample('batch'), body: { batch: Array(50).fill({}) } }),
    }
    for (const [what, change] of Object.entries(large)) {
        test(`a request counts with ${what}`, async () => {
            const small = await startCollector({ maxBytes: 50_000 })
            for (let i = 1; i <= 10; i++) await send(small.url, change(another('event', i)))

            const { length } = small.received()
            assert.ok(length <= 6, `${length} are kept`)
            await small.close()
        })
    }
})
