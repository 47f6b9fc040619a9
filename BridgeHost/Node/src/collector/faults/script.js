import { FaultError, faultText } from './item.js'
import { parseFaults } from './parse.js'

/** @typedef {import('./item.js').FaultItem} FaultItem */

/**
 * What is left of a fault script. Each request to the backend uses up one time of the first instruction that applies
 * to it; a request that none applies to is answered as usual.
 */
export class FaultScript {
    /** @type {FaultItem[]} */
    #items = []
    #onChange
    #now

    /**
     * @param {object} [options]
     * @param {() => void} [options.onChange] Called when another script was loaded.
     * @param {() => number} [options.now] Milliseconds.
     */
    constructor({ onChange = () => {}, now = Date.now } = {}) {
        this.#onChange = onChange
        this.#now = now
    }

    get isEmpty() {
        this.#expire()
        return this.#items.length === 0
    }

    /**
     * Replaces what is left, or adds to it.
     *
     * @param {Parameters<typeof parseFaults>[0]} script
     * @param {{ append?: boolean }} [options]
     * @throws {FaultError} What was left stays then.
     */
    load(script, { append = false } = {}) {
        const items = [...(append ? this.#items : []), ...parseFaults(script)]
        for (const item of items.slice(0, -1)) {
            if (item.times === Infinity && !isConditional(item)) {
                throw new FaultError('An instruction that always applies to every request must be the last one.')
            }
        }
        const now = this.#now()
        for (const item of items) if (item.for !== undefined) item.until ??= now + item.for
        this.#items = items
        this.#onChange()
    }

    /** What is left, an instruction each. @returns {string[]} */
    left() {
        this.#expire()
        return this.#items.map(faultText)
    }

    /** When each instruction of `left()` ends by itself, in milliseconds since 1970; null for one that does not. */
    ends() {
        this.#expire()
        return this.#items.map(({ until }) => until ?? null)
    }

    /**
     * Takes a `drop-before` for a request of which only the header is known, if that is what comes next for it.
     *
     * @param {import('../routes.js').Route} route
     * @returns {FaultItem | null}
     */
    takeBeforeBody(route) {
        this.#expire()
        const fitting = this.#items.filter((item) => fitsRoute(item, route))
        const due = fitting.find(isDue)
        if (due?.action !== 'drop-before' || fitting.slice(0, fitting.indexOf(due)).some(needsBody)) return null
        return this.#useFirstDue(fitting)
    }

    /**
     * Takes the instruction for a request.
     *
     * @param {import('../routes.js').Route} route
     * @param {import('../items.js').Item[]} contents
     * @param {number} size Bytes of the body, decompressed.
     * @param {string} [key] The request's key.
     * @returns {FaultItem | null} Null if the request is to be answered as usual.
     */
    take(route, contents, size, key) {
        this.#expire()
        return this.#useFirstDue(this.#items.filter((item) => fitsRoute(item, route) && fitsBody(item, contents, size, key)))
    }

    /** Those before it let the request pass. */
    #useFirstDue(fitting) {
        for (const item of fitting) {
            if (isDue(item)) return this.#use(item)
            item.passed++
        }
        return null
    }

    #expire() {
        const now = this.#now()
        const isOver = ({ until }) => until !== undefined && until <= now
        if (this.#items.some(isOver)) this.#items = this.#items.filter((item) => !isOver(item))
    }

    #use(item) {
        item.times--
        item.passed = 0
        if (item.times === 0) this.#items = this.#items.filter((other) => other !== item)
        return item
    }
}

function fitsRoute({ kind, path }, route) {
    return (kind === undefined || kind === route.kind) && (path === undefined || route.path.endsWith(path))
}

function fitsBody({ name, above, unlessKey }, contents, size, key) {
    return (above === undefined || size > above) && (unlessKey === undefined || key !== unlessKey)
        && (name === undefined || contents.some((item) => item.name === name))
}

/** Whether only the body says if an instruction fits. */
function needsBody({ name, above, unlessKey }) {
    return name !== undefined || above !== undefined || unlessKey !== undefined
}

/** Whether this is the n-th request of an instruction with `every`. */
function isDue({ every, passed }) {
    return every === undefined || passed + 1 >= every
}

/** Whether it may leave a request to the instructions after it. */
function isConditional(item) {
    return ['kind', 'path', 'name', 'unlessKey', 'above', 'every', 'for'].some((name) => item[name] !== undefined)
}
