import { rowsOf, VERDICTS } from './event.js'

/** How much the page keeps. What is older is forgotten, a slice at a time. */
const MOST_ROWS = 20_000
const MOST_CHARACTERS = 64 * 1024 * 1024
const SLICE = 1000

const MINUTE = 60_000

/** Everything the page knows of what came: rows, oldest first, and what is counted over them. */
export class Store {
    /** @type {import('./event.js').Row[]} */
    rows = []
    /** How many rows were forgotten to keep under the bound. */
    forgotten = 0
    /** How many rows are kept under each verdict, and of all kinds together. */
    counts = newCounts()
    /** Names, kinds, users, sessions and test runs to how many rows have them. */
    seen = newSeen()
    /**
     * Minute since 1970 to how many good and bad rows came in it.
     *
     * @type {Map<number, { good: number, bad: number }>}
     */
    minutes = new Map()
    #characters = 0

    /** @returns {{ added: import('./event.js').Row[], dropped: boolean }} */
    add(records) {
        const added = records.flatMap(rowsOf)
        for (const row of added) {
            this.rows.push(row)
            this.#count(row, 1)
            const minute = Math.floor(row.at / MINUTE)
            const counted = this.minutes.get(minute) ?? { good: 0, bad: 0 }
            counted[isBad(row) ? 'bad' : 'good']++
            this.minutes.set(minute, counted)
        }
        const isOver = this.rows.length > MOST_ROWS || this.#characters > MOST_CHARACTERS
        if (isOver) this.#forget()
        return { added, dropped: isOver }
    }

    clear() {
        this.rows = []
        this.forgotten = 0
        this.counts = newCounts()
        this.seen = newSeen()
        this.minutes = new Map()
        this.#characters = 0
    }

    find(key) {
        return this.rows.find((row) => row.key === key) ?? null
    }

    /** The event of the same name that came last before this one. */
    previousOf(row) {
        for (let i = this.rows.indexOf(row) - 1; i >= 0; i--) {
            const other = this.rows[i]
            if (other.kind === row.kind && other.name === row.name && other.record.seq !== row.record.seq) return other
        }
        return null
    }

    /** All that came under the same Idempotency-Key, this row included, oldest first. */
    attemptsOf(row) {
        const key = row.record.headers['idempotency-key']
        if (!key) return [row]
        return this.rows.filter(({ record, index }) => {
            return index === row.index && record.headers['idempotency-key'] === key && record.kind === row.record.kind
        })
    }

    #forget() {
        let end = 0
        const isOver = () => this.rows.length - end > MOST_ROWS - SLICE || this.#characters > MOST_CHARACTERS
        while (end < this.rows.length && isOver()) {
            this.#count(this.rows[end++], -1)
        }
        this.rows = this.rows.slice(end)
        this.forgotten += end
    }

    #count(row, by) {
        this.counts.all += by
        for (const mark of row.marks) this.counts[mark] += by
        if (row.index === 0) this.#characters += by * row.record.raw.length
        for (const field of ['kind', 'name', 'user', 'session', 'test']) {
            const value = row[field]
            if (value === null || value === undefined) continue
            const counted = (this.seen[field].get(value) ?? 0) + by
            if (counted > 0) this.seen[field].set(value, counted)
            else this.seen[field].delete(value)
        }
    }
}

/** Whether the chart counts it as bad. */
function isBad({ verdict }) {
    return verdict === 'problem' || verdict === 'broken' || verdict === 'refused' || verdict === 'lost'
}

function newCounts() {
    return Object.fromEntries(['all', ...VERDICTS].map((name) => [name, 0]))
}

function newSeen() {
    return { kind: new Map(), name: new Map(), user: new Map(), session: new Map(), test: new Map() }
}
