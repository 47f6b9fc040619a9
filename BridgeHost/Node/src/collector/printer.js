/** @typedef {import('./record.js').ReceivedRequest} ReceivedRequest */

const RED = '31'
const YELLOW = '33'
const GREEN = '32'
const DIM = '2'

/** Above so many bytes that nobody has read, lines are counted instead of kept. */
const MOST_UNREAD = 1 << 20

/** How long the end waits for a reader, in milliseconds. */
const LAST_CHANCE = 250

/** Writes what happens to a stream: for people, or as JSON, an object a line. */
export class Printer {
    #stream
    #json
    #quiet
    #colours
    #pending = ''
    #skipped = 0

    /**
     * @param {import('node:stream').Writable & { isTTY?: boolean }} stream
     * @param {{ json: boolean, quiet: boolean }} options
     */
    constructor(stream, { json, quiet }) {
        this.#stream = stream
        this.#json = json
        this.#quiet = quiet
        this.#colours = stream.isTTY === true && !process.env.NO_COLOR
        // A reader that went away must not end the collector.
        stream.on('error', () => {})
    }

    /** @param {{ url: string, port: number }} collector */
    started({ url, port }) {
        if (this.#json) this.#line(JSON.stringify({ event: 'listening', url, port, pid: process.pid }))
        else this.#line(`Collecting at ${url}  (GET /received, GET /wait, POST /clear, POST /faults; Ctrl-C ends)`)
        this.#flush()
    }

    /** @param {ReceivedRequest} record */
    received(record) {
        if (this.#quiet) return
        if (this.#stream.writableLength > MOST_UNREAD) {
            this.#skipped++
            return
        }
        this.#line(this.#json ? jsonLine(record) : this.#textLine(record))
    }

    /**
     * Writes the summary.
     *
     * @param {Record<string, number>} totals
     * @returns {Promise<void>} Settles when all is written, or soon after if nobody reads.
     */
    async ended(totals) {
        if (this.#json) this.#line(JSON.stringify({ event: 'ended', ...totals, linesSkipped: this.#skipped }))
        else this.#line(summary(totals, this.#skipped))
        this.#flush()
        await new Promise((resolve) => {
            this.#stream.write('', resolve)
            setTimeout(resolve, LAST_CHANCE)
        })
    }

    /** Lines of one turn of the event loop are written at once: a write each would cost more than the request. */
    #line(text) {
        if (this.#pending === '') setImmediate(() => this.#flush())
        this.#pending += `${text}\n`
    }

    #flush() {
        if (this.#pending !== '') this.#stream.write(this.#pending)
        this.#pending = ''
    }

    #textLine(record) {
        const { at, kind, status, fault, flags, problems } = record
        const parts = [this.#paint(DIM, at.slice(11, 23)), kind.padEnd(8), this.#status(status, fault), titleOf(record)]
        const session = record.items[0]?.session
        if (session) parts.push(this.#paint(DIM, session))
        for (const { text } of flags) parts.push(this.#paint(YELLOW, text))
        for (const problem of problems) parts.push(this.#paint(RED, problem))
        return parts.join('  ')
    }

    #status(status, fault) {
        if (status === null) return this.#paint(YELLOW, fault ?? 'cut')
        return this.#paint(status < 300 ? GREEN : YELLOW, String(status))
    }

    #paint(colour, text) {
        return this.#colours ? `\u001b[${colour}m${text}\u001b[0m` : text
    }
}

/** What a request is about: its names, or for what it stands. */
function titleOf({ items, path }) {
    const names = new Map()
    for (const { name, type } of items) names.set(name ?? type, (names.get(name ?? type) ?? 0) + 1)
    const shown = [...names].slice(0, 4).map(([name, count]) => (count > 1 ? `${name} ×${count}` : name))
    if (names.size > 4) shown.push(`and ${names.size - 4} more`)
    const title = items.length === 1 && !items[0].name ? path : shown.join(', ')
    // Nothing in a name may move the cursor or colour the terminal.
    return title.replace(/[\u0000-\u001f\u007f-\u009f]/g, '·')
}

function jsonLine({ seq, at, kind, status, accepted, repeat, flags, problems, items, fault }) {
    return JSON.stringify({ event: 'request', seq, at, kind, status, accepted, repeat, flags, problems, items, fault })
}

function summary({ requests, accepted, events, withProblems, repeat, gap, order, cut }, skipped) {
    const lines = [`${requests} requests, ${accepted} accepted, ${events} events and updates in them`]
    if (withProblems) lines.push(`${withProblems} with problems`)
    if (repeat) lines.push(`${repeat} repeats`)
    if (gap) lines.push(`${gap} gaps`)
    if (order) lines.push(`${order} out of order`)
    if (cut) lines.push(`${cut} cut off by the sender`)
    if (skipped) lines.push(`${skipped} lines not printed`)
    return `${lines.join('; ')}.`
}
