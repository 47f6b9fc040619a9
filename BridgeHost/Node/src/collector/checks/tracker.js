import { show } from './findings.js'
import { all, exactly, filled, isObject, matching, number, object, oneOf, uuid } from './shape.js'

/** @typedef {import('./findings.js').Check} Check */

/**
 * Its spelling is checked apart, since parsing loses it: see `index.js`.
 *
 * @type {Check}
 */
const brandId = (value, findings) => {
    if (typeof value !== 'number') findings.say(`is ${show(value)}; it must be a number without quotes.`)
}

/** `POST /v2/tracking-session` @type {Check} */
export const session = exactly({
    device_id: uuid,
    os_name: oneOf('iOS', 'iPadOS', 'MacOS', 'Linux', 'Windows', 'Android'),
    device_type: oneOf('Mobile', 'Tablet', 'Desktop'),
    brand_id: brandId,
})

/** `POST /v2/tracking-session-data` @type {Check} */
export const event = exactly({ brand_id: brandId, session_id: filled, event_name: filled }, { data: object })

/** The fields of a profile that stand beside `extra`, where every other trait is. */
export const PROFILE_FIELDS = ['name', 'phone', 'gender', 'business_domain', 'metadata', 'email', 'source', 'birthday']

/** Profile fields may hold whatever the caller gave, null included. @type {Check} */
const anything = () => {}

/** @type {Check} */
const filledObject = (value, findings) => {
    object(value, findings)
    if (isObject(value) && Object.keys(value).length === 0) findings.say('is empty; it must be left out then.')
}

/** @type {Check} */
const namesSomeone = (value, findings) => {
    if (!isObject(value)) return
    const hasSession = Object.hasOwn(value, 'session_id')
    if (!hasSession && !Object.hasOwn(value, 'user_id')) {
        return findings.say('names neither a session_id nor a user_id.')
    }
    const others = Object.keys(value).filter((key) => !['brand_id', 'user_id', 'metadata'].includes(key))
    if (!hasSession && others.length > 0) {
        findings.add('session_id is missing; only an update of the metadata alone may go without one.')
    }
}

/** `PUT /v1/customer-profiles/set` @type {Check} */
export const profile = all(
    exactly(
        { brand_id: brandId },
        {
            session_id: filled,
            user_id: filled,
            ...Object.fromEntries(PROFILE_FIELDS.map((name) => [name, anything])),
            extra: filledObject,
        },
    ),
    namesSomeone,
)

/** `PUT /v2/tracking-session/{id}/location` @type {Check} */
export const location = exactly({
    latitude: number(-90, 90),
    longitude: number(-180, 180),
    accuracy: number(0),
})

/** `PUT /v2/tracking-session/{id}/email_v2` @type {Check} */
export const email = exactly({
    email: matching(/^[^@\s]+@[^@\s]+$/, 'an email address: one @ and no spaces'),
    brand_id: brandId,
})

/** `POST /v2/tracking-session/link-session` @type {Check} */
export const link = exactly({
    source_session_id: filled,
    current_session_id: filled,
    device_id: uuid,
    brand_id: brandId,
})
