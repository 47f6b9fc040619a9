import { ACTIONS, OPTION_HELP } from './faults/item.js'
import { KINDS } from './routes.js'

/** @typedef {import('./collector.js').Collector} Collector */
/** @typedef {import('./record.js').ReceivedRequest} ReceivedRequest */

/** What one message to the page may hold. */
const MOST_RECORDS = 200
const MOST_CHARACTERS = 256 * 1024

/** A body longer than this is sent cut short; the page asks for the rest when it is shown. */
const MOST_RAW = 32 * 1024

/** How much of the log a page receives when it is opened. */
const MOST_EVENTS_AT_FIRST = 20_000
const MOST_BYTES_AT_FIRST = 32 * 1024 * 1024

/** How long a page may leave unread what it was sent, in milliseconds. */
const PATIENCE = 30_000

/** When the browser tries again after the connection was lost, in milliseconds. */
const RETRY = 500

/**
 * One page that receives everything as it comes, by server-sent events.
 *
 * It has no queue: the request log is the queue, and the page's position in it a number. A slow page receives what has
 * arrived meanwhile when it is ready, and of each client the last account. A page that does not read at all is cut off.
 * A page that comes back continues after the last number that it has seen.
 */
export class LiveStream {
    #collector
    #response
    #position
    #clears
    #state = ''
    #isScheduled = false
    /** Ends the connection of a page that has not read for too long; null while it reads. */
    #deadline = null
    /** The clients whose last account the page does not have yet. */
    #accounts = new Set()
    #patience
    #endings

    /**
     * @param {Collector} collector
     * @param {import('node:http').ServerResponse} response
     * @param {string | undefined} lastEventId The last message that the page received, as its browser reports it.
     * @param {number} [patience] How long the page may leave unread what it was sent, in milliseconds.
     */
    constructor(collector, response, lastEventId, patience = PATIENCE) {
        this.#patience = patience
        this.#collector = collector
        this.#response = response
        this.#clears = collector.clears
        const seen = positionFrom(lastEventId, collector.run)
        this.#position = seen ?? collector.requestLog.positionOfNewest(MOST_EVENTS_AT_FIRST, MOST_BYTES_AT_FIRST)
        response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' })
        this.#write(`retry: ${RETRY}\n\n${message('hello', { ...this.#facts(), resumed: seen !== null })}`)
        const { accounts } = collector
        const keep = ({ client }) => this.#accounts.add(client)
        accounts.latest().forEach(keep)
        this.#endings = [
            collector.requestLog.listen(() => this.#schedule()),
            collector.listen(() => this.#schedule()),
            accounts.listen((account) => {
                keep(account)
                this.#schedule()
            }),
        ]
        response.on('drain', () => {
            clearTimeout(this.#deadline)
            this.#deadline = null
            this.#schedule()
        })
        response.on('close', () => {
            clearTimeout(this.#deadline)
            this.#endings.forEach((end) => end())
        })
        this.#schedule()
    }

    get #isFull() {
        return this.#deadline !== null
    }

    #write(text) {
        if (this.#response.write(text) || this.#isFull) return
        this.#deadline = setTimeout(() => this.#response.destroy(), this.#patience)
    }

    /** What does not change while the collector runs. */
    #facts() {
        const { run, options, clears } = this.#collector
        return {
            run, clears, strict: options.strict, kinds: KINDS,
            faultHelp: { actions: Object.entries(ACTIONS), options: OPTION_HELP },
        }
    }

    /** All that comes in one turn of the event loop is sent as one message. */
    #schedule() {
        if (this.#isScheduled || this.#isFull) return
        this.#isScheduled = true
        setImmediate(() => {
            this.#isScheduled = false
            this.#send()
        })
    }

    #send() {
        if (this.#response.destroyed) return
        const { requestLog, clears } = this.#collector
        if (clears !== this.#clears) {
            this.#clears = clears
            this.#write(message('cleared', { clears }))
        }
        this.#sendAccounts()
        this.#sendState()
        while (!this.#isFull) {
            const records = requestLog.after(this.#position, MOST_RECORDS)
            if (records.length === 0) return
            this.#sendRecords(records)
        }
    }

    #sendAccounts() {
        if (this.#accounts.size === 0) return
        for (const account of this.#collector.accounts.latest()) {
            if (this.#isFull) return
            if (this.#accounts.delete(account.client)) this.#write(message('account', account))
        }
    }

    #sendState() {
        if (this.#isFull) return
        const { totals, faults } = this.#collector
        const state = message('state', { totals, faults: faults.left(), faultEnds: faults.ends() })
        if (state === this.#state) return
        this.#state = state
        this.#write(state)
    }

    #sendRecords(records) {
        const texts = []
        let size = 0
        for (const record of records) {
            const text = liveText(record)
            texts.push(text)
            size += text.length
            this.#position = record.seq
            if (size > MOST_CHARACTERS) break
        }
        const text = `id: ${this.#collector.run}-${this.#position}\nevent: requests\ndata: [${texts.join(',')}]\n\n`
        this.#write(text)
    }
}

/** @returns {number | null} Null if there is no position, or it is one of another run. */
function positionFrom(id, run) {
    const match = /^([0-9a-f]{8})-(\d{1,15})$/.exec(id ?? '')
    return match && match[1] === run ? Number(match[2]) : null
}

/** @param {ReceivedRequest} record */
function liveText(record) {
    const { raw } = record
    return JSON.stringify(raw.length > MOST_RAW ? { ...record, raw: raw.slice(0, MOST_RAW), isCut: true } : record)
}

function message(event, value) {
    return `event: ${event}\ndata: ${JSON.stringify(value)}\n\n`
}
