import { Exact, membersOf, payloadOf } from './payload.js'

/** More members than anybody reads. */
const MOST = 2000

/**
 * What differs between two events.
 *
 * @param {import('./event.js').Row} before
 * @param {import('./event.js').Row} after
 * @returns {Array<{ place: string, before: string | null, after: string | null }>} In the order of the later event,
 *     what has gone last. Null means that there is no such member.
 */
export function changesBetween(before, after) {
    const old = flatten(payloadOf(before))
    const now = flatten(payloadOf(after))
    const changes = []
    for (const [place, text] of now) {
        if (old.get(place) !== text) changes.push({ place, before: old.get(place) ?? null, after: text })
    }
    for (const [place, text] of old) if (!now.has(place)) changes.push({ place, before: text, after: null })
    return changes
}

/** Places to values as JSON text, the values that hold no others. @returns {Map<string, string>} */
function flatten(root) {
    const flat = new Map()
    const open = [['', root]]
    while (open.length > 0 && flat.size < MOST) {
        const [place, value] = open.pop()
        const isOpen = typeof value === 'object' && value !== null && !(value instanceof Exact)
        const members = isOpen ? membersOf(value) : []
        if (members.length === 0) flat.set(
            place, value instanceof Exact ? value.spelling : JSON.stringify(value) ?? 'nothing',
        )
        for (const [key, member] of members.reverse()) open.push([memberPlace(place, key), member])
    }
    return flat
}

function memberPlace(place, key) {
    if (typeof key === 'number') return `${place}[${key}]`
    return place === '' ? key : `${place}.${key}`
}
