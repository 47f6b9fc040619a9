import { eventAt } from '../collector/apis/layouts.js'
import { PROFILE_FIELDS } from '../collector/checks/tracker.js'
import { dataOf, dataPath } from '../collector/properties.js'
import { isObject } from './schema.js'

/**
 * A call that a plan may say something about.
 *
 * @typedef {object} PlannedCall
 * @property {'event' | 'screen' | 'identify' | 'group'} kind
 * @property {string} name An event's or a screen's; otherwise the kind.
 * @property {any} data What the caller gave: data, properties or traits.
 * @property {boolean} isPartial Whether it may be a part of the traits, so that nothing is missing from them.
 * @property {(path: Array<string | number>) => Array<string | number> | null} placeOf Where in the item a member of the
 *     data stands; null if no path leads to it.
 * @property {PlannedCall} [otherwise] The screen that an event is if the plan is about screens and does not name the event.
 * @property {boolean} [isView] Whether it is a screen for certain then, whatever the screens of the plan.
 */

/** What an event of a `MobileTracker` is called that says which screen was shown. */
const VIEW = 'VIEW_PAGE'

/** The APIs that have no screens: what the event of a screen is called there. */
const SCREEN_EVENTS = { amplitude: /^Viewed (.+)$/su, mixpanel: /^(.+)$/su }

/** What a log record says besides: which call it was, of whom. */
const LOG_OWN = /^(?:log\.record\.uid|user\.id|app\.installation\.id|mobile_tracker\..+)$/

/** What a profile says besides: of whom it is, and where. */
const PROFILE_OWN = ['brand_id', 'session_id', 'user_id', 'extra']

/**
 * The call that one item of a request is, as far as plans are about it.
 *
 * @param {import('../collector/routes.js').Kind} kind
 * @param {string | null} api Whose batch it is.
 * @param {import('../collector/items.js').Item} item
 * @param {any} body The request's.
 * @param {number} index Which item it is.
 * @returns {PlannedCall | null}
 */
export function plannedCall(kind, api, item, body, index) {
    if (kind === 'profile') return profile(body)
    if (kind === 'event') return event(item.name, dataOf(kind, api, body, index))
    if (kind === 'basic') return ofType(item, isObject(body?.[index]) ? body[index] : {})
    return kind === 'batch' ? ofBatch(api, item, body, index) : null
}

function event(name, data) {
    const call = callOf('event', name, data, ['data'])
    if (name !== VIEW || typeof data?.screen !== 'string') return call
    const { screen, url, ...properties } = data
    return call && { ...call, isView: true, otherwise: callOf('screen', screen, properties, ['data']) }
}

function ofType({ type, name }, { properties, traits }) {
    switch (type) {
        case 'track': return callOf('event', name, properties, ['properties'])
        case 'screen': return callOf('screen', name, properties, ['properties'])
        case 'identify': return callOf('identify', type, traits, ['traits'])
        default: return type === 'group' ? callOf('group', type, traits, ['traits']) : null
    }
}

function ofBatch(api, { type, name }, body, index) {
    const event = eventAt(api, body, index)
    // A batch without events has an item all the same.
    if (!isObject(event)) return null
    const given = dataOf('batch', api, body, index)
    const data = api === 'otlp' ? without(given, (key) => LOG_OWN.test(key)) : given
    const path = dataPath('batch', api, body, index)
    // Amplitude has no call for the membership in a group: it is a user's property.
    if (api === 'amplitude' && type === 'identify' && isObject(event.groups)) return null
    if (type === 'screen' || type === 'identify' || type === 'group') return callOf(type, type === 'screen' ? name : type, data, path)
    if (type !== 'track') return null
    const call = callOf('event', name, data, path)
    const screen = SCREEN_EVENTS[api]?.exec(name ?? '')?.[1]
    return screen === undefined ? call : { ...call, otherwise: callOf('screen', screen, data, path) }
}

/** An update of a user's profile, which may be an `identify` or a `set`. */
function profile(body) {
    if (!isObject(body)) return null
    const traits = { ...(isObject(body.extra) ? body.extra : {}), ...without(body, (name) => PROFILE_OWN.includes(name)) }
    // That is what `setMetadata` sends, which is of no user.
    if (Object.keys(traits).join() === 'metadata') return null
    const placeOf = (path) => (PROFILE_FIELDS.includes(path[0]) ? path : ['extra', ...path])
    return { kind: 'identify', name: 'identify', data: traits, isPartial: true, placeOf }
}

function callOf(kind, name, data, root) {
    if (name === null) return null
    return { kind, name, data: data ?? {}, isPartial: false, placeOf: (path) => root && [...root, ...path] }
}

function without(object, isOwn) {
    return Object.fromEntries(Object.entries(object).filter(([name]) => !isOwn(name)))
}
