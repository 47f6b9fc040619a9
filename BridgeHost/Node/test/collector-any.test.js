import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Collector } from '../src/collector/collector.js'
import { inspect } from '../src/collector/json.js'
import { routeOf } from '../src/collector/routes.js'
import { API_SAMPLES, apiSample } from '../testsupport/api-samples.js'
import { run } from '../testsupport/programs.js'
import { randomFrom } from '../testsupport/random.js'
import { sample, SAMPLE_KINDS } from '../testsupport/samples.js'

const ODD = [null, true, 0, -1, 1.5, 1e300, '', ' ', 'x', '\ud800', [], {}, [null], { length: 3 }, { toString: 1 }, '__proto__', 'constructor']

/** A value with one thing changed somewhere inside. */
function bend(value, pick) {
    if (typeof value !== 'object' || value === null || pick(4) === 0) return ODD[pick(ODD.length)]
    const copy = structuredClone(value)
    const keys = Object.keys(copy)
    const key = keys.length > 0 && pick(5) > 0 ? keys[pick(keys.length)] : ['extra', '__proto__', 'toString'][pick(3)]
    if (pick(6) === 0) delete copy[key]
    else Object.defineProperty(copy, key, { value: bend(copy[key], pick), enumerable: true, configurable: true, writable: true })
    return copy
}

suite('whatever comes', () => {
    test('is answered and recorded', (t) => {
        const random = randomFrom(t)
        const pick = (below) => Math.floor(random() * below)
        const collector = new Collector({ strict: pick(2) === 0, maxBytes: 1 << 20, maxBodyBytes: 1 << 20 })
        for (let round = 0; round < 3000; round++) {
            const { method, path, headers, body } = pick(3) === 0
                ? apiSample(API_SAMPLES[pick(API_SAMPLES.length)])
                : sample(SAMPLE_KINDS[pick(SAMPLE_KINDS.length)])
            const names = Object.keys(headers)
            const lower = Object.fromEntries(names.filter(() => pick(8) > 0).map((name) => [name.toLowerCase(), headers[name]]))
            if (pick(4) === 0) lower[names[pick(names.length)].toLowerCase()] = ['', '9'.repeat(30), '::', '-1'][pick(4)]
            const other = SAMPLE_KINDS[pick(SAMPLE_KINDS.length)]
            const value = pick(9) === 0 ? sample(other).body : body
            const text = value === undefined ? '' : JSON.stringify(bend(value, pick))
            const bytes = Buffer.from(pick(10) === 0 ? text.slice(0, pick(text.length + 1)) : text)

            const reply = collector.receive(routeOf(method, path), path, lower, { bytes, size: bytes.length })

            const record = [...collector.requestLog.records()].at(-1)
            assert.equal(record.seq, round + 1)
            assert.equal(reply.status, record.status)
            assert.notEqual(reply.status, 500, text)
            JSON.parse(record.toText())
        }
    })

    test('keys and ids that cannot be turned into text are problems like others', () => {
        const collector = new Collector({ strict: false, maxBytes: 1 << 20, maxBodyBytes: 1 << 20 })
        const { method, path, headers, body } = sample('batch')
        const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
        for (const member of ['messageId', 'writeKey', 'anonymousId', 'userId', 'event', 'type']) {
            const batch = body.batch.map((event) => ({ ...event, [member]: { toString: 1 } }))
            const bytes = Buffer.from(JSON.stringify({ ...body, batch }))
            collector.receive(routeOf(method, path), path, lower, { bytes, size: bytes.length })

            const { problems } = [...collector.requestLog.records()].at(-1)
            assert.ok(problems.some((problem) => problem.startsWith(`batch[0].${member} `)), `${member}: ${problems}`)
        }
    })

    test('a body as deep as can be is answered and recorded', () => {
        const collector = new Collector({ strict: false, maxBytes: 1 << 26, maxBodyBytes: 1 << 22 })
        for (const kind of SAMPLE_KINDS) {
            for (const [open, close] of ['[]', ['{"a":', '}']]) {
                const bytes = Buffer.from(`${open.repeat(100_000)}0${close.repeat(100_000)}`)
                const { method, path, headers } = sample(kind)
                collector.receive(routeOf(method, path), path, headers, { bytes, size: bytes.length })
            }
        }
        for (const record of collector.requestLog.records()) assert.ok(record.problems.length > 0)
    })

    test('a batch with an event as deep as can be is answered, and its depth is a problem', () => {
        const collector = new Collector({ strict: false, maxBytes: 1 << 26, maxBodyBytes: 1 << 22 })
        const deep = (open, inner, close) => `${open.repeat(20_000)}${inner}${close.repeat(20_000)}`
        const value = deep('{"arrayValue":{"values":[', '{}', ']}}')
        for (const [name, mark, text] of [
            ['segment', '{"plan":"pro"}', deep('{"a":', '1', '}')],
            ['otlp', '{"stringValue":"pro"}', value],
            ['otlp', '{"stringValue":"pro"}', deep('{"kvlistValue":{"values":[{"key":"a","value":', '{}', '}]}}')],
        ]) {
            const { method, path, headers, body } = apiSample(name)
            const bytes = Buffer.from(JSON.stringify(body).replace(mark, text))
            const { status } = collector.receive(routeOf(method, path), path, headers, { bytes, size: bytes.length })

            const { problems, isJSON, items } = [...collector.requestLog.records()].at(-1)
            assert.deepEqual([status, isJSON, items[0].name], [200, true, 'Signed Up'])
            assert.match(problems.at(-1), /^The body nests \d+ levels deep; what a caller gives may nest 128\.$/)
        }
    })

    const inside = (text) => `${'{"a":'.repeat(5)}${text}${'}'.repeat(5)}`
    const times = (n, write) => Array.from({ length: n }, (_, i) => write(i)).join()
    const twice = {
        'one name again and again': (n) => inside(`{${times(n, () => '"k":1')}}`),
        'many names, each twice': (n) => inside(`{${times(n, (i) => `"k${i % (n / 2)}":1`)}}`),
        'one in each object of a list': (n) => inside(`[${times(n, () => '{"k":1,"k":1}')}]`),
        'one on each level': (n) => `${'{"k":1,"k":'.repeat(n)}1${'}'.repeat(n)}`,
    }
    for (const [what, write] of Object.entries(twice)) {
        test(`names that stand twice take a time that grows as the body does: ${what}`, () => {
            for (const [kind, place] of [['event', 'data'], ['batch', 'properties']]) {
                const { method, path, headers, body } = sample(kind)
                const bytesOf = (n) => Buffer.from(JSON.stringify(body).replace(new RegExp(`"${place}":`), `$&${write(n)},"rest":`))
                const took = (bytes, rounds) => {
                    const content = { bytes, size: bytes.length }
                    const collector = new Collector({ strict: false, maxBytes: 1 << 26, maxBodyBytes: 1 << 26 })
                    const start = performance.now()
                    for (let round = 0; round < rounds; round++) collector.receive(routeOf(method, path), path, headers, content)
                    const end = performance.now()
                    const { problems } = [...collector.requestLog.records()].at(-1)
                    assert.ok(problems.some((problem) => problem.endsWith(' stands there twice.')), problems.join('\n'))
                    return end - start
                }
                const [small, large] = [bytesOf(6000), bytesOf(48_000)]
                const best = [Infinity, Infinity]
                // As much in one body as in eight: a square would make it take 8 times as long.
                for (let attempt = 0; attempt < 3 || (best[1] > 3 * best[0] && attempt < 6); attempt++) {
                    best[0] = Math.min(best[0], took(small, 8))
                    best[1] = Math.min(best[1], took(large, 1))
                }
                assert.ok(best[1] < 3 * best[0], `${kind}: ${best} ms`)
            }
        })
    }

    test('what is no text where an API has one is a problem like others', () => {
        const collector = new Collector({ strict: false, maxBytes: 1 << 20, maxBodyBytes: 1 << 20 })
        const odd = { toString: 1 }
        const logOf = (body) => body.resourceLogs[0].scopeLogs[0].logRecords[0]
        for (const [name, change] of [
            ['postHog', (body) => (body.batch[0].event = odd)],
            ['otlp', (body) => (logOf(body).attributes[0].key = odd)],
            ['otlp', (body) => (logOf(body).attributes[0].value = { intValue: odd })],
            ['otlp', (body) => (logOf(body).attributes[0].value = { doubleValue: [odd] })],
            ['otlp', (body) => (logOf(body).attributes[0].value = { arrayValue: { values: 5 } })],
        ]) {
            const { method, path, headers, body } = apiSample(name)
            change(body)
            const bytes = Buffer.from(JSON.stringify(body))
            const { status } = collector.receive(routeOf(method, path), path, headers, { bytes, size: bytes.length })

            const { problems } = [...collector.requestLog.records()].at(-1)
            assert.equal(status, 200)
            assert.ok(problems.some((problem) => /^(?:batch|resourceLogs)\[0\]/.test(problem)), problems.join('\n'))
        }
    })

    test('a request at which the collector fails is answered 500 and kept, without what the error quotes', () => {
        const plan = { judgeRequest() { throw new RangeError('of secret-key-1234') } }
        const collector = new Collector({ strict: false, maxBytes: 1 << 20, maxBodyBytes: 1 << 20, plan })
        const { method, path, headers, body } = sample('event')
        const bytes = Buffer.from(JSON.stringify(body))
        const reply = collector.receive(routeOf(method, path), path, headers, { bytes, size: bytes.length })

        const [{ status, accepted, problems, raw }] = collector.requestLog.records()
        assert.deepEqual([status, accepted, raw], [500, false, ''])
        assert.deepEqual(problems, ['The collector failed to examine this request (RangeError). Its body is not kept.'])
        assert.deepEqual([reply.status, JSON.parse(reply.body)], [500, { error: problems[0] }])
    })
})

suite('inspecting a text', () => {
    test('keeps a bounded number of paths, each of a bounded length', () => {
        const nested = (levels) => `${'{"a":1,"a":'.repeat(levels)}1${'}'.repeat(levels)}`
        const { depth, duplicates } = inspect(nested(5000))
        assert.deepEqual([depth, duplicates.length, duplicates[1]], [5000, 100, ['a', 'a']])

        const name = 'b'.repeat(100_000)
        const deep = inspect(`${'['.repeat(5000)}${nested(1)},"\\ud800"${']'.repeat(5000)}`)
        const paths = [...inspect(`{"${name}":1,"${name}":1}`).duplicates, ...deep.duplicates, ...deep.surrogates]
        assert.equal(paths.length, 3)
        for (const path of paths) assert.ok(path.join('.').length < 1000)
    })

    test('takes a time that grows as the text does', async (t) => {
        const program = `
            import { inspect } from './src/collector/json.js'
            const numbers = JSON.stringify({ a: Array.from({ length: 100_000 }, (_, i) => i) })
            for (let round = 0; round < 3; round++) inspect(numbers)
            const blanks = Buffer.from('"a"' + ' '.repeat(800_000)).toString()
            const start = process.cpuUsage()
            for (let round = 0; round < 3; round++) inspect(blanks)
            console.log(process.cpuUsage(start).user / 1000)`
        // V8 compiles the function as a whole then, as it does in a collector that has run for a while.
        const { stdout, stderr } = await run(t, process.execPath, ['--no-use-osr', '--input-type=module', '--eval', program])

        assert.equal(stderr, '')
        assert.ok(Number(stdout) < 3000, `${stdout} ms`)
    })

    test('finds the depth', () => {
        for (const [text, depth] of [['1', 0], ['{}', 1], ['[[],{"a":[1]}]', 3], ['"[[["', 0], ['{"a\\"{":1}', 1]]) {
            assert.equal(inspect(text).depth, depth, text)
        }
    })

    test('finds names that stand twice, however they are spelled', () => {
        assert.deepEqual(inspect('{"a":1,"b":[0,{"c":1,"\\u0063":2}],"a":{"a":1}}').duplicates, [['b', 1, 'c'], ['a']])
        assert.deepEqual(inspect('[{"a":1},{"a":1}]').duplicates, [])
    })

    test('finds halves of surrogate pairs, in names too', () => {
        assert.deepEqual(inspect('{"a":["\\ud83d\\ude00","\\ude00"],"\\ud83d":1}').surrogates, [['a', 1], ['\ud83d']])
        assert.deepEqual(inspect('"\\\\ud83d"').surrogates, [])
    })

    test('keeps the spelling of the numbers at the top', () => {
        const { numbers } = inspect('{"a":1.0,"b":-2e+5,"c":[7],"d":"9","e":12345678901234567890}')
        assert.deepEqual([...numbers], [['a', '1.0'], ['b', '-2e+5'], ['e', '12345678901234567890']])
    })
})
