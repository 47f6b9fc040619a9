import { nearest } from '../nearest.js'
import { sentenceOf, show } from '../collector/checks/findings.js'
import { plannedCall } from './calls.js'
import { circlesIn, descriptionOf, faultsIn, isObject, MOST_SCHEMAS, sizeOf, violations } from './schema.js'

const TOP = ['events', 'screens', 'identify', 'group', 'others', '$defs', '$schema', 'title', 'description', '$comment']
/** What a plan says of one call, besides its schema. */
const PART = ['description', 'examples', '$comment']
const OTHERS = ['allow', 'forbid']

/** How many reasons one call has at most. */
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
 * What a plan says of one call.
 *
 * @typedef {object} Judgement
 * @property {string} name The event's; `screen NAME`, `identify` or `group`.
 * @property {'kept' | 'broken'} verdict
 * @property {string[]} reasons Why it is broken, a sentence each, with the member's path.
 * @property {number} [item] The call's place among the items of its request.
 */

/** What a plan says of an event, a screen, a user or a group. @typedef {{ data: import('./schema.js').Schema, description?: string }} Part */

/** Which member of a part has its schema. What the paths in sentences begin with, too. */
const SCHEMA_MEMBERS = { event: 'data', screen: 'data', identify: 'traits', group: 'traits' }

/** Which events and screens there are, and what their data and the traits of users and groups must be. */
export class Plan {
    /** @type {Map<string, Part>} */
    events
    /** Null if the plan is not about screens. @type {Map<string, Part> | null} */
    screens
    /** A user's traits; null if the plan is not about them. @type {Part | null} */
    identify
    /** A group's traits; null if the plan is not about them. @type {Part | null} */
    group
    defs
    #allowsOthers

    /**
     * @param {any} value A plan file's JSON.
     * @throws {PlanError} With everything that is wrong with it.
     */
    constructor(value) {
        const faults = faultsOrTooDeep(value)
        if (faults.length > 0) throw new PlanError(faults)
        const { events, screens, identify, group, $defs = {}, others } = value
        this.events = partsOf(events)
        this.screens = screens === undefined ? null : partsOf(screens)
        this.identify = identify === undefined ? null : partOf(identify)
        this.group = group === undefined ? null : partOf(group)
        this.defs = $defs
        this.#allowsOthers = others === 'allow'
    }

    /**
     * Judges one event.
     *
     * @param {string} name
     * @param {any} data What the caller gave; undefined counts as `{}`.
     * @returns {Judgement | null} Null if the plan has nothing to say about it.
     */
    judge(name, data) {
        const call = { kind: 'event', name, data: data ?? {}, isPartial: false }
        const found = this.#findings(call)
        return found && judgementOf(call, found)
    }

    /**
     * Judges the calls that a request carries.
     *
     * @param {import('../collector/routes.js').Kind} kind
     * @param {string | null} api Whose batch it is.
     * @param {import('../collector/items.js').Item[]} items
     * @param {any} body
     * @returns {Array<{ item: number, judgement: Judgement, findings: import('../collector/checks/findings.js').Finding[] }>}
     *     The calls by their places among the items; the paths of findings lead through the item.
     */
    judgeRequest(kind, api, items, body) {
        return items.flatMap((item, index) => {
            const call = this.#subject(plannedCall(kind, api, item, body, index))
            const found = call && this.#findings(call)
            if (!found) return []
            const findings = found.map(({ path, text }) => ({ path: path && call.placeOf(path.slice(1)), text }))
            return [{ item: index, judgement: { item: index, ...judgementOf(call, found) }, findings }]
        })
    }

    /** Says what a call is to this plan. */
    #subject(call) {
        if (!call?.otherwise || !this.screens || this.events.has(call.name)) return call
        return call.isView || this.screens.has(call.otherwise.name) ? call.otherwise : call
    }

    /** What is wrong with a call; null if the plan has nothing to say about it. */
    #findings({ kind, name, data, isPartial }) {
        const part = this.#part(kind, name)
        if (part) {
            const root = SCHEMA_MEMBERS[kind]
            const found = violations(part.data, data, this.defs, [root])
            return found.filter(({ path, isMissing }) => !(isPartial && isMissing && path.length === 2)).slice(0, MOST_REASONS)
        }
        const planned = { event: this.events, screen: this.screens }[kind]
        return this.#allowsOthers || !planned ? null : [{ path: null, text: unplanned(kind, name, planned) }]
    }

    #part(kind, name) {
        switch (kind) {
            case 'event': return this.events.get(name)
            case 'screen': return this.screens?.get(name)
            default: return this[kind]
        }
    }
}

function partsOf(section) {
    return new Map(Object.entries(section).map(([name, part]) => [name, partOf(part)]))
}

function partOf(part) {
    return { data: part.data ?? part.traits ?? true, description: descriptionOf(part) }
}

function unplanned(kind, name, planned) {
    const near = nearest(name, planned.keys())
    return `The ${kind} is not in the plan${near === undefined ? '.' : `; did you mean ${near}?`}`
}

function judgementOf({ kind, name }, found) {
    return { name: kind === 'screen' ? `screen ${name}` : name, verdict: found.length > 0 ? 'broken' : 'kept', reasons: found.map(sentenceOf) }
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
    const { $defs: defs = {} } = value
    if (!isObject(defs)) return [...faults, `$defs is ${show(defs)}; it must be an object of schemas.`]
    for (const [name, schema] of Object.entries(defs)) faults.push(...faultsIn(schema, defs, `$defs.${name}`))
    if (faults.length === 0) faults.push(...circlesIn(defs))
    // A circle must not be followed.
    if (faults.length > 0) return faults
    const sizes = new Map()
    for (const [section, what] of [['events', 'event'], ['screens', 'screen']]) {
        const parts = value[section]
        if (parts === undefined && section !== 'events') continue
        if (!isObject(parts)) return [`${section} is ${show(parts)}; it must be an object: a name, and what the ${what} is.`]
        for (const [name, part] of Object.entries(parts)) faults.push(...partFaults(part, what, defs, sizes, `${section}.${name}`))
    }
    for (const kind of ['identify', 'group']) {
        if (value[kind] !== undefined) faults.push(...partFaults(value[kind], kind, defs, sizes, kind))
    }
    return faults
}

function partFaults(part, kind, defs, sizes, path) {
    const member = SCHEMA_MEMBERS[kind]
    if (!isObject(part)) return [`${path} is ${show(part)}; it must be an object such as {"${member}": {…}}.`]
    const faults = unknownMembers(part, [member, ...PART], path)
    const schema = part[member] ?? true
    const schemaFaults = faultsIn(schema, defs, `${path}.${member}`)
    if (schemaFaults.length === 0 && sizeOf(schema, defs, sizes) > MOST_SCHEMAS) {
        schemaFaults.push(`${path}.${member} holds more than ${MOST_SCHEMAS} schemas once every $ref is followed; make it smaller.`)
    }
    faults.push(...schemaFaults)
    if (part.examples !== undefined && !Array.isArray(part.examples)) faults.push(`${path}.examples must be a list.`)
    else if (schemaFaults.length === 0) faults.push(...exampleFaults(schema, part.examples ?? [], defs, path))
    return faults
}

/** An example that its own plan refuses would mislead the reader. */
function exampleFaults(schema, examples, defs, path) {
    return examples.flatMap((example, i) => violations(schema, example, defs, [`${path}.examples[${i}]`]).map(sentenceOf))
}

function unknownMembers(value, known, path) {
    return Object.keys(value).filter((name) => !known.includes(name)).map((name) => {
        const near = nearest(name, known)
        return `${path} has "${name}"; ${near ? `did you mean "${near}"?` : `known are ${known.join(', ')}.`}`
    })
}
