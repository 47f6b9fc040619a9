/**
 * How the batches of each API are read: where the events are, and what in an event is what. The live page uses this
 * file too, so it imports nothing.
 */

/** The APIs that an AnalyticsClient speaks, as its option `api` names them. */
export const API_NAMES = ['metaRouter', 'segment', 'postHog', 'amplitude', 'mixpanel', 'otlp']

/**
 * What an event says.
 *
 * @typedef {object} Reading
 * @property {string} type Which call it was: `track`, `identify`, `group`, `screen`, `page` or `alias`.
 * @property {any} name
 * @property {any} user
 * @property {any} visitor The anonymous id.
 * @property {any} id What keeps it from counting twice.
 * @property {string[] | null} data The members that lead to what the caller gave; null if the event has none.
 */

/** @typedef {{ path: Array<string | number>, event: any }} Placed An event, and the keys that lead to it in the body. */

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of an array in a body, each with its place. @returns {Placed[]} */
function listed(value, path) {
    return Array.isArray(value) ? value.map((event, index) => ({ path: [...path, index], event })) : []
}

const CALLS = ['track', 'identify', 'group', 'screen', 'page', 'alias']

function ofSpec({ type, event, name, userId, anonymousId, messageId, properties }) {
    const isKnown = typeof type === 'string'
    const data = (properties ?? null) === null ? 'traits' : 'properties'
    return { type: isKnown ? type : 'unknown', name: event ?? name, user: userId, visitor: anonymousId, id: messageId, data: [data] }
}

const POSTHOG_TYPES = {
    $set: 'identify', $identify: 'identify', $groupidentify: 'group', $create_alias: 'alias', $screen: 'screen', $pageview: 'page',
}

function ofPostHog({ event, distinct_id: user, uuid: id, properties, $set }) {
    const type = typeof event === 'string' && Object.hasOwn(POSTHOG_TYPES, event) ? POSTHOG_TYPES[event] : 'track'
    const inner = isObject(properties) ? properties : {}
    const name = { track: event, screen: inner.$screen_name, page: inner.$title ?? inner.title }[type]
    const traits = isObject($set) ? ['$set'] : ['properties', '$set']
    const data = { identify: traits, group: ['properties', '$group_set'], alias: null }[type]
    return { type, name, user, visitor: inner.$anon_distinct_id, id, data: data === undefined ? ['properties'] : data }
}

function ofAmplitude({ event_type: name, user_id: user, device_id: visitor, insert_id: id }) {
    const read = { user, visitor, id }
    if (name === '$identify') return { type: 'identify', ...read, data: ['user_properties', '$set'] }
    if (name === '$groupidentify') return { type: 'group', ...read, data: ['group_properties', '$set'] }
    return { type: 'track', name, ...read, data: ['event_properties'] }
}

const MIXPANEL_MERGES = ['$merge', '$identify', '$create_alias']

function ofMixpanel({ event: name, properties, $distinct_id, $group_id }) {
    if ($group_id !== undefined) return { type: 'group', data: ['$set'] }
    if ($distinct_id !== undefined) return { type: 'identify', user: $distinct_id, data: ['$set'] }
    const { distinct_id: user, $device_id: visitor, $insert_id: id } = isObject(properties) ? properties : {}
    if (MIXPANEL_MERGES.includes(name)) return { type: 'alias', user, visitor, id, data: null }
    return { type: 'track', name, user, visitor, id, data: ['properties'] }
}

function ofLogRecord(event) {
    const attributes = attributesOf(event)
    const type = attributes['mobile_tracker.type'] ?? 'track'
    return {
        type: CALLS.includes(type) ? type : 'unknown', name: event.eventName, user: attributes['user.id'],
        visitor: attributes['app.installation.id'], id: attributes['log.record.uid'], data: ['attributes'],
    }
}

/** How deep an attribute's value may nest. What is deeper is read as null: each level needs stack. */
const DEEPEST = 128

/** An attribute's value as plain JSON. Whole numbers are texts in OTLP, and stay so where a double would lose digits. */
function plainValue(value, depth = 0) {
    if (!isObject(value) || depth > DEEPEST) return null
    if ('stringValue' in value) return value.stringValue
    if ('boolValue' in value) return value.boolValue
    if ('intValue' in value) return Number.isSafeInteger(numberIn(value.intValue)) ? numberIn(value.intValue) : value.intValue
    if ('doubleValue' in value) return numberIn(value.doubleValue)
    if (isObject(value.arrayValue)) return elementsOf(value.arrayValue.values).map((element) => plainValue(element, depth + 1))
    if (isObject(value.kvlistValue)) return plainObject(value.kvlistValue.values, depth + 1)
    return value.bytesValue ?? null
}

function plainObject(list, depth) {
    const members = elementsOf(list).filter((member) => typeof member?.key === 'string')
    return Object.fromEntries(members.map(({ key, value }) => [key, plainValue(value, depth)]))
}

function numberIn(value) {
    return typeof value === 'object' ? NaN : Number(value)
}

function elementsOf(value) {
    return Array.isArray(value) ? value : []
}

/** A log record's attributes as an object. */
function attributesOf(record) {
    return plainObject(record?.attributes)
}

/**
 * How an API's batches are read: `list` names the member with the events; where it is empty, the body is the list.
 *
 * @typedef {object} Layout
 * @property {string[] | null} list Null where the events are deeper, and `events` finds them.
 * @property {(body: any) => Placed[]} [events]
 * @property {(event: any) => Reading} read
 * @property {(name: string) => boolean} [isOwn] Whether the API adds a member of that name to what the caller gave.
 */

/** @type {Record<string, Layout>} */
const LAYOUTS = {
    metaRouter: { list: ['batch'], read: ofSpec },
    segment: { list: ['batch'], read: ofSpec },
    postHog: { list: ['batch'], read: ofPostHog, isOwn: (name) => name.startsWith('$') },
    amplitude: { list: ['events'], read: ofAmplitude },
    mixpanel: {
        list: [],
        read: ofMixpanel,
        isOwn: (name) => name.startsWith('$') || ['token', 'distinct_id', 'time', 'mp_lib'].includes(name),
    },
    otlp: {
        list: null,
        events: (body) => listed(body?.resourceLogs, ['resourceLogs'])
            .flatMap(({ path, event }) => listed(event?.scopeLogs, [...path, 'scopeLogs']))
            .flatMap(({ path, event }) => listed(event?.logRecords, [...path, 'logRecords'])),
        read: ofLogRecord,
    },
}

/** The events of a batch, each with its place. @param {string} api @param {any} body @returns {Placed[]} */
export function eventsIn(api, body) {
    const { list, events } = LAYOUTS[api]
    return list ? listed(listIn(list, body), list) : events(body)
}

/** One event of a batch by its place; undefined if there is none. @param {string} api @param {any} body @param {number} index */
export function eventAt(api, body, index) {
    const { list } = LAYOUTS[api]
    if (!list) return eventsIn(api, body)[index]?.event
    const events = listIn(list, body)
    return Array.isArray(events) ? events[index] : undefined
}

function listIn([name], body) {
    return name === undefined ? body : body?.[name]
}

/** @param {string} api @param {any} event @returns {Reading} */
export function readingOf(api, event) {
    return isObject(event) ? LAYOUTS[api].read(event) : { type: 'unknown', data: null }
}

/** What the caller gave with an event, without what the API adds to it. @param {string} api @param {any} event */
export function dataOfEvent(api, event) {
    const { data } = readingOf(api, event)
    if (data === null) return undefined
    if (api === 'otlp') return attributesOf(event)
    const value = data.reduce((inner, key) => (isObject(inner) ? inner[key] : undefined), event)
    const { isOwn } = LAYOUTS[api]
    if (!isOwn || !isObject(value)) return value
    return Object.fromEntries(Object.entries(value).filter(([name]) => !isOwn(name)))
}
