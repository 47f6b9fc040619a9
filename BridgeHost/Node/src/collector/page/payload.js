import { dataOfEvent, eventAt } from '../apis/layouts.js'

/** A number that JavaScript would write in another way than it came, such as one beyond 2^53. */
export class Exact {
    /** @param {string} spelling */
    constructor(spelling) {
        this.spelling = spelling
    }

    toString() {
        return this.spelling
    }

    /** What `JSON.stringify` writes as it is spelled, where the browser can do so. */
    toRaw() {
        return JSON.rawJSON?.(this.spelling) ?? Number(this.spelling)
    }
}

/** The same text is parsed again and again while the rows around it are shown. */
const parsed = new WeakMap()

/** What a record's body holds, or undefined if it is not JSON. Numbers keep their spelling. */
export function bodyOf(record) {
    if (!parsed.has(record)) parsed.set(record, parse(record.raw))
    return parsed.get(record)
}

function parse(text) {
    if (text === '') return undefined
    try {
        return JSON.parse(text, exact)
    } catch {
        return undefined
    }
}

function exact(_, value, context) {
    if (typeof value !== 'number' || context?.source === undefined || String(value) === context.source) return value
    return new Exact(context.source)
}

/** What one event holds: its own part of the request's body. */
export function payloadOf({ record, index }) {
    const body = bodyOf(record)
    if (record.api !== null) {
        const event = eventAt(record.api, body, index)
        if (event !== undefined) return event
    }
    if (record.kind === 'basic' && Array.isArray(body)) return body[index]
    return body
}

/** What the caller gave: the part of an event that a reader looks for first. */
export function propertiesOf(row) {
    const value = payloadOf(row)
    if (!isObject(value)) return {}
    if (row.record.api !== null) {
        const data = dataOfEvent(row.record.api, value)
        return isObject(data) ? data : {}
    }
    switch (row.record.kind) {
        case 'event':
            return isObject(value.data) ? value.data : {}
        case 'profile':
            return without(value, ['brand_id', 'session_id', 'user_id'])
        case 'session':
            return without(value, ['device_id'])
        case 'email':
        case 'location':
        case 'link':
            return without(value, ['brand_id', 'device_id', 'current_session_id'])
        default:
            return isObject(value.properties) ? value.properties : isObject(value.traits) ? value.traits : {}
    }
}

/** A value as JSON text, a member a line, each number as it came. */
export function pretty(value) {
    return JSON.stringify(value, (_, member) => (member instanceof Exact ? member.toRaw() : member), 2)
}

export function isObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Exact)
}

/** Keys and values of an object, indices and values of an array; none for anything else. */
export function membersOf(value) {
    if (Array.isArray(value)) return value.map((member, i) => [i, member])
    return isObject(value) ? Object.entries(value) : []
}

function without(value, names) {
    return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}
