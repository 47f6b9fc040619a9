import { show } from '../findings.js'
import { all, atLeast, every, filled, isObject, key, matching, number, object } from '../shape.js'
import { atMost, eventBytes } from './limits.js'

/** @typedef {import('../findings.js').Check} Check */

/** Import API, "Limits": 2,000 events a request, 1 MB and 255 properties an event. */
const MOST_EVENTS = 2000
const MOST_BYTES = 1_000_000
const MOST_PROPERTIES = 255

const insertId = matching(/^[A-Za-z0-9-]{1,36}$/, 'at most 36 letters, digits and dashes')

/** Ids of nobody, which usually stand for a mistake; an event of nobody has an empty one. */
const NOBODY = new Set(['anon', 'anonymous', 'nil', 'none', 'null', 'n/a', '00000000-0000-0000-0000-000000000000'])

/** @type {Check} */
const person = (value, findings) => {
    if (typeof value !== 'string') findings.say('must be a string.')
    else if (NOBODY.has(value.toLowerCase())) findings.say(`is ${show(value)}, an id that Mixpanel refuses.`)
}

/** @type {Check} */
const fewProperties = (value, findings) => {
    const count = isObject(value) ? Object.keys(value).length : 0
    if (count > MOST_PROPERTIES) findings.say(`has ${count} members; Mixpanel takes ${MOST_PROPERTIES}.`)
}

/** Without any of them, Mixpanel takes the sender's address for the person. @type {Check} */
const someone = (value, findings) => {
    const named = ['distinct_id', '$user_id', '$device_id'].some((name) => typeof value?.[name] === 'string')
    if (isObject(value) && !named) findings.say('names neither a distinct_id nor a $user_id nor a $device_id.')
}

const members = atLeast({ time: number(1), $insert_id: insertId }, { distinct_id: person, $user_id: person, $device_id: person, token: key })
const properties = all(members, someone, fewProperties)

/** `$merge` names two people, and neither time nor id. */
const merge = atLeast({ $distinct_ids: every(person) }, {})

/** @type {Check} */
const event = (value, findings) => {
    atLeast({ event: filled, properties: value?.event === '$merge' ? merge : properties })(value, findings)
}

const OPERATIONS = ['$set', '$set_once', '$add', '$union', '$append', '$remove', '$unset', '$delete']

/** @type {Check} */
const operation = (value, findings) => {
    if (isObject(value) && !OPERATIONS.some((name) => Object.hasOwn(value, name))) {
        findings.say(`has no operation; it must be one of ${OPERATIONS.join(', ')}.`)
    }
}

const profile = all(atLeast({ $token: key, $distinct_id: person }, { $set: object }), operation)
const groupProfile = all(atLeast({ $token: key, $group_key: filled, $group_id: filled }, { $set: object }), operation)

const list = (check) => all(atMost(MOST_EVENTS, 'Mixpanel'), every(all(check, eventBytes(MOST_BYTES, 'Mixpanel'))))

/** `POST /import`, `/engage` and `/groups`. @type {Record<string, Check>} */
export const mixpanel = { '/import': list(event), '/engage': list(profile), '/groups': list(groupProfile) }
