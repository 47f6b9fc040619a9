import { DEEPEST, isObject } from './schema.js'
import { plannedCall } from './calls.js'

/** How many different events, screens or members a plan gets at most. The rest is left to its author. */
const MOST_EVENTS = 1000
const MOST_MEMBERS = 500

const FORMATS = {
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/,
    date: /^\d{4}-\d\d-\d\d$/,
    uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
}

/** What was seen in one place. */
class Seen {
    count = 0
    types = new Set()
    /** The formats that all strings so far had. @type {Set<string> | null} */
    formats = null
    /** @type {Map<string, Seen>} */
    members = new Map()
    /** How often it was an object: what every one of them had is required. */
    objects = 0
    /** @type {Seen | null} */
    elements = null

    add(value, depth = 0) {
        this.count++
        this.types.add(typeOf(value))
        if (typeof value === 'string') {
            const formats = Object.keys(FORMATS).filter((name) => FORMATS[name].test(value))
            this.formats = new Set(formats.filter((name) => this.formats?.has(name) ?? true))
        } else if (depth === DEEPEST) {
            // A plan nests no deeper: what is in there may be anything.
            return
        } else if (Array.isArray(value)) {
            for (const element of value) (this.elements ??= new Seen()).add(element, depth + 1)
        } else if (isObject(value)) this.#addObject(value, depth)
    }

    #addObject(value, depth) {
        this.objects++
        for (const [name, member] of Object.entries(value)) {
            if (!this.members.has(name) && this.members.size < MOST_MEMBERS) this.members.set(name, new Seen())
            this.members.get(name)?.add(member, depth + 1)
        }
    }

    /** @returns {Record<string, any>} The narrowest schema that allows all that was seen, but for values themselves. */
    schema() {
        const types = [...this.types].filter((type) => type !== 'integer' || !this.types.has('number'))
        const schema = { type: types.length === 1 ? types[0] : types }
        if (this.types.has('string') && this.formats?.size > 0) schema.format = [...this.formats][0]
        if (this.elements) schema.items = this.elements.schema()
        if (this.objects > 0) Object.assign(schema, this.#objectSchema())
        return schema
    }

    #objectSchema() {
        const members = [...this.members]
        const required = members.filter(([, seen]) => seen.count === this.objects).map(([name]) => name)
        return {
            properties: Object.fromEntries(members.map(([name, seen]) => [name, seen.schema()])),
            ...(required.length > 0 && { required }),
            additionalProperties: this.members.size >= MOST_MEMBERS,
        }
    }
}

/** Writes a plan from what comes. */
export class PlanInference {
    /** @type {Map<string, Seen>} */
    #events = new Map()
    /** @type {Map<string, Seen>} */
    #screens = new Map()
    /** The traits of users and of groups. @type {Map<string, Seen>} */
    #traits = new Map()

    /** @param {import('../collector/record.js').ReceivedRequest} record */
    add(record) {
        if (!record.accepted || record.repeat) return
        const { kind, api, items, body } = record
        for (const [i, item] of items.entries()) {
            const call = plannedCall(kind, api, item, body, i)
            if (call) this.#see(call)
        }
    }

    #see(call) {
        // Where the API has no screens, an event may just be called so.
        const { kind, name, data } = call.isView ? call.otherwise : call
        const section = { event: this.#events, screen: this.#screens }[kind] ?? this.#traits
        if (!section.has(name) && section.size < MOST_EVENTS) section.set(name, new Seen())
        section.get(name)?.add(data)
    }

    /** How many events there are. */
    get size() {
        return this.#events.size
    }

    /** How many screens there are. */
    get screens() {
        return this.#screens.size
    }

    toText() {
        const screens = this.#screens.size > 0 && { screens: partsOf(this.#screens, 'data') }
        const plan = { others: 'forbid', events: partsOf(this.#events, 'data'), ...screens, ...partsOf(this.#traits, 'traits') }
        return `${JSON.stringify(plan, null, 4)}\n`
    }
}

/** What a plan says under each name. */
function partsOf(section, member) {
    const sorted = [...section].sort(([one], [other]) => (one < other ? -1 : 1))
    return Object.fromEntries(sorted.map(([name, seen]) => {
        return [name, { $comment: `Seen ${seen.count === 1 ? 'once' : `${seen.count} times`}.`, [member]: seen.schema() }]
    }))
}

function typeOf(value) {
    if (value === null) return 'null'
    if (Array.isArray(value)) return 'array'
    return Number.isInteger(value) ? 'integer' : typeof value
}
