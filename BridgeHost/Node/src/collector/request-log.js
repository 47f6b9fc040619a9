/** @typedef {import('./record.js').ReceivedRequest} ReceivedRequest */

/** What a record takes besides its texts, and what each thing in it takes: measured after a garbage collection. */
const OVERHEAD = 700
const PER_ITEM = 120
const PER_HEADER = 32
const PER_FINDING = 200

/** Requests in the order in which they arrived, under a memory cap. The oldest are removed first. */
export class RequestLog {
    #records = []
    /** The index in `#records` of the first record that is still kept: shifting one by one would be slow. */
    #start = 0
    #bytes = 0
    #next = 1
    #mostBytes
    #listeners = new Set()
    #forgotten = 0

    /** @param {number} mostBytes */
    constructor(mostBytes) {
        this.#mostBytes = mostBytes
    }

    /** How many records were removed to stay under the cap. */
    get forgotten() {
        return this.#forgotten
    }

    get size() {
        return this.#records.length - this.#start
    }

    get bytes() {
        return this.#bytes
    }

    /** Numbers a record, stores it, and calls the listeners. */
    add(record) {
        record.seq = this.#next++
        this.#records.push(record)
        this.#bytes += costOf(record)
        this.#forget()
        for (const listener of this.#listeners) listener(record)
    }

    /** The records after number `since`, oldest first. @returns {Generator<ReceivedRequest>} */
    *records(since = 0) {
        const snapshot = this.#records.slice(this.#start)
        for (const record of snapshot) if (record.seq > since) yield record
    }

    /** The first records after number `since`, oldest first. @returns {ReceivedRequest[]} */
    after(since, most) {
        if (this.size === 0) return []
        // Numbers follow one another without a hole.
        const first = this.#records[this.#start].seq
        const start = this.#start + Math.max(0, since + 1 - first)
        return this.#records.slice(start, start + most)
    }

    /** The number after which come only so many events in so many bytes: the newest. */
    positionOfNewest(mostItems, mostBytes) {
        let items = 0
        let bytes = 0
        for (let i = this.#records.length - 1; i >= this.#start; i--) {
            const record = this.#records[i]
            items += record.items.length
            bytes += costOf(record)
            if (items > mostItems || bytes > mostBytes) return record.seq
        }
        return 0
    }

    /** Calls `listener` with every new record. @returns {() => void} Ends it. */
    listen(listener) {
        this.#listeners.add(listener)
        return () => this.#listeners.delete(listener)
    }

    /** Removes everything. Numbering goes on. */
    clear() {
        this.#records = []
        this.#start = 0
        this.#bytes = 0
        this.#forgotten = 0
    }

    #forget() {
        while (this.#bytes > this.#mostBytes && this.size > 1) {
            this.#bytes -= costOf(this.#records[this.#start])
            this.#records[this.#start++] = undefined
            this.#forgotten++
        }
        if (this.#start > 1024 && this.#start * 2 > this.#records.length) {
            this.#records = this.#records.slice(this.#start)
            this.#start = 0
        }
    }
}

/** V8 keeps a text of ASCII alone in a byte a character, and almost any other in two. */
function costOf({ path, headers, raw, plainSize, items, flags, plan, findings }) {
    let cost = OVERHEAD + path.length + raw.length * (plainSize === raw.length ? 1 : 2)
    cost += (items.length + flags.length + plan.length) * PER_ITEM
    for (const name of Object.keys(headers)) cost += PER_HEADER + name.length + headers[name].length
    // Its sentence is kept again without its place, and again among the problems or the flags.
    for (const { sentence } of findings) cost += PER_FINDING + 3 * sentence.length
    return cost
}
