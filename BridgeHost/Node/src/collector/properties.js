import { dataOfEvent, eventAt, readingOf } from './apis/layouts.js'
import { harmless } from '../terminal.js'
import { Exact } from './exact.js'

/** The members that every request of a kind has, which say nothing about this one. */
const USUAL = {
    session: ['brand_id'],
    profile: ['brand_id', 'session_id'],
    email: ['brand_id'],
    link: ['brand_id', 'device_id'],
    location: [],
}

/**
 * What a request says, as far as one line can show it: an event's own properties, a profile's fields.
 *
 * @param {{ kind: string, api: string | null, items: import('./items.js').Item[], body: any }} record A request; its body may have numbers
 *     as `Exact`.
 * @returns {Array<[string, unknown]>} Names and values; none for a batch of several events.
 */
export function propertiesOf({ kind, api, items, body }) {
    switch (kind) {
        case 'identify':
            return items[0].user ? [['user', items[0].user]] : []
        case 'event':
            return entriesOf(dataOf(kind, api, body, 0))
        case 'batch':
        case 'basic':
            return items.length === 1 ? [...entriesOfUser(items[0]), ...entriesOf(dataOf(kind, api, body, 0))] : []
        default:
            return entriesOf(body).filter(([name]) => !USUAL[kind]?.includes(name))
    }
}

/**
 * Writes properties for a person: `total=149.99 currency=EUR items=[3]`.
 *
 * @param {Array<[string, unknown]>} properties
 * @param {number} width Most characters. What does not fit is left out, and an ellipsis says so.
 * @param {(name: string) => string} [style] Styles a name.
 * @returns {string}
 */
export function propertiesText(properties, width, style = (name) => name) {
    const pieces = []
    let left = width
    for (const [name, value] of properties) {
        const [shownName, shownValue] = [brief(name), brief(value)]
        left -= shownName.length + shownValue.length + 2
        if (left < 1) return [...pieces, '…'].join(' ')
        pieces.push(`${style(`${shownName}=`)}${shownValue}`)
    }
    return pieces.join(' ')
}

/**
 * What the caller gave with one event or update.
 *
 * @param {import('./routes.js').Kind} kind
 * @param {string | null} api Whose batch it is.
 * @param {any} body The request's body.
 * @param {number} index Which event of a batch.
 * @returns {any} The data, properties or traits of an event; the body of any other request.
 */
export function dataOf(kind, api, body, index) {
    if (api !== null) return dataOfEvent(api, eventAt(api, body, index))
    if (kind !== 'event' && kind !== 'basic') return body
    return eventIn(kind, body, index)?.[dataPath(kind, api, body, index)[0]]
}

/** The members of an event that lead to the data; null if it has none, or none that a path leads to. */
export function dataPath(kind, api, body, index) {
    if (kind === 'event') return ['data']
    if (api === 'otlp') return null
    if (api !== null) return readingOf(api, eventAt(api, body, index)).data
    return [(eventIn(kind, body, index)?.properties ?? null) === null ? 'traits' : 'properties']
}

function eventIn(kind, body, index) {
    return kind === 'event' ? body : body?.[index]
}

function entriesOfUser({ type, user }) {
    return type === 'identify' && user ? [['user', user]] : []
}

function entriesOf(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []
}

function brief(value) {
    if (value instanceof Exact) return value.spelling.length > 40 ? `${value.spelling.slice(0, 39)}…` : value.spelling
    if (Array.isArray(value)) return `[${value.length}]`
    if (typeof value === 'object' && value !== null) return `{${Object.keys(value).length}}`
    if (typeof value !== 'string') return String(value)
    const text = harmless(value.length > 40 ? `${value.slice(0, 39)}…` : value)
    return /^[^\s="']+$/.test(text) ? text : JSON.stringify(text)
}
