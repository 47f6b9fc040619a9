import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { readExpectations, verdictText } from '../src/collector/assert.js'
import { Expectations } from '../src/collector/expectations.js'
import { startCommand } from '../testsupport/commands.js'
import { freshFolder } from '../testsupport/hosts.js'
import { send } from '../testsupport/http.js'
import { sample } from '../testsupport/samples.js'

let seq = 0

/** A record of one event, its data a value or its text. */
function came(name, data, changes = {}) {
    seq++
    return {
        seq, at: '2025-01-31T09:30:00.000Z', kind: 'event', api: null, accepted: true, repeat: false, problems: [], test: null,
        isJSON: true, raw: typeof data === 'string' ? `{"data":${data}}` : JSON.stringify({ data }),
        items: [{ type: 'event', name, user: null, session: 's', id: null }], ...changes,
    }
}

const judged = (expectations, ...records) => {
    const verdict = new Expectations(expectations).judge(records)
    return [verdict.isMet, ...verdictText(verdict, {}).trimEnd().split('\n').slice(0, -1)]
}

suite('expectations', () => {
    test('are met by what came, members that they do not name aside', () => {
        assert.deepEqual(
            judged([{ name: 'A', data: { total: 1, item: { sku: 'x' } } }], came('A', { total: 1, item: { sku: 'x', n: 2 }, more: true })),
            [true, '✔ A {"total":1,"item":{"sku":"x"}}  1 came, 1 expected'],
        )
    })

    test('of a file compare numbers digit by digit, however they are spelled', (t) => {
        const file = join(freshFolder(t), 'expectations.json')
        const lines = (expected, sent) => {
            writeFileSync(file, `[{"name":"A","data":{"id":${expected}}}]`)
            return verdictText(readExpectations(file).judge([came('A', `{"id":${sent}}`)]), {}).split('\n')
        }
        for (const [expected, sent] of [['1', '1.0'], ['9007199254740993', '9007199254740993.00'], ['1e400', '10e399'], ['-0', '0']]) {
            assert.match(lines(expected, sent)[0], /^✔/, `${expected} ${sent}`)
        }
        assert.deepEqual(lines('9007199254740993', '9007199254740992').slice(0, 3), [
            '✘ A {"id":9007199254740993}  0 came, 1 expected',
            '    The most similar came at 09:30:00.000:',
            '      id is 9007199254740992; expected is 9007199254740993.',
        ])
    })

    test('say how what came nearest differs', () => {
        assert.deepEqual(
            judged([{ name: 'A', data: { plan: 'pro', seats: 3, list: [1] } }], came('A', { seats: 4 }), came('A', { plan: 'free', seats: 3, list: [2] })),
            [
                false,
                '✘ A {"plan":"pro","seats":3,"list":[1]}  0 came, 1 expected',
                '    The most similar came at 09:30:00.000:',
                '      plan is "free"; expected is "pro".',
                '      list[0] is 2; expected is 1.',
            ],
        )
    })

    test('name the event that was probably meant', () => {
        assert.deepEqual(judged([{ name: 'PURCHASE' }], came('PURCHASED')), [false, '✘ PURCHASE  0 came, 1 expected', '    PURCHASED came; is that the one?'])
    })

    test('count', () => {
        const two = [came('A'), came('A')]
        assert.deepEqual(judged([{ name: 'A' }], ...two), [false, '✘ A  2 came, 1 expected'])
        assert.deepEqual(judged([{ name: 'A', count: { least: 2 } }], ...two), [true, '✔ A  2 came, at least 2 expected'])
        assert.deepEqual(judged([{ name: 'A', count: 0 }], ...two), [false, '✘ A  2 came, 0 expected'])
        assert.deepEqual(judged([{ kind: 'event', count: { most: 3 } }], ...two), [true, '✔ event  2 came, 0 to 3 expected'])
    })

    test('leave out what was refused or came before', () => {
        assert.equal(judged([{ name: 'A' }], came('A', {}, { accepted: false }), came('A'), came('A', {}, { repeat: true }))[0], true)
    })

    test('may be about the order', () => {
        const wanted = { inOrder: true, expect: [{ name: 'A' }, { name: 'B' }] }
        assert.equal(judged(wanted, came('A'), came('B'))[0], true)
        assert.deepEqual(judged(wanted, came('B'), came('A')), [false, '✔ A  1 came, 1 expected', '✔ B  1 came, 1 expected', '✘ B came before A.'])
    })

    test('with a count may be about the order', () => {
        const wanted = (...expect) => ({ inOrder: true, expect })
        const twice = wanted({ name: 'A', count: 2 }, { name: 'B' })
        assert.equal(judged(twice, came('A'), came('A'), came('B'))[0], true)
        assert.deepEqual(judged(twice, came('A'), came('B'), came('A')).slice(-1), ['✘ B came before A.'])
        assert.equal(judged(wanted({ name: 'A' }, { name: 'B', count: 2 }), came('B'), came('A'), came('B'))[0], false)
        const range = wanted({ name: 'A', count: { least: 2 } }, { name: 'B' })
        assert.equal(judged(range, came('A'), came('A'), came('B'), came('A'))[0], true)
        assert.equal(judged(range, came('A'), came('B'), came('A'))[0], false)
        assert.deepEqual(judged(twice, came('B'), came('A')).slice(-1), ['✔ B  1 came, 1 expected'])
    })

    test('may be all that comes', () => {
        assert.deepEqual(judged({ nothingElse: true, expect: [] }, came('A')), [false, '✘ A came at 09:30:00.000, and nobody expected it.'])
    })

    test('include that nothing has problems, unless they say so', () => {
        const bad = came('A', {}, { problems: ['X-API-Key is missing.'], seq: 7 })
        assert.deepEqual(judged([{ name: 'A' }], bad), [false, '✔ A  1 came, 1 expected', '✘ Request 7: X-API-Key is missing.'])
        assert.equal(judged({ allowProblems: true, expect: [{ name: 'A' }] }, bad)[0], true)
    })

    for (const [value, reason] of [
        [7, 'Expectations are an array, or an object with "expect".'],
        [{ expects: [] }, 'There is no setting "expects"; did you mean "expect"?'],
        [[{ nmae: 'A' }], 'expect[0] has "nmae"; did you mean "name"?'],
        [[{ kind: 'evnt' }], /^expect\[0\]\.kind is "evnt"; the kinds are session, /],
        [[{ name: 'ERROR', user: 17, count: 0 }], /^expect\[0\]\.user is 17; it must be a text\.$/],
        [[{ count: -1 }], /^expect\[0\]\.count is -1; it must be a whole number or /],
    ]) test(`that are wrong are an error: ${JSON.stringify(value)}`, () => assert.throws(() => new Expectations(value), { message: reason }))
})

suite('collect --assert', () => {
    const expecting = (t, value) => {
        const path = join(freshFolder(t), 'expectations.json')
        writeFileSync(path, JSON.stringify(value))
        return path
    }

    test('ends with 0 as soon as all has come', async (t) => {
        const { line, rest, ended } = startCommand(t, 'collect', '--port', '0', '--quiet', '--timeout', '60', '--assert', expecting(t, [{ name: 'PURCHASE' }]))
        const [, url] = /(http:\/\/[\d.:]+)/.exec(await line())
        await send(url, sample('event'))

        assert.equal(await ended, 0)
        assert.deepEqual((await rest()).slice(0, 3), ['', '✔ PURCHASE  1 came, 1 expected', 'All that was expected came.'])
    })

    /** What the command says once its time is up. If an event did not come in that time, it gets more. */
    async function verdictAfter(t, seconds, file) {
        const start = performance.now()
        const { line, rest, ended } = startCommand(t, 'collect', '--port', '0', '--quiet', '--timeout', `${seconds}s`, '--assert', file)
        const [, url] = /(http:\/\/[\d.:]+)/.exec(await line())
        const sent = send(url, sample('event'))
        await sent.catch(() => {})
        if (performance.now() - start > seconds * 1000) return verdictAfter(t, seconds * 4, file)
        await sent
        return { status: await ended, lines: await rest() }
    }

    test('ends with 1 and the differences when the time is up', async (t) => {
        const { status, lines } = await verdictAfter(t, 1, expecting(t, [{ name: 'PURCHASE', data: { total: 1 } }]))

        assert.equal(status, 1)
        assert.ok(lines.includes('      total is 149.99; expected is 1.'))
    })

    test('waits its time out where something must not come', async (t) => {
        const { ended } = startCommand(t, 'collect', '--port', '0', '--timeout', '50ms', '--assert', expecting(t, [{ name: 'A', count: 0 }]))

        assert.equal(await ended, 0)
    })

    test('fails if it has forgotten requests, which may have held what was not to come', async (t) => {
        const words = ['--port', '0', '--quiet', '--max-bytes', '3000', '--until-stdin-ends', '--timeout', '60']
        const { child, line, rest, ended } = startCommand(t, 'collect', ...words, '--assert', expecting(t, [{ name: 'ERROR', count: 0 }]))
        const [, url] = /(http:\/\/[\d.:]+)/.exec(await line())
        for (const event_name of ['ERROR', 'A', 'B', 'C', 'D']) {
            const { headers, body, ...event } = sample('event')
            await send(url, { ...event, headers: { ...headers, 'Idempotency-Key': event_name }, body: { ...body, event_name } })
        }
        child.stdin.end()

        assert.equal(await ended, 1)
        const [, ...lines] = await rest()
        assert.equal(lines[0], '✔ ERROR  0 came, 0 expected')
        assert.match(lines[1], /^✘ \d requests were forgotten to keep within --max-bytes, so what they held is not judged: give it more\.$/)
        assert.equal(lines[2], '1 of the expectations failed.')
    })

    test('writes its verdict as JSON', async (t) => {
        const file = expecting(t, [{ name: 'A' }])
        const { line, rest, ended } = startCommand(t, 'collect', '--port', '0', '--json', '--timeout', '0', '--assert', file)
        await line()

        assert.equal(await ended, 1)
        const verdict = JSON.parse((await rest())[0])
        assert.deepEqual([verdict.event, verdict.isMet, verdict.results[0].came], ['judged', false, 0])
    })

    test('explains a file that it cannot use', async (t) => {
        const missing = startCommand(t, 'collect', '--port', '0', '--assert', '/nowhere.json')
        const wrong = startCommand(t, 'collect', '--port', '0', '--assert', expecting(t, [{ nmae: 'A' }]))

        assert.deepEqual([await missing.ended, await wrong.ended], [1, 64])
        assert.match(missing.child.errors, /^mobile-tracker: \/nowhere\.json cannot be read: ENOENT/)
        assert.match(wrong.child.errors, /expectations\.json: expect\[0\] has "nmae"; did you mean "name"\?/)
    })
})
