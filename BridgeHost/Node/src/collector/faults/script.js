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

    /** Whether nothing is left. */
    get isEmpty() {
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
        this.#items = items
    }

    /** What is left, an instruction each. @returns {string[]} */
    left() {
        return this.#items.map(faultText)
    }

    /**
     * Takes a `drop-before` for a request of which only the header is known, if that is what comes next for it.
     *
     * @param {import('../routes.js').Route} route
     * @returns {FaultItem | null}
     */
    takeBeforeBody(route) {
        const item = this.#items.find((candidate) => fitsRoute(candidate, route))
        return item?.action === 'drop-before' ? this.#use(item) : null
    }

    /**
     * Takes the instruction for a request.
     *
     * @param {import('../routes.js').Route} route
     * @param {import('../items.js').Item[]} contents
     * @param {number} size Bytes of the body, decompressed.
     * @returns {FaultItem | null} Null if the request is to be answered as usual.
     */
    take(route, contents, size) {
        const item = this.#items.find((candidate) => fitsRoute(candidate, route) && fitsBody(candidate, contents, size))
        return item ? this.#use(item) : null
    }

    #use(item) {
        item.times--
        if (item.times === 0) this.#items = this.#items.filter((other) => other !== item)
        return item
    }
}

function fitsRoute({ kind, path }, route) {
    return (kind === undefined || kind === route.kind) && (path === undefined || route.path.endsWith(path))
}

function fitsBody({ name, above }, contents, size) {
    return (above === undefined || size > above) && (name === undefined || contents.some((item) => item.name === name))
}

function isConditional({ kind, path, name, above }) {
    return kind !== undefined || path !== undefined || name !== undefined || above !== undefined
}
