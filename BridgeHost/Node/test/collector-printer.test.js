import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { suite, test } from 'node:test'
import { Printer } from '../src/collector/printer.js'

/** A stream that keeps what is written, or stops reading. */
class Paper extends Writable {
    text = ''
    constructor({ isTTY = false, stalled = false } = {}) {
        super({ decodeStrings: false })
        this.isTTY = isTTY
        this.stalled = stalled
    }

    _write(chunk, _, done) {
        this.text += chunk
        if (!this.stalled) done()
    }
}

const SAMPLE = {
    api: null, at: '2025-01-31T09:30:00.000Z', method: 'POST', status: 200, fault: null, flags: [], problems: [], isJSON: true, raw: '{}',
}
const record = {
    ...SAMPLE,
    kind: 'batch',
    api: 'metaRouter',
    path: '/v1/batch',
    flags: [{ kind: 'gap', text: 'A gap.' }],
    problems: ['A problem.'],
    items: ['A', 'B', 'A', 'C', 'D', 'E'].map((name) => ({ name, type: 'track', session: null })),
}

/** An event with this data: a value, or its text. */
function event(data) {
    return {
        ...SAMPLE, kind: 'event', path: '/v2/tracking-session-data',
        raw: typeof data === 'string' ? `{"data":${data}}` : JSON.stringify({ data }),
        items: [{ name: 'PURCHASE', type: 'event', session: 's', user: null }],
    }
}

const totals = { requests: 1, accepted: 1, events: 6, withProblems: 1, repeat: 0, gap: 1, order: 0, cut: 0, personal: 0 }

async function printed(paper, ...records) {
    const printer = new Printer(paper, { json: false, quiet: false })
    for (const each of records) printer.received(each)
    await printer.ended(totals)
    return paper.text
}

suite('a line', () => {
    test('sums up a batch', async () => {
        const text = await printed(new Paper(), record)
        assert.deepEqual(text.split('\n').slice(0, 3), [
            '09:30:00.000  batch     200  A ×2, B, C, D, and 1 more', '              ! A gap.', '              ✘ A problem.',
        ])
    })

    test('names the API of a vendor\'s batch, and what the caller gave', async () => {
        const raw = JSON.stringify({ api_key: '****', events: [{ event_type: 'PURCHASE', user_id: 'user-1', event_properties: { total: 149.99 } }] })
        const items = [{ name: 'PURCHASE', type: 'track', session: null, user: 'user-1' }]
        const text = await printed(new Paper(), { ...record, api: 'amplitude', path: '/2/httpapi', flags: [], problems: [], raw, items })
        assert.equal(text.split('\n')[0], '09:30:00.000  amplitude  200  PURCHASE  total=149.99')
    })

    test('shows what an event says, and not its session', async () => {
        const text = await printed(new Paper(), event({ total: 149.99, name: 'a b', items: [1, 2], sku: { a: 1 }, none: null }))
        assert.equal(text.split('\n')[0], '09:30:00.000  event     200  PURCHASE  total=149.99 name="a b" items=[2] sku={1} none=null')
    })

    test('shows numbers with the digits that came', async () => {
        const text = await printed(new Paper(), event('{"id":12345678901234567890,"total":149.90,"rate":1e-7,"text":"1.50","list":[1.0]}'))
        assert.equal(
            text.split('\n')[0],
            '09:30:00.000  event     200  PURCHASE  id=12345678901234567890 total=149.90 rate=1e-7 text=1.50 list=[1]',
        )
    })

    test('is no longer than the terminal is wide', async () => {
        const paper = new Paper({ isTTY: true })
        paper.columns = 80
        const data = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`property${i}`, i]))
        const [line] = (await printed(paper, event(data))).replaceAll(/\u001b\[\d+m/g, '').split('\n')
        assert.match(line, /PURCHASE {2}property0=0 property1=1 property2=2 …$/)
        assert.ok(line.length <= 80)
    })

    test('has notes no wider than the terminal, and whole ones in a file', async () => {
        const long = { ...event({}), problems: ['Something is not as it should be, and this sentence says at length what it is.'] }
        const paper = new Paper({ isTTY: true })
        paper.columns = 60
        const lines = (await printed(paper, long)).replaceAll(/\u001b\[\d+m/g, '').split('\n')

        assert.deepEqual(lines.slice(1, 3), ['              ✘ Something is not as it should be, and this', '                sentence says at length what it is.'])
        assert.equal((await printed(new Paper(), long)).split('\n')[1], `              ✘ ${long.problems[0]}`)
    })

    test('of a profile shows its fields, of an identify its user', async () => {
        const profile = {
            ...SAMPLE, kind: 'profile', path: '/x', raw: '{"brand_id":9,"session_id":"s","name":"Ada"}',
            items: [{ name: null, type: 'profile', session: 's', user: null }],
        }
        const identify = { ...SAMPLE, kind: 'identify', path: '/x', items: [{ name: null, type: 'identify', session: 's', user: 'u/1' }] }
        const lines = (await printed(new Paper(), profile, identify)).split('\n')

        assert.deepEqual(lines.slice(0, 2), ['09:30:00.000  profile   200  name=Ada', '09:30:00.000  identify  200  user=u/1'])
    })

    test('of a path that there is not shows it', async () => {
        const lost = {
            ...SAMPLE, kind: 'unknown', status: 404, path: '/v1/bach', problems: ['There is no endpoint.'],
            items: [{ name: null, type: 'unknown', session: null, user: null }],
        }
        assert.equal((await printed(new Paper(), lost)).split('\n')[0], '09:30:00.000  unknown   404  POST /v1/bach')
    })

    test('lets nothing that was sent move the cursor', async () => {
        const text = await printed(new Paper(), event({ 'a\u001b[2J': 'b\rc\u202e' }))
        assert.equal(text.split('\n')[0], '09:30:00.000  event     200  PURCHASE  a·[2J=b·c·')
    })

    test('has colours on a terminal alone', async () => {
        const escape = '\u001b['
        assert.ok((await printed(new Paper({ isTTY: true }), record)).includes(`${escape}31m✘ A problem.`))
        assert.ok(!(await printed(new Paper(), record)).includes(escape))
    })

    test('of a cut connection says what cut it', async () => {
        const text = await printed(new Paper(), { ...record, status: null, fault: 'drop-after' })
        assert.match(text, /^09:30:00\.000 {2}batch {5}drop-after {2}/)
    })
})

suite('the summary', () => {
    test('names what is not as it should be, and nothing else', async () => {
        assert.equal(await printed(new Paper()), '1 request, 1 accepted, with 6 events and updates; 1 with problems; 1 gap.\n')
    })

    test('does not wait for ever for a reader', async () => {
        await printed(new Paper({ stalled: true }), record)
    })
})

suite('a page elsewhere', () => {
    test('says once why a request of a page elsewhere is refused', async () => {
        const paper = new Paper()
        const printer = new Printer(paper, { json: false, quiet: false })
        for (let i = 0; i < 100; i++) printer.foreign(i % 2 === 0 ? 'The first reason.' : `Reason ${i}\n.`)
        await printer.ended({ ...totals, foreign: 100 })

        const lines = paper.text.trimEnd().split('\n')
        assert.deepEqual(lines.slice(0, 2), [
            'A request is refused (403). The first reason.', 'A request is refused (403). Reason 1·.',
        ])
        assert.equal(lines.length, 11)
        assert.match(lines[10], /100 from elsewhere refused\.$/)
    })
})

suite('a reader that has stopped', () => {
    test('costs a bounded amount of memory', async () => {
        const paper = new Paper({ stalled: true })
        const printer = new Printer(paper, { json: false, quiet: false })
        const long = { ...record, problems: ['x'.repeat(100_000)] }
        for (let i = 0; i < 100; i++) {
            printer.received(long)
            await new Promise(setImmediate)
        }

        assert.ok(paper.writableLength < 2_000_000)
        await printer.ended(totals)
    })
})
