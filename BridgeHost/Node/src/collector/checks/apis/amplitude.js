import { show } from '../findings.js'
import { all, atLeast, every, filled, isObject, key, number, object, text } from '../shape.js'
import { atMost, eventBytes } from './limits.js'

/** @typedef {import('../findings.js').Check} Check */

/** HTTP V2 API, "Upload limit": 2,000 events a request and 1 MB. */
const MOST_EVENTS = 2000
const MOST_BYTES = 1_000_000

/** What an id has at least, unless the request's options say otherwise. */
const SHORTEST_ID = 5

/** @type {Check} */
const milliseconds = (value, findings) => {
    number(0)(value, findings)
    if (typeof value === 'number' && !Number.isInteger(value)) findings.say(`is ${value}; it must be whole milliseconds since 1970.`)
}

const shape = atLeast({ event_type: filled }, {
    user_id: text, device_id: text, time: milliseconds, insert_id: filled,
    event_properties: object, user_properties: object, groups: object, group_properties: object,
})

/** @param {number} shortest @returns {Check} */
function people(shortest) {
    return (value, findings) => {
        if (!isObject(value)) return
        const named = ['user_id', 'device_id'].filter((name) => (value[name] ?? null) !== null)
        if (named.length === 0) findings.say('names neither a user_id nor a device_id.')
        for (const name of named) {
            if (typeof value[name] === 'string' && value[name].length < shortest) findings.inside(name, value[name], tooShort(shortest))
        }
    }
}

/** @param {number} shortest @returns {Check} */
function tooShort(shortest) {
    return (value, findings) => findings.say(`is ${show(value)}; Amplitude refuses an id of less than ${shortest} characters.`)
}

const envelope = atLeast(
    { api_key: key, events: all(atMost(MOST_EVENTS, 'Amplitude'), every(all(shape, eventBytes(MOST_BYTES, 'Amplitude')))) },
    { options: atLeast({}, { min_id_length: number(1) }) },
)

/** `POST /2/httpapi` @type {Check} */
export const amplitude = (value, findings) => {
    envelope(value, findings)
    const shortest = value?.options?.min_id_length ?? SHORTEST_ID
    if (Array.isArray(value?.events)) findings.inside('events', value.events, every(people(shortest)))
}
