import assert from 'node:assert/strict'
import { request as open } from 'node:http'
import { after, before, beforeEach, suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { ask, send } from '../testsupport/http.js'
import { sample } from '../testsupport/samples.js'

let collector
before(async () => (collector = await startCollector()))
after(() => collector.close())
beforeEach(() => {
    collector.clear()
    collector.faults([])
})

let number = 0

/** Sends an event of a name, as a record of its own. */
async function event(name, changes = {}) {
    number++
    const request = sample('event')
    const headers = { ...request.headers, 'Idempotency-Key': `m${number}`, 'X-Sequence': String(number) }
    return send(collector.url, { ...request, headers, body: { ...request.body, event_name: name, ...changes } })
}

const get = (path) => ask(collector.url, path)
const post = (path, body, headers) => ask(collector.url, path, { method: 'POST', body, headers })

suite('GET /received', () => {
    test('gives what came, in order', async () => {
        for (const name of ['A', 'B', 'C']) await event(name)
        const { status, json } = await get('/received')

        assert.equal(status, 200)
        assert.deepEqual(json.requests.map((record) => record.body.event_name), ['A', 'B', 'C'])
        assert.deepEqual(json.requests.map((record) => record.seq), [0, 1, 2].map((n) => json.requests[0].seq + n))
        assert.equal(json.forgotten, 0)
    })

    const filters = [
        ['kind=event', ['event', 'event']],
        ['kind=batch&kind=profile', ['profile', 'batch']],
        ['name=Home', ['batch', 'basic']],
        ['type=alias', ['batch']],
        ['user=u1', ['profile', 'batch', 'basic']],
        ['user=u1&name=Clicked', ['basic']],
        ['user=u1&type=alias', []],
        ['session=other', ['event']],
        ['status=500', ['event']],
        ['accepted=false', ['event']],
        ['problems=true', ['event']],
        ['accepted=any&kind=batch', ['batch']],
        ['last=2', ['batch', 'basic']],
        ['last=0', []],
    ]
    for (const [query, kinds] of filters) {
        test(`?${query}`, async () => {
            await event('A', { extra: 1 })
            collector.faults('500')
            await event('B', { session_id: 'other' })
            for (const kind of ['profile', 'batch', 'basic']) await send(collector.url, sample(kind))

            const { requests, total } = (await get(`/received?${query}`)).json
            assert.deepEqual(requests.map((record) => record.kind), kinds)
            if (!query.startsWith('last')) assert.equal(total, kinds.length)
        })
    }

    test('total counts what matches, also what last leaves out', async () => {
        for (const name of ['A', 'A', 'B', 'A']) await event(name)

        const { total, requests } = (await get('/received?name=A&last=1')).json
        assert.deepEqual([total, requests.length], [3, 1])
        assert.equal((await get('/wait?name=A&count=3&last=1')).json.total, 3)
    })

    test('?since goes on where one has read to', async () => {
        await event('A')
        const [first] = (await get('/received')).json.requests
        await event('B')

        const { requests } = (await get(`/received?since=${first.seq}`)).json
        assert.deepEqual(requests.map((record) => record.items[0].name), ['B'])
    })

    test('?repeats=false leaves out what came before', async () => {
        await send(collector.url, sample('event'))
        await send(collector.url, sample('event'))

        assert.equal((await get('/received')).json.requests.length, 2)
        assert.equal((await get('/received?repeats=false')).json.requests.length, 1)
    })

    test('a reader that leaves half-way does no harm', async () => {
        for (let i = 0; i < 20; i++) await event('A', { data: { text: 'x'.repeat(200_000) } })
        await new Promise((resolve) => {
            const reader = open(`${collector.url}/received`, { agent: false }, (response) => {
                response.once('data', () => reader.destroy())
                response.on('error', () => {})
            })
            reader.on('close', resolve)
            reader.on('error', () => {})
            reader.end()
        })

        assert.equal((await get('/received?last=1')).json.requests.length, 1)
    })
})

suite('GET /wait', () => {
    test('answers at once with what is there already', async () => {
        await event('A')
        const { status, json } = await get('/wait?name=A')

        assert.deepEqual([status, json.matched, json.requests.length], [200, 1, 1])
    })

    test('answers when the last of them comes', async () => {
        const waiting = get('/wait?name=A&count=2')
        await event('A')
        await event('B')
        await event('A')

        const { status, json } = await waiting
        assert.equal(status, 200)
        assert.deepEqual(json.requests.map((record) => record.items[0].name), ['A', 'A'])
    })

    test('answers 408 and what came when the time is up', async () => {
        await event('A')
        const { status, json } = await get('/wait?name=A&count=2&timeout=20ms')

        assert.equal(status, 408)
        assert.equal(json.error, '1 of 2 matches came within 20 ms.')
        assert.equal(json.requests.length, 1)
    })

    test('counts the events of a batch, or the requests', async () => {
        await send(collector.url, sample('batch'))

        assert.equal((await get('/wait?kind=batch&count=6')).status, 200)
        assert.equal((await get('/wait?kind=batch&count=7&timeout=1ms')).status, 408)
        assert.equal((await get('/wait?kind=batch&requests=1')).status, 200)
        assert.equal((await get('/wait?kind=batch&requests=2&timeout=1ms')).status, 408)
    })

    test('does not count what was refused, or came before, unless it is asked to', async () => {
        collector.faults('500')
        for (let i = 0; i < 3; i++) await send(collector.url, sample('event'))

        const matched = async (query) => (await get(`/wait?count=9&timeout=1ms${query}`)).json.matched
        assert.equal(await matched(''), 1)
        assert.equal(await matched('&repeats=any'), 2)
        assert.equal(await matched('&repeats=any&accepted=any'), 3)
        assert.equal(await matched('&status=500'), 1)
    })

    test('serves many at once, also those who leave', async () => {
        const warnings = []
        const note = (warning) => warnings.push(String(warning))
        process.on('warning', note)
        const leaving = Array.from({ length: 50 }, () => open(`${collector.url}/wait?name=A`, { agent: false }).on('error', () => {}))
        for (const reader of leaving) reader.end()
        const waiting = Array.from({ length: 200 }, () => get('/wait?name=A'))
        await event('B')
        for (const reader of leaving) reader.destroy()
        await event('A')

        const statuses = (await Promise.all(waiting)).map(({ status }) => status)
        assert.deepEqual(new Set(statuses), new Set([200]))
        process.off('warning', note)
        assert.deepEqual(warnings, [])
    })

    test('ends when the collector does', async () => {
        const other = await startCollector()
        const waiting = ask(other.url, '/wait?name=A').then(({ status }) => status, ({ code }) => code)
        const inside = other.wait({ name: 'A' })
        const rejected = assert.rejects(inside, { name: 'WaitError', message: /before the collector was closed/ })
        await ask(other.url, '/received')
        await other.close()

        assert.ok([503, 'ECONNRESET'].includes(await waiting))
        await rejected
        await other.close()
    })
})

suite('POST /clear', () => {
    test('forgets what came, also for what is a repeat or a gap', async () => {
        await send(collector.url, sample('event'))
        const { json } = await post('/clear')
        await send(collector.url, sample('event'))

        assert.deepEqual(json, { cleared: 1 })
        assert.deepEqual(collector.received().map((record) => record.repeat), [false])
    })

    test('keeps the sessions and the fault script', async () => {
        const session = (await send(collector.url, sample('session'))).json.data.id
        collector.faults('500')
        await post('/clear')

        assert.deepEqual(collector.faultsLeft(), ['500'])
        collector.faults([])
        assert.equal((await send(collector.url, sample('session'))).json.data.id, session)
    })
})

suite('/faults', () => {
    test('takes a script as text, as curl sends it', async () => {
        const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
        const { json } = await post('/faults', '500×3,200', headers)

        assert.deepEqual(json, { faults: ['500×3', '200'] })
        assert.equal((await event('A')).status, 500)
        assert.deepEqual((await get('/faults')).json, { faults: ['500×2', '200'], faultEnds: [null, null] })
    })

    test('takes a script as JSON', async () => {
        const { json } = await post('/faults', [{ status: 429, retryAfter: 2 }, 'drop-after'])

        assert.deepEqual(json, { faults: ['429:retry-after=2', 'drop-after'] })
    })

    test('adds to a script', async () => {
        await post('/faults', '500')
        const { json } = await post('/faults?append=true', '501')

        assert.deepEqual(json, { faults: ['500', '501'] })
    })

    test('is emptied by DELETE, or by an empty script', async () => {
        await post('/faults', '500')
        assert.deepEqual((await ask(collector.url, '/faults', { method: 'DELETE' })).json, { faults: [] })
        await post('/faults', '500')
        assert.deepEqual((await post('/faults', '')).json, { faults: [] })
    })
})

suite('a bad request to the collector itself is refused with a sentence', () => {
    const cases = [
        ['GET', '/received?nmae=A', 400, /^There is no parameter "nmae"; known are type, name, /],
        ['GET', '/received?kind=evnt', 400, /^There is no kind "evnt"; the kinds are session, /],
        ['GET', '/received?accepted=maybe', 400, /^"accepted" is "maybe"; it must be true, false or any\.$/],
        ['GET', '/received?status=5xx', 400, /^"5xx" is not a whole number\.$/],
        ['GET', '/received?last=-1', 400, /^"-1" is not a whole number\.$/],
        ['GET', '/wait?count=many', 400, /^"many" is not a whole number\.$/],
        ['GET', '/wait?count=1&requests=1', 400, /^Give either count or requests, not both\.$/],
        ['GET', '/wait?timeout=1h', 400, /^"1h" is no timeout; an example is 5, 5s or 500ms, at most 600s\.$/],
        ['GET', '/wait?timeout=601', 400, /^"601" is no timeout/],
        ['POST', '/faults', 400, /^There is no fault "oops"/, 'oops'],
        ['POST', '/faults', 400, /^The script looks like JSON, but is not: /, '[1'],
        ['POST', '/faults', 400, /^5000 is no status/, '[5000]'],
        ['POST', '/faults?apend=true', 400, /^There is no parameter "apend"; known is append=true\.$/, '500'],
        ['POST', '/faults', 413, /^The script is larger than 1048576 bytes\.$/, ' '.repeat(1_100_000)],
        ['POST', '/received', 405, /^POST does not go here; GET does\.$/],
        ['GET', '/clear', 405, /^GET does not go here; POST does\.$/],
        ['PUT', '/faults', 405, /^PUT does not go here; GET, POST, DELETE does\.$/],
    ]
    for (const [method, path, status, sentence, body] of cases) {
        test(`${method} ${path} ${JSON.stringify(body ?? '').slice(0, 20)}`, async () => {
            const answer = await ask(collector.url, path, { method, body })

            assert.equal(answer.status, status)
            assert.match(answer.json.error, sentence)
            assert.equal(collector.received().length, 0, 'it is no request to the backend')
        })
    }

    test('a web page elsewhere', async () => {
        const answer = await post('/faults', '500', { Origin: 'http://example.com' })
        assert.deepEqual([answer.status, collector.faultsLeft()], [403, []])
    })

    test('a web page under a name that was made to point here', async () => {
        const answer = await ask(collector.url, '/received', { headers: { Host: 'example.com' } })
        assert.equal(answer.status, 403)
    })

    const foreign = [
        ['an Origin', { Origin: 'http://example.com' }],
        ['no Origin of its own', { Origin: 'null' }],
        ['an Origin on another port', { Origin: 'http://127.0.0.1:1' }],
        ['a name that was made to point here', { Host: 'example.com' }],
        ['an image', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }],
        ['a link', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }],
    ]
    for (const [what, headers] of foreign) {
        test(`a web page elsewhere that sends an event, with ${what}`, async (t) => {
            const reasons = []
            t.after(collector.onForeign((reason) => reasons.push(reason)))
            const before = collector.totals()
            collector.faults('500')
            for (const request of [sample('event'), { ...sample('event'), method: 'GET' }, { ...sample('basic'), path: '/' }]) {
                const answer = await send(collector.url, { ...request, headers: { ...request.headers, ...headers } })
                assert.deepEqual([answer.status, answer.json], [403, { error: reasons.at(-1) }])
            }

            assert.deepEqual([collector.received(), collector.faultsLeft()], [[], ['500']])
            assert.deepEqual(collector.totals(), { ...before, foreign: before.foreign + 3 })
        })
    }

    test('a name of a private network is the collector\'s own where other machines reach it, a public one is not', async (t) => {
        const other = await startCollector({ host: '0.0.0.0' })
        t.after(() => other.close())
        const statusFor = async (host, path) => {
            const headers = { ...sample('event').headers, Host: host }
            return (await send(other.url, path ? { method: 'GET', path, headers } : { ...sample('event'), headers })).status
        }
        for (const host of ['192.168.1.5:8123', '[fd00::5]:8123', 'collector:8123', 'desk.local', 'host.docker.internal:8123']) {
            assert.deepEqual([await statusFor(host), await statusFor(host, '/received')], [200, 200], host)
        }
        for (const host of ['example.com', 'local.example.com:8123', '192.168.1.5.example.com']) {
            assert.deepEqual([await statusFor(host), await statusFor(host, '/received')], [403, 403], host)
        }
    })

    test('the collector\'s own page is welcome', async () => {
        const host = `localhost:${collector.port}`
        const answer = await post('/faults', '500', { Host: host, Origin: `http://${host}` })
        assert.equal(answer.status, 200)
    })

    test('the root tells a browser what this is', async () => {
        assert.match((await get('/')).text, /GET {2}\/received/)
        assert.equal((await get('/favicon.ico')).status, 204)
        assert.equal(collector.received().length, 0)
    })

    test('a POST to the root is the basic endpoint', async () => {
        await send(collector.url, { ...sample('basic'), path: '/' })
        assert.deepEqual(collector.received().map(({ kind, problems }) => [kind, problems]), [['basic', []]])
    })

    test('a name like a control path under another path is the basic endpoint, if an option says so', async (t) => {
        const other = await startCollector({ basicPaths: ['/received'] })
        t.after(() => other.close())
        await send(other.url, { ...sample('basic'), path: '/app/received' })
        assert.equal(other.received()[0].kind, 'basic')
    })
})

suite('inside a program', () => {
    test('wait gives the requests, and counts as the path does', async () => {
        const waiting = collector.wait({ name: 'A', count: 2 })
        await event('A')
        await event('A')

        assert.deepEqual((await waiting).map((record) => record.body.event_name), ['A', 'A'])
    })

    const misses = [
        ['nothing', {}, ' Nothing came at all.'],
        ['a similar name', { name: 'PURCHASED' }, ' The nearest is request #, PURCHASE: its name is "PURCHASE".', { event_name: 'PURCHASE' }],
        ['another session', { name: 'A', session: 'other' }, ` The nearest is request #, A: its session is "${sample('event').body.session_id}".`, {}],
        ['a refused one', { name: 'A' }, ' The nearest is request #, A: it was answered 500.', {}, '500'],
        ['a wrong one', { name: 'A', problems: false }, ' The nearest is request #, A: it has problems: extra does not belong here.', { extra: 1 }],
        ['one that was cut', { name: 'A', accepted: true, status: 200 }, ' The nearest is request #, A: its connection was cut (drop-after).', {}, 'drop-after'],
        ['other names', { name: 'ZEBRA' }, ' Others came: A.', {}],
    ]
    for (const [what, filter, sentence, changes, faults = []] of misses) {
        test(`wait says what came instead: ${what}`, async () => {
            collector.faults(faults)
            if (changes) await event('A', changes).catch(() => {})
            const text = sentence.replace('#', collector.received()[0]?.seq)

            await assert.rejects(collector.wait({ ...filter, timeoutMs: 1 }), (error) => error.message.endsWith(`.${text}`) || assert.fail(error.message))
            const query = new URLSearchParams(Object.entries(filter))
            assert.equal((await get(`/wait?timeout=1ms&${query}`)).json.error, `0 of 1 matches came within 1 ms.${text}`)
        })
    }

    test('wait rejects with what came', async () => {
        await event('A')

        await assert.rejects(collector.wait({ name: 'A', count: 2, timeoutMs: 1 }), (error) => {
            assert.equal(error.name, 'WaitError')
            assert.equal(error.message, '1 of 2 came within 1 ms: {"name":"A"}.')
            return error.received.length === 1
        })
    })

    test('a filter that is misspelt is an error', async () => {
        assert.throws(() => collector.received({ nmae: 'A' }), /There is no filter "nmae"/)
        await assert.rejects(collector.wait({ kind: 'evnt' }), /There is no kind "evnt"/)
    })

    const impossible = {
        '"user" is 5; it must be a string, or a list of them.': { user: 5 },
        '"name" is /A/; it must be a string, or a list of them.': { name: ['A', /A/] },
        '"status" is \'422\'; it must be a number, or a list of them.': { status: '422' },
        '"since" is NaN; it must be a whole number from 0 on.': { since: NaN },
    }
    for (const [message, filter] of Object.entries(impossible)) {
        test(`a filter that nothing can match is an error: ${message}`, async () => {
            assert.throws(() => collector.received(filter), { name: 'FilterError', message })
            await assert.rejects(collector.wait(filter), { name: 'FilterError', message })
        })
    }

    for (const goal of [{ count: -1 }, { count: 1.5 }, { count: { least: 1 } }, { requests: NaN }, { timeoutMs: '5' }]) {
        test(`a wait that nothing can end rightly is an error: ${JSON.stringify(goal)}`, async () => {
            await assert.rejects(collector.wait({ name: 'A', ...goal }), { name: 'FilterError' })
        })
    }

    const options = [{ basicPaths: '/x' }, { basicPaths: ['x'] }, { maxBytes: -1 }, { maxBodyBytes: '16' }]
    for (const option of options) {
        test(`an option that no collector can have is an error: ${JSON.stringify(option)}`, async () => {
            await assert.rejects(startCollector(option), { name: 'TypeError', message: new RegExp(Object.keys(option)[0]) })
        })
    }

    test('listen reports every request until it is ended', async () => {
        const names = []
        const end = collector.listen((record) => names.push(record.items[0].name))
        await event('A')
        end()
        await event('B')

        assert.deepEqual(names, ['A'])
    })

    test('a port in use is an error with the system\'s code', async () => {
        await assert.rejects(startCollector({ port: collector.port }), { code: 'EADDRINUSE' })
    })

    test('an option that is misspelt is an error', async () => {
        const names = ['port', 'host', 'basicPaths', 'anyPath', 'strict', 'api', 'faults', 'plan', 'maxBytes', 'maxBodyBytes']
        await (await startCollector(Object.fromEntries(names.map((name) => [name, undefined])))).close()
        await assert.rejects(startCollector({ prot: 1 }), /^TypeError: startCollector has no option "prot"; it has port, /)
    })

    for (const port of ['abc', '8123', -1, 1.5, 65_536, null]) {
        test(`a port that is ${JSON.stringify(port)} is an error`, async () => {
            const sentence = `The port must be a whole number from 0 to 65535, and is ${JSON.stringify(port)}.`
            await assert.rejects(startCollector({ port }), { name: 'TypeError', message: sentence })
        })
    }

    test('a listener that is no function is an error at once', () => {
        for (const method of ['listen', 'onAccount', 'onForeign']) {
            assert.throws(() => collector[method](5), { name: 'TypeError', message: 'The listener must be a function.' })
        }
    })

    test('a wait may be as long as one likes', async () => {
        const waiting = collector.wait({ name: 'A', timeoutMs: 1e12 })
        await event('A')

        assert.equal((await waiting).length, 1)
    })

    test('a bad fault script is an error, and nothing listens', async () => {
        await assert.rejects(startCollector({ faults: 'oops' }), { name: 'FaultError' })
    })
})
