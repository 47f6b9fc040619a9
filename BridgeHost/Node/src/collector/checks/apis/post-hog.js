import { show } from '../findings.js'
import { all, atLeast, every, filled, flag, isObject, key, object, uuid } from '../shape.js'
import { atMost, eventBytes, length, zonedTime } from './limits.js'

/** @typedef {import('../findings.js').Check} Check */

/** A body may have 20 MB; so many events are what the SDKs send at most, and more are taken. */
const MOST_EVENTS = 20_000
const MOST_BYTES = 1_000_000

/** Ids under which PostHog merges nobody: they usually stand for a mistake. */
const NOBODY = new Set([
    '', 'anonymous', 'guest', 'distinctid', 'distinct_id', 'id', 'not_authenticated', 'email', 'undefined', 'true', 'false',
    'null', 'none', '0', '[object object]', 'nan',
])

/** @type {Check} */
const person = (value, findings) => {
    length(1, 200)(value, findings)
    if (typeof value === 'string' && value !== '' && NOBODY.has(value.toLowerCase())) {
        findings.say(`is ${show(value)}, an id that PostHog refuses.`)
    }
}

const event = atLeast({ event: filled, distinct_id: person }, { uuid, timestamp: zonedTime, properties: object, $set: object })

/** @type {Check} */
const group = (value, findings) => {
    if (!isObject(value) || value.event !== '$groupidentify') return
    findings.inside('properties', value.properties, atLeast({ $group_type: filled, $group_key: filled }, { $group_set: object }))
}

/** `POST /batch/` @type {Check} */
export const postHog = atLeast(
    { api_key: key, batch: all(atMost(MOST_EVENTS, 'PostHog'), every(all(event, group, eventBytes(MOST_BYTES, 'PostHog')))) },
    { sent_at: zonedTime, historical_migration: flag },
)
