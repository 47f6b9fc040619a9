import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, beforeEach, suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startCollector } from '@mobiletracker/bridge/collector'
import { FaultScript } from '../src/collector/faults/script.js'
import { routeOf } from '../src/collector/routes.js'
import { ask, send } from '../testsupport/http.js'
import { analyticsEvent, batchHeaders, sample } from '../testsupport/samples.js'

let collector
before(async () => (collector = await startCollector()))
after(() => collector.close())
beforeEach(() => {
    collector.clear()
    collector.faults([])
})

/** What the next requests are answered: a status, or the code of the error they end in. */
async function outcomes(count, kind = 'event') {
    const outcomes = []
    for (let i = 0; i < count; i++) {
        outcomes.push(await send(collector.url, sample(kind)).then(({ status }) => status, ({ code }) => code))
    }
    return outcomes
}

suite('a fault script', () => {
    test('may apply to every so many-th request only', async () => {
        collector.faults('500×2:every=3')

        assert.deepEqual(await outcomes(7), [200, 200, 500, 200, 200, 500, 200])
    })

    test('counts every so many-th also where a drop-before follows', async () => {
        collector.faults('500×always:every=2,drop-before×always')

        assert.deepEqual(await outcomes(6), ['ECONNRESET', 500, 'ECONNRESET', 500, 'ECONNRESET', 500])
    })

    test('counts no request that its body keeps out, also where a drop-before follows', async () => {
        collector.faults('500×always:every=2:name=PURCHASE,drop-before×always')
        const found = [...await outcomes(1, 'profile'), ...await outcomes(2)]

        assert.deepEqual(found, ['ECONNRESET', 'ECONNRESET', 500])
    })

    test('counts every so many-th among the requests that it fits', async () => {
        collector.faults('500×always:every=2:kind=event,404×always:kind=link')
        const kinds = ['event', 'link', 'event', 'profile', 'event', 'event']
        const statuses = []
        for (const kind of kinds) statuses.push(...await outcomes(1, kind))

        assert.deepEqual(statuses, [200, 404, 500, 200, 200, 500])
    })

    test('ends by itself after a time', () => {
        let now = 5000
        const script = new FaultScript({ now: () => now })
        const route = routeOf('POST', '/v2/tracking-session-data')
        script.load('drop-before×always:for=60s,500')

        assert.deepEqual(script.ends(), [65_000, null])
        now = 64_999
        assert.equal(script.takeBeforeBody(route).action, 'drop-before')
        assert.deepEqual(script.left(), ['drop-before×always:for=60s', '500'])
        now = 65_000
        assert.deepEqual([script.left(), script.ends()], [['500'], [null]])
        assert.equal(script.takeBeforeBody(route), null)
        assert.equal(script.take(route, [], 0).status, 500)
        assert.equal(script.isEmpty, true)
    })

    test('keeps its time when another is added to it', () => {
        let now = 0
        const script = new FaultScript({ now: () => now })
        script.load('503×always:for=500ms')
        now = 400
        script.load('429:every=1', { append: true })

        assert.deepEqual([script.ends(), script.left()], [[500, null], ['503×always:for=500ms', '429:every=1']])
    })

    test('is used up, one item a request', async () => {
        collector.faults('500×2,429,200')

        assert.deepEqual(await outcomes(5), [500, 500, 429, 200, 200])
        assert.deepEqual(collector.faultsLeft(), [])
    })

    test('shows what is left of it', async () => {
        collector.faults('500x3, 429:retry-after=2, drop-after')
        await outcomes(1)

        assert.deepEqual(collector.faultsLeft(), ['500×2', '429:retry-after=2', 'drop-after'])
    })

    test('is replaced by a new one', async () => {
        collector.faults('500×9')
        collector.faults(['503'])

        assert.deepEqual(await outcomes(2), [503, 200])
    })

    test('is not used up by the collector\'s own paths', async () => {
        collector.faults('500')
        await ask(collector.url, '/received')

        assert.deepEqual(await outcomes(1), [500])
    })

    test('says in the record what it did', async () => {
        collector.faults('500×2,drop-after:kind=event')
        await outcomes(3)

        assert.deepEqual(collector.received().map(({ fault }) => fault), ['500', '500', 'drop-after:kind=event'])
    })
})

suite('a server\'s mood can be', () => {
    test('one event that it never takes', async () => {
        collector.faults('500×always:name=POISON')
        const post = (name) => send(collector.url, { ...sample('event'), body: { ...sample('event').body, event_name: name } })
        const statuses = []
        for (const name of ['A', 'POISON', 'B', 'POISON']) statuses.push((await post(name)).status)

        assert.deepEqual(statuses, [200, 500, 200, 500])
    })

    test('another key than before, in a header or in a batch, which is shown to nobody', async () => {
        collector.faults('401×always:unless-key=new-key-1234')
        const [batch, event] = [analyticsBatch(), sample('event')]
        const withKey = (key) => [
            { ...event, headers: { ...event.headers, 'X-API-Key': key } },
            { ...batch, body: { batch: batch.body.batch.map((each) => ({ ...each, writeKey: key })) } },
        ]
        const statuses = []
        for (const request of [...withKey('old-key-1234'), ...withKey('new-key-1234')]) statuses.push((await send(collector.url, request)).status)

        assert.deepEqual(statuses, [401, 401, 200, 200])
        assert.deepEqual(collector.faultsLeft(), ['401×always:unless-key=********1234'])
        assert.ok(!JSON.stringify(collector.received()).includes('new-key'))
    })

    for (const [status, accepted] of [[400, false], [207, true]]) {
        test(`some events of a batch, which a ${status} names by their places`, async () => {
            collector.faults(`${status}:name=BAD:indices=yes`)
            const answer = await send(collector.url, analyticsBatch('GOOD', 'BAD', 'GOOD', 'BAD'))

            const error = 'The fault script refuses this event.'
            assert.deepEqual([answer.status, answer.json], [status, { refused: [{ index: 1, error }, { index: 3, error }] }])
            assert.equal(collector.received()[0].accepted, accepted)
            const again = { ...analyticsEvent('track', 2), event: 'BAD' }
            await send(collector.url, { path: '/v1/batch', headers: batchHeaders([again], '5'), body: { batch: [again] } })
            assert.equal(collector.received()[1].repeat, false)
        })
    }
})

/** A batch with an event of each name. */
function analyticsBatch(...names) {
    const events = (names.length > 0 ? names : ['A']).map((event, i) => ({ ...analyticsEvent('track', i + 1), event }))
    return { path: '/v1/batch', headers: batchHeaders(events, '1'), body: { batch: events } }
}

suite('the same script can be written in many ways', () => {
    const expected = ['500×3', '429:retry-after=2', '503:delay=10:kind=batch']
    const ways = {
        'text with ×': '500×3,429:retry-after=2,503:delay=10:kind=batch',
        'text with x and spaces': ' 500 x 3 , 429:retry-after=2 , 503:delay=10:kind=batch ',
        'text with * and lines': '500*3\n429:retry-after="2"\n503:delay=10:kind=batch\n',
        'an array of texts': ['500×3', '429:retry-after=2', '503:delay=10:kind=batch'],
        'an array of objects': [
            { status: 500, times: 3 },
            { status: '429', retryAfter: 2 },
            { status: 503, delay: 10, kind: 'batch' },
        ],
        'a mixture': ['500×3', { status: 429, retryAfter: '2' }, '503:delay=10:kind=batch'],
    }
    for (const [way, script] of Object.entries(ways)) {
        test(way, () => {
            collector.faults(script)
            assert.deepEqual(collector.faultsLeft(), expected)
        })
    }

    test('what is shown can be given back', () => {
        const script = [
            { status: 200, body: '{"data":{"id":"it\'s, here"}}', times: 'always', path: '/a:b' },
            { status: 301, location: 'http://127.0.0.1:1/x', headers: { 'X-A': 'b: c' } },
            { action: 'half-body', name: 'A, B' },
            { id: 'other', above: 10 },
        ]
        collector.faults(script)
        const shown = collector.faultsLeft()
        collector.faults(shown.join(','))

        assert.deepEqual(collector.faultsLeft(), shown)
    })
})

/** It comes as JSON, but cannot be turned into text. */
const ODD = { toString: 1 }

suite('a script that makes no sense is refused with a sentence', () => {
    const cases = [
        ['5000', '5000 is no status; it must be 200 to 599.'],
        ['199', '199 is no status; it must be 200 to 599.'],
        ['dorp-after', 'There is no fault "dorp-after"; give a status, or one of ok, drop-before, drop-after, stall, half-header, half-body, garbage.'],
        ['500×0', '0 is no number of times; it must be 1 or more, or always.'],
        ['500××', '"500××" is no instruction; an example is 500×3, 429:retry-after=2, drop-after.'],
        ['500:foo=1', 'There is no option "foo"; the options are delay, retryAfter, location, headers, body, id, kind, path, name, unlessKey, indices, above, every, for.'],
        ['400:indices=no', '"indices" is "no"; it must be yes.'],
        ['400:indices=yes:body=a', 'Give either indices or a body, not both.'],
        ['500:every=0', '"every" is "0"; it must be a whole number, 1 or more.'],
        ['500:for=5m', '"for" is "5m"; an example is 60s or 500ms, at most 1 day.'],
        ['500:foo', '"foo" in "500:foo" is no option; an example is kind=batch.'],
        ['500:times=2', '"times" is no option here; write it first, as in 500×3:delay=100.'],
        ['500:kind=evnt', /^There is no kind "evnt"; the kinds are session, event, /],
        ['500:delay=x', 'The delay "x" must be whole milliseconds, at most 600000.'],
        ['delay=9999999', 'The delay "9999999" must be whole milliseconds, at most 600000.'],
        ['500=3', '"500=3" is no instruction: only delay and 413-above take a number.'],
        ['413:above=x', 'The size "x" must be a whole number of bytes.'],
        ['200:body="x', 'A quotation mark is missing in "200:body="x".'],
        ['200:id=a:body=b', 'Give either an id or a body, not both.'],
        ['500:header=x', '"x" is no header; an example is header="X-Reason: test".'],
        ['500×always,200', 'An instruction that always applies to every request must be the last one.'],
        ['drop-before:name=A', '"drop-before" cannot depend on the name, the size or the key: the body is not read.'],
        [[{ status: 500, action: 'stall' }], '"stall" answers nothing, so it has no status.'],
        [[{ status: 500, headers: { 'a b': 'c' } }], '"a b" is no header\'s name.'],
        [[{ status: 500, headers: { a: 'b\r\nc' } }], '"a" must be a header\'s text.'],
        [[{ status: 500, headers: 'x' }], '"headers" must be an object of names and texts.'],
        [[{ status: 500, path: 5 }], '"path" must be a text that is not empty.'],
        [[{ status: 500, times: -1 }], '-1 is no number of times; it must be 1 or more, or always.'],
        [[null], 'null is no instruction; it must be a text or an object.'],
        [[{ status: ODD }], 'an object is no status; it must be 200 to 599.'],
        [[{ action: ODD }], /^There is no fault an object; give a status, or one of /],
        [[{ status: 500, times: ODD }], 'an object is no number of times; it must be 1 or more, or always.'],
        [[{ status: 500, kind: ODD }], /^There is no kind an object; the kinds are /],
        [[{ status: 500, delay: ODD }], 'The delay an object must be whole milliseconds, at most 600000.'],
        [[{ status: 500, above: ODD }], 'The size an object must be a whole number of bytes.'],
        [[{ status: 500, retryAfter: ODD }], '"retryAfter" must be a header\'s text.'],
        [[{ status: 500, headers: { a: null } }], '"a" must be a header\'s text.'],
        [[[]], 'an array is no instruction; it must be a text or an object.'],
    ]
    for (const [script, sentence] of cases) {
        test(JSON.stringify(script), () => {
            collector.faults('503')
            const message = sentence instanceof RegExp ? sentence : new RegExp(`^${RegExp.escape?.(sentence) ?? escape(sentence)}$`)
            assert.throws(() => collector.faults(script), { name: 'FaultError', message })
            assert.deepEqual(collector.faultsLeft(), ['503'], 'the old script stays')
        })
    }
})

suite('an answer can be', () => {
    test('with Retry-After, in seconds or as a date', async () => {
        collector.faults('429:retry-after=2,503:retry-after="Wed, 21 Oct 2015 07:28:00 GMT"')
        const [first, second] = [await send(collector.url, sample('event')), await send(collector.url, sample('event'))]

        assert.deepEqual([first.status, first.headers['retry-after']], [429, '2'])
        assert.equal(second.headers['retry-after'], 'Wed, 21 Oct 2015 07:28:00 GMT')
    })

    test('given another date, to be relative to', async () => {
        collector.faults([{ status: 503, headers: { Date: 'Wed, 21 Oct 2015 07:28:00 GMT' } }])

        assert.equal((await send(collector.url, sample('event'))).headers.date, 'Wed, 21 Oct 2015 07:28:00 GMT')
    })

    test('a redirect', async () => {
        collector.faults('307:location=/elsewhere')
        const answer = await send(collector.url, sample('event'))

        assert.deepEqual([answer.status, answer.headers.location], [307, '/elsewhere'])
    })

    test('any 2xx, with the usual body', async () => {
        collector.faults('201')
        const answer = await send(collector.url, sample('session'))

        assert.equal(answer.status, 201)
        assert.equal(typeof answer.json.data.id, 'string')
        assert.equal(collector.received()[0].accepted, true)
    })

    test('without content', async () => {
        collector.faults('204')
        const answer = await send(collector.url, sample('event'))

        assert.deepEqual([answer.status, answer.text], [204, ''])
    })

    test('without the id it should have, or with another', async () => {
        collector.faults(`200:body='{"data":{}}',200:id=other,200:body=nonsense`)
        const texts = []
        for (let i = 0; i < 3; i++) texts.push((await send(collector.url, sample('session'))).text)

        assert.deepEqual(texts, ['{"data":{}}', '{"data":{"id":"other"}}', 'nonsense'])
    })

    test('given a body as JSON', async () => {
        collector.faults([{ status: 200, body: { data: { id: 17 } } }])

        assert.equal((await send(collector.url, sample('session'))).text, '{"data":{"id":17}}')
    })

    test('late, which holds up neither others nor the end', async () => {
        const slow = await startCollector({ faults: 'delay=60000' })
        const late = send(slow.url, sample('event')).then(() => 'answered', ({ code }) => code)
        await slow.wait({ kind: 'event' })

        assert.equal((await send(slow.url, sample('event'))).status, 200)
        await slow.close()
        assert.equal(await late, 'ECONNRESET')
    })

    test('cut late, before the body is read', async (t) => {
        const slow = await startCollector({ faults: 'drop-before:delay=60000' })
        t.after(() => slow.close())
        let isCut = false
        const late = send(slow.url, sample('event')).then(() => 'answered', ({ code }) => code).finally(() => (isCut = true))
        while (slow.received().length === 0) await setImmediate()

        assert.equal((await send(slow.url, sample('event'))).status, 200)
        assert.equal(isCut, false)
        await slow.close()
        assert.equal(await late, 'ECONNRESET')
    })

    test('late by a little, and then as usual', async () => {
        collector.faults('delay=1,503:delay=1')

        assert.deepEqual(await outcomes(2), [200, 503])
    })
})

suite('a connection can be', () => {
    test('cut before the body is read: the request is not taken', async () => {
        collector.faults('drop-before')

        assert.deepEqual(await outcomes(2), ['ECONNRESET', 200])
        const [dropped, taken] = collector.received()
        assert.deepEqual([dropped.accepted, dropped.status, dropped.raw], [false, null, ''])
        assert.deepEqual([taken.accepted, taken.repeat], [true, false])
    })

    for (const first of ['500:name=BAD', '413-above=100000', '401×always:unless-key=api-key-12345678']) {
        test(`cut and not taken after ${first}, which needs the body`, async () => {
            collector.faults(`${first},drop-before`)
            const waited = collector.wait({ kind: 'event' })

            assert.deepEqual(await outcomes(2), ['ECONNRESET', 200])
            const [dropped, taken] = collector.received()
            assert.deepEqual([dropped.accepted, dropped.status, dropped.raw, dropped.fault], [false, null, '', 'drop-before'])
            assert.deepEqual([taken.accepted, taken.repeat, taken.attempt], [true, false, 1])
            assert.deepEqual((await waited).map(({ seq }) => seq), [taken.seq])
            assert.deepEqual(collector.faultsLeft().filter((left) => left === 'drop-before'), [])
        })
    }

    test('cut after the body is read: the request is taken', async () => {
        collector.faults('drop-after')

        assert.deepEqual(await outcomes(2), ['ECONNRESET', 200])
        const [dropped, repeat] = collector.received()
        assert.deepEqual([dropped.accepted, dropped.status], [true, null])
        assert.equal(repeat.repeat, true)
    })

    test('cut in the middle of the header', async () => {
        collector.faults('half-header')
        const text = await rawAnswer(collector.port)

        assert.match(text, /^HTTP\/1\.1 200 OK\r\n/)
        assert.ok(!text.includes('\r\n\r\n'))
    })

    test('cut in the middle of the body', async () => {
        collector.faults('half-body')
        const [, length, body] = /Content-Length: (\d+)\r\n\r\n(.*)$/.exec(await rawAnswer(collector.port))

        assert.ok(body.length > 0 && body.length < Number(length))
    })

    test('answered with garbage', async () => {
        collector.faults('garbage')

        assert.deepEqual(await outcomes(1), ['HPE_INVALID_CONSTANT'])
    })

    test('left without an answer', async () => {
        const stalled = await startCollector({ faults: 'stall' })
        const pending = send(stalled.url, sample('event')).then(() => 'answered', ({ code }) => code)
        await stalled.wait({ kind: 'event' })

        assert.equal((await send(stalled.url, sample('event'))).status, 200)
        await stalled.close()
        assert.equal(await pending, 'ECONNRESET')
    })
})

suite('an instruction can be meant for some requests alone', () => {
    test('of a kind', async () => {
        collector.faults('500:kind=batch')

        assert.deepEqual(await outcomes(1, 'event'), [200])
        assert.deepEqual(await outcomes(2, 'batch'), [500, 200])
    })

    test('of a path', async () => {
        collector.faults('500:path=/identify/u%2F1')

        assert.deepEqual(await outcomes(1, 'event'), [200])
        assert.deepEqual(await outcomes(1, 'identify'), [500])
    })

    test('with an event of a name, for as long as the script lasts', async () => {
        collector.faults('400×always:name=Bad')
        const bad = { ...analyticsEvent('track', 2), event: 'Bad' }
        const withBad = batchOf([analyticsEvent('track', 1), bad])
        const without = batchOf([analyticsEvent('track', 1)])

        const statuses = []
        for (const request of [withBad, without, withBad]) statuses.push((await send(collector.url, request)).status)
        assert.deepEqual(statuses, [400, 200, 400])
    })

    test('above a size, for as long as the script lasts, compressed or not', async () => {
        collector.faults('413-above=2000,500')
        const large = sample('event')
        large.body.data = { text: 'x'.repeat(3000) }

        const statuses = []
        for (const request of [large, { ...large, gzip: true }, sample('event'), sample('event'), large]) {
            statuses.push((await send(collector.url, request)).status)
        }
        assert.deepEqual(statuses, [413, 413, 500, 200, 413])
        assert.deepEqual(collector.faultsLeft(), ['413×always:above=2000'])
    })

    test('and the first that applies is used', async () => {
        collector.faults('500:kind=batch,501:kind=event,502')

        assert.deepEqual(await outcomes(3, 'event'), [501, 502, 200])
    })
})

function batchOf(events) {
    return { ...sample('batch'), headers: { ...sample('batch').headers, ...batchHeaders(events) }, body: { batch: events } }
}

/** Everything that comes back until the connection ends. */
function rawAnswer(port) {
    return new Promise((resolve, reject) => {
        let text = ''
        const socket = connect(port, '127.0.0.1')
        socket.on('data', (data) => (text += data))
        socket.on('end', () => resolve(text))
        socket.on('error', reject)
        socket.write('POST /events HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 2\r\n\r\n[]')
    })
}

function escape(text) {
    return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
