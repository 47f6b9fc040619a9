import { PlanError } from './plan.js'
import { isRecursive, joined, MOST_SCHEMAS } from './schema.js'

/** A plan's definitions, for who writes types of what refers to them. */
export class Definitions {
    /** Those that can be followed now. */
    #open
    #all
    /** Whether each definition that was followed is recursive. @type {Map<string, boolean>} */
    #known = new Map()
    /** Where the plan says what is written. */
    #place = ''
    /** How many schemas a call may still lead to: definitions that lead to one another have more than anybody can read. */
    #left = MOST_SCHEMAS

    /** @param {Record<string, import('./schema.js').Schema>} defs */
    constructor(defs) {
        this.#open = defs
        this.#all = defs
    }

    /** Begins a call. @param {string} place Where the plan says it, for faults. */
    begin(place) {
        this.#place = place
        this.#left = MOST_SCHEMAS
    }

    /**
     * Writes a type. It stands in place and cannot hold itself: until it is written, a reference back to a recursive
     * definition asks nothing.
     *
     * @template Type
     * @param {import('./schema.js').Schema} schema
     * @param {(target: import('./schema.js').Joined | boolean) => Type} write
     * @returns {Type}
     * @throws {PlanError} If the call leads to too many schemas.
     */
    follow(schema, write) {
        const open = this.#open
        const followed = new Set()
        const target = joined(schema, open, () => this.#countOne(), followed)
        const recursive = [...followed].filter((name) => this.#isRecursive(name))
        if (recursive.length > 0) this.#open = Object.fromEntries(Object.entries(open).filter(([name]) => !recursive.includes(name)))
        const type = write(target)
        this.#open = open
        return type
    }

    #isRecursive(name) {
        if (!this.#known.has(name)) this.#known.set(name, isRecursive(name, this.#all))
        return this.#known.get(name)
    }

    #countOne() {
        if (this.#left-- === 0) throw new PlanError([`${this.#place} needs types of more than ${MOST_SCHEMAS} parts; make it smaller.`])
    }
}
