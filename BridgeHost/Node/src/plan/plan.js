import { nearest } from '../nearest.js'
import { sentenceOf, show } from '../collector/checks/findings.js'
import { dataOf } from '../collector/properties.js'
import { circlesIn, faultsIn, isObject, MOST_SCHEMAS, sizeOf, violations } from './schema.js'

const TOP = ['events', 'others', '$defs', '$schema', 'title', 'description', '$comment']
const EVENT = ['data', 'description', 'examples', '$comment']
const OTHERS = ['allow', 'forbid']

/** How many reasons one event has at most. */
const MOST_REASONS = 20

/** A plan that cannot be used. */
export class PlanError extends Error {
    name = 'PlanError'

    /** @param {string[]} faults Everything that is wrong with it, a sentence each. */
    constructor(faults) {
        super(faults.join(' '))
        this.faults = faults
    }
}

/**
 * What a plan says of one event.
 *
 * @typedef {object} Judgement
 * @property {string} name The event's.
 * @property {'kept' | 'broken'} verdict
 * @property {string[]} reasons Why it is broken, a sentence each, with the member's path.
 */

/** What such a path begins with. */
const DATA = 'data'

/** Which events there are, and what their data must be. */
export class Plan {
    /** @type {Map<string, { data: import('./schema.js').Schema, description?: string }>} */
    events
    defs
    #allowsOthers

    /**
     * @param {any} value A plan file's JSON.
     * @throws {PlanError} With everything that is wrong with it.
     */
    constructor(value) {
        const faults = faultsOrTooDeep(value)
        if (faults.length > 0) throw new PlanError(faults)
        this.events = new Map(Object.entries(value.events).map(([name, event]) => [name, { data: true, ...event }]))
        this.defs = value.$defs ?? {}
        this.#allowsOthers = value.others === 'allow'
    }

    /**
     * Judges one event.
     *
     * @param {string} name
     * @param {any} data What the caller gave; undefined counts as `{}`.
     * @returns {Judgement | null} Null if the plan has nothing to say about it.
     */
    judge(name, data) {
        const found = this.#findings(name, data)
        return found && judgementOf(name, found)
    }

    /**
     * Judges the events that a request carries. Identifies, screens and the like are not planned.
     *
     * @param {import('../collector/routes.js').Kind} kind
     * @param {string | null} api Whose batch it is.
     * @param {import('../collector/items.js').Item[]} items
     * @param {any} body
     * @returns {Array<{ item: number, judgement: Judgement, findings: import('../collector/checks/findings.js').Finding[] }>}
     *     The events by their places among the items; the paths of findings lead through what the caller gave.
     */
    judgeRequest(kind, api, items, body) {
        return items.flatMap(({ type, name }, item) => {
            const isEvent = kind === 'event' || (['batch', 'basic'].includes(kind) && type === 'track')
            const found = isEvent && name !== null ? this.#findings(name, dataOf(kind, api, body, item)) : null
            if (!found) return []
            const findings = found.map(({ path, text }) => ({ path: path && path.slice(1), text }))
            return [{ item, judgement: judgementOf(name, found), findings }]
        })
    }

    /** What is wrong with an event; null if the plan has nothing to say about it. */
    #findings(name, data) {
        const event = this.events.get(name)
        if (event) return violations(event.data, data ?? {}, this.defs, [DATA]).slice(0, MOST_REASONS)
        return this.#allowsOthers ? null : [{ path: null, text: this.#unplanned(name) }]
    }

    #unplanned(name) {
        const near = nearest(name, this.events.keys())
        return `The event is not in the plan${near === undefined ? '.' : `; did you mean ${near}?`}`
    }
}

function judgementOf(name, found) {
    return { name, verdict: found.length > 0 ? 'broken' : 'kept', reasons: found.map(sentenceOf) }
}

/** A plan may be so deep that it cannot be followed: then that is its fault. */
function faultsOrTooDeep(value) {
    try {
        return faultsOf(value)
    } catch (error) {
        if (error instanceof RangeError) return ['The plan nests too deep to be followed.']
        throw error
    }
}

function faultsOf(value) {
    if (!isObject(value)) return [`The plan is ${show(value)}; it must be an object with "events".`]
    const faults = unknownMembers(value, TOP, 'The plan')
    if (value.others !== undefined && !OTHERS.includes(value.others)) {
        faults.push(`others is ${show(value.others)}; it must be "allow" or "forbid".`)
    }
    const defs = value.$defs ?? {}
    if (!isObject(defs)) return [...faults, `$defs is ${show(defs)}; it must be an object of schemas.`]
    for (const [name, schema] of Object.entries(defs)) faults.push(...faultsIn(schema, defs, `$defs.${name}`))
    if (faults.length === 0) faults.push(...circlesIn(defs))
    // A circle must not be followed.
    if (faults.length > 0) return faults
    if (!isObject(value.events)) {
        return [`events is ${show(value.events)}; it must be an object: a name, and what the event is.`]
    }
    const sizes = new Map()
    for (const [name, event] of Object.entries(value.events)) {
        faults.push(...eventFaults(event, defs, sizes, `events.${name}`))
    }
    return faults
}

function eventFaults(event, defs, sizes, path) {
    if (!isObject(event)) return [`${path} is ${show(event)}; it must be an object such as {"data": {…}}.`]
    const faults = unknownMembers(event, EVENT, path)
    const schemaFaults = faultsIn(event.data ?? true, defs, `${path}.data`)
    if (schemaFaults.length === 0 && sizeOf(event.data, defs, sizes) > MOST_SCHEMAS) {
        schemaFaults.push(`${path}.data holds more than ${MOST_SCHEMAS} schemas once every $ref is followed; make it smaller.`)
    }
    faults.push(...schemaFaults)
    if (event.examples !== undefined && !Array.isArray(event.examples)) faults.push(`${path}.examples must be a list.`)
    else if (schemaFaults.length === 0) faults.push(...exampleFaults(event, defs, path))
    return faults
}

/** An example that its own plan refuses would mislead the reader. */
function exampleFaults({ data = true, examples = [] }, defs, path) {
    return examples.flatMap((example, i) => violations(data, example, defs, [`${path}.examples[${i}]`]).map(sentenceOf))
}

function unknownMembers(value, known, path) {
    return Object.keys(value).filter((name) => !known.includes(name)).map((name) => {
        const near = nearest(name, known)
        return `${path} has "${name}"; ${near ? `did you mean "${near}"?` : `known are ${known.join(', ')}.`}`
    })
}
