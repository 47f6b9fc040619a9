import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, beforeEach, suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { Intervals } from '../src/collector/intervals.js'
import { send } from '../testsupport/http.js'
import { randomFrom } from '../testsupport/random.js'
import { analyticsEvent, basicEvent, batchHeaders, sample } from '../testsupport/samples.js'

let collector
before(async () => (collector = await startCollector()))
after(() => collector.close())
beforeEach(() => {
    collector.clear()
    collector.faults([])
})

/** Sends one event, or another record, of a session. */
async function event(sequence, { session = 's1', key = `m${sequence}`, kind = 'event', brand = 925 } = {}) {
    const request = sample(kind)
    const headers = { ...request.headers, 'Idempotency-Key': key, 'X-Sequence': String(sequence) }
    const path = request.path.replace('5f775520-0a19-44da-b4c3-4584ab3f4569', session)
    const body = request.body && { ...request.body }
    if (body?.session_id) body.session_id = session
    if (body?.brand_id) body.brand_id = brand
    await send(collector.url, { ...request, path, headers, body }).catch(() => {})
}

/** Sends events `first`…`last` of one installation as a batch. */
async function batch(first, last, { anonymous = 1, sequence = first } = {}) {
    const events = []
    for (let i = first; i <= last; i++) {
        events.push({ ...analyticsEvent('track', i), anonymousId: `9d0a6f0e-2d7b-4d0a-8d41-3a5c1f3c0d1${anonymous}` })
    }
    const headers = { ...sample('batch').headers, ...batchHeaders(events, String(sequence)) }
    await send(collector.url, { ...sample('batch'), headers, body: { batch: events } })
}

/** Sends events `first`…`last` as an array. */
async function array(first, last) {
    const headers = { ...sample('basic').headers, 'Idempotency-Key': `m${first}:m${last}:${last - first + 1}`, 'X-Sequence': String(first) }
    const body = Array.from({ length: last - first + 1 }, () => basicEvent('track'))
    await send(collector.url, { ...sample('basic'), headers, body })
}

async function session(device) {
    const request = sample('session')
    const headers = { ...request.headers, 'Idempotency-Key': crypto.randomUUID() }
    return (await send(collector.url, { ...request, headers, body: { ...request.body, device_id: device } })).json.data.id
}

/** What was flagged, in order: the kinds, and their sentences. */
function flags() {
    return collector.received().flatMap((record) => record.flags.map(({ kind, text }) => `${kind}: ${text}`))
}

suite('a repeat is flagged', () => {
    test('when its key was taken before', async () => {
        await event(1)
        await event(1)

        const [first, second] = collector.received()
        assert.deepEqual([first.attempt, first.repeat], [1, false])
        assert.deepEqual([second.attempt, second.repeat], [2, true])
        assert.deepEqual(flags(), ['repeat: Idempotency-Key m1 was taken before.'])
    })

    test('when the answer to the first was lost', async () => {
        collector.faults('drop-after')
        await event(1)
        await event(1)

        assert.deepEqual(collector.received().map((record) => record.repeat), [false, true])
    })

    test('but not when the first was refused: that is a retry', async () => {
        collector.faults('500,drop-before')
        await event(1)
        await event(1)
        await event(1)

        assert.deepEqual(flags(), [])
        assert.deepEqual(collector.received().map((record) => record.accepted), [false, false, true])
        assert.equal(collector.received()[2].attempt, 2, 'what was not read has no number of attempts')
    })

    test('but not when another lane uses the same key', async () => {
        await event(1, { brand: 1, session: 'a' })
        await event(1, { brand: 2, session: 'b' })

        assert.deepEqual(flags(), [])
    })

    test('when a batch is formed anew around events that were taken', async () => {
        await batch(1, 3)
        await batch(2, 5)

        assert.deepEqual(flags(), ['repeat: 2 of its 4 events were taken before.'])
    })

    test('when an array is formed anew around numbers that were taken', async () => {
        await array(1, 3)
        await array(1, 5)

        assert.deepEqual(flags(), ['repeat: 3 of the numbers 1 to 5 were taken before.'])
    })
})

suite('a gap is flagged', () => {
    test('when a number is left out', async () => {
        await event(1)
        await event(3)
        await event(7)

        assert.deepEqual(flags(), ['gap: X-Sequence 2 has not come.', 'gap: X-Sequence 4 to 6 have not come.'])
    })

    test('when a batch leaves events out', async () => {
        await batch(1, 3)
        await batch(6, 8)

        assert.deepEqual(flags(), ['gap: X-Sequence 4 to 5 have not come.'])
    })

    test('but not for what was refused for good', async () => {
        collector.faults('ok,400,ok')
        await event(1)
        await event(2)
        await event(3)

        assert.deepEqual(flags(), [])
    })

    test('but not for the bad record that a bisected batch leaves behind', async () => {
        collector.faults('400,ok,400,400,ok')
        await batch(1, 4)
        await batch(1, 2)
        await batch(3, 4)
        await batch(3, 3)
        await batch(4, 4)
        await batch(5, 6)

        assert.deepEqual(flags(), [])
    })

    test('but not before the first number that comes', async () => {
        await event(40)

        assert.deepEqual(flags(), [])
    })
})

suite('a break of order is flagged', () => {
    test('when a lower number comes after a higher one', async () => {
        await event(1)
        await event(3)
        await event(2)

        assert.deepEqual(flags().at(-1), 'order: X-Sequence 2 comes after 3.')
    })

    test('when a number is used again under another key', async () => {
        await event(1)
        await event(1, { key: 'other' })

        assert.deepEqual(flags(), ['order: X-Sequence 1 was taken before, under another key.'])
    })

    test('when a record that failed is overtaken', async () => {
        collector.faults('500')
        await event(1)
        await event(2)
        await event(1)

        assert.deepEqual(flags(), ['order: X-Sequence 1 comes after 2.'])
    })

    test('but not when the whole lane waits', async () => {
        collector.faults('ok,500×2')
        await event(1)
        await event(2)
        await event(2)
        await event(2)
        await event(3)

        assert.deepEqual(flags(), [])
    })

    test('but not between a profile and the identify before it, which share a number', async () => {
        await event(1)
        await event(2, { kind: 'identify', key: 'm2:identify' })
        await event(2, { kind: 'profile' })
        await event(3)

        assert.deepEqual(flags(), [])
    })
})

suite('installations that share a lane are told apart', () => {
    test('by the session', async () => {
        const [one, other] = [await session(crypto.randomUUID()), await session(crypto.randomUUID())]
        for (const number of [1, 2, 3]) await event(number, { session: one, key: `a${number}` })
        await event(1, { session: other, key: 'b1' })
        await event(4, { session: one, key: 'a4' })
        await event(2, { session: other, key: 'b2' })

        assert.deepEqual(flags(), [])
    })

    test('and one that goes on with another session is followed', async () => {
        await event(1, { session: 'before' })
        await event(2, { session: 'before' })
        await event(3, { session: 'after' })
        await event(5, { session: 'after' })

        assert.deepEqual(flags(), ['gap: X-Sequence 4 has not come.'])
    })

    test('by the device, when a session is made again for it', async () => {
        const device = crypto.randomUUID()
        const before = await session(device)
        await event(5, { session: before, key: 'a5' })
        await event(7, { session: 'other', key: 'b7', brand: 926 })
        const after = await session(device)
        await event(6, { session: after, key: 'a6' })
        await event(6, { session: after, key: 'b6' })

        assert.deepEqual(flags(), ['order: X-Sequence 6 was taken before, under another key.'])
    })

    test('by the anonymous id', async () => {
        await batch(1, 3, { anonymous: 1 })
        await batch(11, 12, { anonymous: 2, sequence: 1 })
        await batch(4, 5, { anonymous: 1 })
        await batch(13, 14, { anonymous: 2, sequence: 3 })

        assert.deepEqual(flags(), [])
    })

    test('by the number that fits, where nothing names them', async () => {
        await array(1, 3)
        await send(collector.url, { ...sample('basic'), headers: { ...sample('basic').headers, 'Idempotency-Key': 'n1:n3:3' } })
        await array(4, 5)

        assert.deepEqual(flags(), [])
    })

    test('and the session that an answer names goes on with the number of the one before', async () => {
        const first = await session(crypto.randomUUID())
        await event(1, { session: first })
        collector.faults('200:id=merged')
        await event(2, { session: first, kind: 'identify', key: 'm2:identify' })
        await event(2, { session: 'merged', kind: 'profile' })
        await event(3, { session: 'merged', kind: 'location' })
        await event(5, { session: 'merged' })

        assert.deepEqual(flags(), ['gap: X-Sequence 4 has not come.'])
    })
})

suite('a request that is cut off', () => {
    test('is flagged, and is no problem', async () => {
        const socket = connect(collector.port, '127.0.0.1')
        const head = 'POST /v2/tracking-session-data HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{"brand'
        await new Promise((resolve) => socket.write(head, resolve))
        socket.destroy()
        await collector.wait({ kind: 'event', accepted: false })

        const [record] = collector.received()
        assert.deepEqual([record.status, record.problems], [null, []])
        assert.deepEqual(flags(), ['cut: The connection ended in the middle of the body.'])
    })
})

suite('a set of numbers', () => {
    test('joins runs that touch, and tells what it lacks', () => {
        const numbers = new Intervals()
        for (const [first, last] of [[1, 2], [6, 7], [3, 4], [10, 10]]) numbers.add(first, last)

        assert.deepEqual(numbers.gaps(1, 12), [[5, 5], [8, 9], [11, 11]])
        assert.equal(numbers.count(4, 6), 2)
        assert.equal(numbers.last, 10)
    })

    test('agrees with a plain set on anything that is added', (t) => {
        const random = randomFrom(t)
        const below = (limit) => Math.floor(random() * limit)
        for (let round = 0; round < 200; round++) {
            const [numbers, plain] = [new Intervals(), new Set()]
            for (let i = 0; i < 12; i++) {
                const first = below(40)
                const last = first + below(5)
                numbers.add(first, last)
                for (let n = first; n <= last; n++) plain.add(n)
            }
            const lacking = numbers.gaps(0, 50).flatMap(([first, last]) => range(first, last))
            assert.deepEqual(lacking, range(0, 49).filter((n) => !plain.has(n)))
            assert.equal(numbers.count(10, 30), range(10, 30).filter((n) => plain.has(n)).length)
            assert.equal(numbers.last, Math.max(...plain))
        }
    })
})

function range(first, last) {
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
}
