import { counted } from '../command-line.js'
import { harmless, painter, wrap } from '../terminal.js'
import { isRespelled, parseExactly } from './exact.js'
import { propertiesOf, propertiesText } from './properties.js'

/** @typedef {import('./record.js').ReceivedRequest} ReceivedRequest */

/** Above so many bytes that nobody has read, lines are counted instead of kept. */
const MOST_UNREAD = 1 << 20

/** How many reasons for refusing foreign requests are told. */
const MOST_REASONS = 10

/** How long the end waits for a reader, in milliseconds. */
const LAST_CHANCE = 250

/** How wide a line may be where the stream does not say. */
const USUAL_WIDTH = 160

/** Sentences under a line are indented to its kind. */
const INDENT = ' '.repeat(14)

/** Writes what happens to a stream: for people, or as JSON, an object a line. */
export class Printer {
    #stream
    #json
    #quiet
    #paint
    #pending = ''
    #skipped = 0
    /** Why requests were refused as foreign, each told once. */
    #told = new Set()

    /**
     * @param {import('node:stream').Writable & { isTTY?: boolean, columns?: number }} stream
     * @param {{ json: boolean, quiet: boolean }} options
     */
    constructor(stream, { json, quiet }) {
        this.#stream = stream
        this.#json = json
        this.#quiet = quiet
        this.#paint = painter(stream)
        // A reader that went away must not end the collector.
        stream.on('error', () => {})
    }

    /** @param {{ url: string, port: number }} collector */
    started({ url, port }) {
        if (this.#json) this.#line(JSON.stringify({ event: 'listening', url, port, pid: process.pid }))
        else this.#line(`Collecting at ${this.#paint('bold', url)}  (open it in a browser for the live page; Ctrl-C ends)`)
        this.#flush()
    }

    /** @param {ReceivedRequest} record */
    received(record) {
        if (this.#quiet) return
        if (this.#stream.writableLength > MOST_UNREAD) {
            this.#skipped++
            return
        }
        this.#line(this.#json ? jsonLine(record) : this.#lines(record).join('\n'))
    }

    /** Says why a request was refused as foreign, once for each reason: a page elsewhere may send any number. */
    foreign(reason) {
        if (this.#json || this.#told.has(reason) || this.#told.size >= MOST_REASONS) return
        this.#told.add(reason)
        this.#line(this.#paint('red', harmless(`A request is refused (403). ${reason}`)))
    }

    /**
     * Writes the result of the expectations.
     *
     * @param {import('./expectations.js').Verdict} verdict
     * @param {(stream: { isTTY?: boolean }) => string} text The same for people.
     */
    judged(verdict, text) {
        if (this.#json) this.#line(JSON.stringify({ event: 'judged', ...verdict }))
        else this.#line(`\n${text(this.#stream)}`.trimEnd())
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

    /** What came, and under it what is wrong with it. */
    #lines(record) {
        const { at, kind, api, status, fault, flags, problems, plan = [] } = record
        const label = api === null || api === 'metaRouter' ? kind : api
        const title = titleOf(record)
        const answer = status === null ? (fault ?? 'cut') : String(status)
        const plainLength = INDENT.length + Math.max(label.length, 8) + 2 + answer.length + 2 + title.length + 2 + (plan.length > 0 ? 8 : 0)
        const room = Math.max((this.#stream.columns ?? USUAL_WIDTH) - plainLength, 20)
        const body = record.isJSON ? parseExactly(record.raw, isRespelled) : undefined
        const properties = propertiesText(propertiesOf({ ...record, body }), room, (name) => this.#paint('dim', name))
        const head = [
            this.#paint('dim', at.slice(11, 23)), label.padEnd(8), this.#paint(styleOf(status, fault), answer),
            title && this.#paint('bold', title), properties, this.#planMark(plan),
        ]
        return [
            head.filter((part) => part !== '').join('  '),
            ...flags.map(({ text }) => this.#note('yellow', `! ${text}`)),
            ...problems.map((problem) => this.#note('red', `✘ ${problem}`)),
        ]
    }

    /** A sentence under the line, no wider than a terminal; in a file it stays one line. */
    #note(style, text) {
        return `${INDENT}${this.#paint(style, wrap(harmless(text), this.#stream.columns ?? Infinity, INDENT.length + 2))}`
    }

    /** Whether all of its events keep to the plan. Lines under it say which do not, and why. */
    #planMark(plan) {
        return plan.length > 0 && plan.every(({ verdict }) => verdict === 'kept') ? this.#paint('green', '✔ kept') : ''
    }
}

/** Whether the kind alone says where a request went. */
function isTelling(kind) {
    return !['unknown', 'batch', 'basic', 'event'].includes(kind)
}

function styleOf(status, fault) {
    if (status !== null && status < 300) return 'green'
    return fault ? 'yellow' : 'red'
}

/** What a request is about: its events' names, or where it went if its kind does not say it. */
function titleOf({ kind, method, path, items }) {
    if (items.length === 1 && !items[0].name && items[0].type === kind) {
        return isTelling(kind) ? '' : harmless(`${method} ${path}`)
    }
    const names = new Map()
    for (const { name, type } of items) names.set(name ?? type, (names.get(name ?? type) ?? 0) + 1)
    const shown = [...names].slice(0, 4).map(([name, count]) => (count > 1 ? `${name} ×${count}` : name))
    if (names.size > 4) shown.push(`and ${names.size - 4} more`)
    return harmless(shown.join(', '))
}

/** It contains the body character for character as it was sent. */
function jsonLine(record) {
    const { seq, at, method, path, kind, api, status, accepted, attempt, repeat, flags, problems, plan, items, fault } = record
    const facts = {
        event: 'request',
        seq,
        at,
        method,
        path,
        kind,
        api,
        status,
        accepted,
        attempt,
        repeat,
        flags,
        problems,
        plan,
        items,
        fault,
    }
    // A line break between two members would end the line.
    const body = record.isJSON ? record.raw.replace(/[\r\n]+/g, ' ') : 'null'
    return `${JSON.stringify(facts).slice(0, -1)},"body":${body}}`
}

function summary(
    { requests, accepted, events, withProblems, repeat, gap, order, cut, personal, foreign, kept, broken },
    skipped,
) {
    const carried = counted(events, 'event or update', 'events and updates')
    const parts = [`${counted(requests, 'request')}, ${accepted} accepted, with ${carried}`]
    if (withProblems) parts.push(`${withProblems} with problems`)
    if (repeat) parts.push(counted(repeat, 'repeat'))
    if (gap) parts.push(counted(gap, 'gap'))
    if (order) parts.push(`${order} out of order`)
    if (cut) parts.push(`${cut} cut off by the sender`)
    if (personal) parts.push(`${personal} × what looks like personal data`)
    if (foreign) parts.push(`${foreign} from elsewhere refused`)
    if (kept || broken) parts.push(`the plan: ${kept} kept, ${broken} broken`)
    if (skipped) parts.push(`${counted(skipped, 'line')} not printed`)
    return `${parts.join('; ')}.`
}
