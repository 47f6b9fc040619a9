import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { suite, test } from 'node:test'
import { LineReader } from '../src/client/framing.js'
import { LineWriter } from '../src/client/line-writer.js'

function linesOf(chunks) {
    const lines = []
    const reader = new LineReader((line) => lines.push(line))
    for (const chunk of chunks) reader.push(chunk)
    reader.end()
    return lines
}

suite('a line reader', () => {
    const text = Buffer.from('{"a":"é漢🐙"}\n\n \r\n[1]\r\nlast')
    const lines = ['{"a":"é漢🐙"}', '[1]\r', 'last']

    test('gives the same lines wherever the stream is cut once', () => {
        for (let cut = 0; cut <= text.length; cut++) {
            assert.deepEqual(linesOf([text.subarray(0, cut), text.subarray(cut)]), lines)
        }
    })

    test('gives the same lines byte by byte', () => {
        assert.deepEqual(linesOf([...text].map((byte) => Buffer.of(byte))), lines)
    })

    test('puts a line together from very many pieces', () => {
        const piece = Buffer.from('x'.repeat(64))
        const [line] = linesOf([...Array(100_000).fill(piece), Buffer.from('\n')])

        assert.equal(line.length, 6_400_000)
    })
})

/** A stream that takes a write only when it is told to. */
class SlowStream extends Writable {
    writes = []
    #done = null

    constructor() {
        super({ highWaterMark: 1 })
    }

    _write(bytes, _encoding, done) {
        this.writes.push(String(bytes))
        this.#done = done
    }

    takeOne() {
        const done = this.#done
        this.#done = null
        done()
    }
}

/** Resolves when the tick is over and what it scheduled is done. */
const tickIsOver = () => new Promise((resolve) => setImmediate(resolve))

const message = (text) => ({ text: `${text}\n`, written: false })

suite('a line writer', () => {
    test('writes all of one tick at once', async () => {
        const stream = new SlowStream()
        const writer = new LineWriter(stream)

        for (const text of ['1', '2', '3']) writer.send(message(text))
        await tickIsOver()

        assert.deepEqual(stream.writes, ['1\n2\n3\n'])
    })

    test('holds back what the stream does not take, and knows it', async () => {
        const stream = new SlowStream()
        const writer = new LineWriter(stream)
        const messages = ['1', '2', '3'].map(message)

        writer.send(messages[0])
        await tickIsOver()
        writer.send(messages[1])
        writer.send(messages[2])
        await tickIsOver()
        assert.deepEqual(messages.map(({ written }) => written), [true, false, false])

        stream.takeOne()
        await tickIsOver()
        assert.deepEqual(stream.writes, ['1\n', '2\n3\n'])
        assert.deepEqual(messages.map(({ written }) => written), [true, true, true])
    })

    test('does not wait for the end of the tick with very much', () => {
        const stream = new SlowStream()
        const writer = new LineWriter(stream)

        writer.send(message('x'.repeat(70_000)))

        assert.equal(stream.writes.length, 1)
    })

    test('keeps the order of very many through a slow stream', async () => {
        const stream = new SlowStream()
        const writer = new LineWriter(stream)
        const count = 50_000

        for (let i = 0; i < count; i++) writer.send(message(`message ${i}`))
        for (let seen = -1; seen < stream.writes.length; ) {
            seen = stream.writes.length
            await tickIsOver()
            stream.takeOne()
            await tickIsOver()
        }

        const expected = Array.from({ length: count }, (_, i) => `message ${i}\n`).join('')
        assert.equal(stream.writes.join(''), expected)
    })

    test('knows what is not in the pipe, to the message', async () => {
        const stream = new SlowStream()
        const writer = new LineWriter(stream)
        const messages = ['é1', '2', '3', '4'].map(message)

        writer.send(messages[0])
        writer.send(messages[1])
        await tickIsOver()
        writer.send(messages[2])
        assert.deepEqual(writer.unwritten(), messages.slice(0, 3))
        // The system has taken the first message, and a part of the second.
        stream._handle = { writeQueueSize: 2 }
        assert.deepEqual(writer.unwritten(), messages.slice(1, 3))

        delete stream._handle
        stream.takeOne()
        await tickIsOver()
        stream.takeOne()
        writer.send(messages[3])
        assert.deepEqual(writer.unwritten(), messages.slice(3))
    })

    test('writes nothing after it was closed', async () => {
        const stream = new SlowStream()
        const writer = new LineWriter(stream)

        writer.send(message('1'))
        writer.close()
        await tickIsOver()

        assert.deepEqual(stream.writes, [])
    })
})
