import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { rowsOf } from '../src/collector/page/event.js'
import { curlCommand } from '../src/collector/page/request.js'
import { afterwards } from '../testsupport/hosts.js'
import { send } from '../testsupport/http.js'
import { run } from '../testsupport/programs.js'
import { analyticsEvent, batchHeaders, sample } from '../testsupport/samples.js'

/** Sends events to a collector, each with what differs from the sample, and gives their rows as the page makes them. */
async function rowsFrom(t, faults, ...changes) {
    const collector = await startCollector()
    afterwards(t, () => collector.close())
    collector.faults(faults)
    for (const { data, ...headers } of changes) {
        const { body, ...event } = sample('event')
        const request = { ...event, headers: { ...event.headers, ...headers }, body: data ? { ...body, data } : body }
        // A connection that is cut gives no answer.
        await send(collector.url, request).catch(() => {})
    }
    return collector.received().flatMap(rowsOf)
}

suite('the verdict of a row', () => {
    test('is good where an event was taken and nothing is wrong with it', async (t) => {
        const [row] = await rowsFrom(t, [], {})
        assert.deepEqual(row.marks, ['good'])
    })

    test('is a problem where something is not as it should be', async (t) => {
        const [row] = await rowsFrom(t, [], { data: 'no object' })
        assert.equal(row.verdict, 'problem')
        assert.equal(row.problems.length, 1)
    })

    test('is refused where it was answered with an error, cut off where the connection ended', async (t) => {
        const rows = await rowsFrom(t, ['503', 'drop-before', 'drop-after'], {}, {}, {})
        assert.deepEqual(rows.map(({ verdict }) => verdict), ['refused', 'lost', 'lost'])
    })

    test('is a repeat under a key that was taken, and a gap where numbers are missing', async (t) => {
        const rows = await rowsFrom(
            t, [], { 'Idempotency-Key': 'm1', 'X-Sequence': '1' }, { 'Idempotency-Key': 'm1', 'X-Sequence': '1' },
            { 'Idempotency-Key': 'm4', 'X-Sequence': '4' })
        assert.deepEqual(rows.map(({ verdict }) => verdict), ['good', 'repeat', 'good'])
        assert.ok(rows[2].marks.includes('gap'))
    })

    test('is personal where a member seems to have personal data that it is not meant for', async (t) => {
        const [row] = await rowsFrom(t, [], { data: { note: 'call ada@example.com' } })
        assert.ok(row.marks.includes('personal'))
    })
})

test('a request that is copied as a curl command is sent again as it came', async (t) => {
    const data = { text: 'it\'s "quoted" with $HOME, `ls`, a \\ and ünïcode' }
    const [{ record }] = await rowsFrom(t, [], { data })
    const other = await startCollector()
    afterwards(t, () => other.close())

    const { code, stderr } = await run(t, 'sh', ['-c', `${curlCommand(record, other.url)} --silent --show-error --noproxy '*'`])

    assert.equal(code, 0, stderr)
    const [again] = other.received()
    assert.deepEqual([again.method, again.path, again.raw], [record.method, record.path, record.raw])
    assert.equal(again.headers['user-agent'], record.headers['user-agent'])
})

suite('what is wrong with a row', () => {
    /** What is said of each event of a request, as kind and path. */
    async function findingsOf(t, { path, body, headers }, options) {
        const collector = await startCollector(options)
        afterwards(t, () => collector.close())
        await send(collector.url, { ...sample('event'), path, headers: { ...sample('batch').headers, ...headers }, body })
        return collector.received().flatMap(rowsOf)
            .map(({ problems, reasons, personal }) => [...problems, ...reasons, ...personal].map(({ kind, path, sentence }) => [kind, path, sentence]))
    }

    test('is what is wrong with its own event of a batch, with the member, and with the batch', async (t) => {
        const events = ['track', 'screen', 'track'].map(analyticsEvent)
        delete events[1].timestamp
        Object.assign(events[2].properties, { 'batch[0]': 'ada@example.com', plan: 'gold' })
        const plan = { events: { [events[2].event]: { data: { properties: { plan: { const: 'pro' } } } } } }

        const rows = await findingsOf(
            t, { path: '/v1/batch', body: { batch: events, batched: true }, headers: batchHeaders(events) }, { plan })

        const all = ['problem', null, 'batched does not belong here.']
        assert.deepEqual(rows[0], [all])
        assert.deepEqual(rows[1], [['problem', ['timestamp'], 'batch[1].timestamp is missing.'], all])
        assert.deepEqual(rows[2], [
            all,
            ['plan', ['properties', 'plan'], 'data.plan is "gold"; it must be "pro".'],
            ['personal', ['properties', 'batch[0]'], 'batch[2].properties.batch[0] looks like an email address.'],
        ])
    })
})
