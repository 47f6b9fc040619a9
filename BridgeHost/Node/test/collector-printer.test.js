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

const record = {
    at: '2025-01-31T09:30:00.000Z',
    kind: 'batch',
    status: 200,
    path: '/v1/batch',
    fault: null,
    flags: [{ kind: 'gap', text: 'A gap.' }],
    problems: ['A problem.'],
    items: ['A', 'B', 'A', 'C', 'D', 'E'].map((name) => ({ name, type: 'track', session: null })),
}
const totals = { requests: 1, accepted: 1, events: 6, withProblems: 1, repeat: 0, gap: 1, order: 0, cut: 0 }

async function printed(paper, ...records) {
    const printer = new Printer(paper, { json: false, quiet: false })
    for (const each of records) printer.received(each)
    await printer.ended(totals)
    return paper.text
}

suite('a line', () => {
    test('sums up a batch', async () => {
        const text = await printed(new Paper(), record)
        assert.equal(text.split('\n')[0], '09:30:00.000  batch     200  A ×2, B, C, D, and 1 more  A gap.  A problem.')
    })

    test('has colours on a terminal alone', async () => {
        const escape = '\u001b['
        assert.ok((await printed(new Paper({ isTTY: true }), record)).includes(`${escape}31mA problem.`))
        assert.ok(!(await printed(new Paper(), record)).includes(escape))
    })

    test('of a cut connection says what cut it', async () => {
        const text = await printed(new Paper(), { ...record, status: null, fault: 'drop-after' })
        assert.match(text, /^09:30:00\.000 {2}batch {5}drop-after {2}/)
    })
})

suite('the summary', () => {
    test('names what is not as it should be, and nothing else', async () => {
        assert.equal(await printed(new Paper()), '1 requests, 1 accepted, 6 events and updates in them; 1 with problems; 1 gaps.\n')
    })

    test('does not wait for ever for a reader', async () => {
        await printed(new Paper({ stalled: true }), record)
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
