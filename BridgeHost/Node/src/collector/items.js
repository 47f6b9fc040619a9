import { eventsIn, readingOf } from './apis/layouts.js'

/**
 * One thing a request carries: each event of a batch or an array, or the request as a whole.
 *
 * @typedef {object} Item
 * @property {string} type An event's type in a batch or array, else the request's kind.
 * @property {string | null} name The event's name.
 * @property {string | null} user
 * @property {string | null} session
 * @property {string | null} id The message id, where the body holds one.
 */

/**
 * Splits a request into its events. It reads as much as it can of a malformed body.
 *
 * @param {import('./routes.js').Route} route
 * @param {string | null} api Whose batch it is.
 * @param {any} value The parsed body.
 * @returns {Item[]} At least one.
 */
export function itemsOf(route, api, value) {
    const events = api === null ? [] : eventsIn(api, value)
    if (events.length > 0) return events.map(({ event }) => batchItem(readingOf(api, event)))
    if (route.kind === 'basic' && Array.isArray(value) && value.length > 0) {
        return value.map(basicItem)
    }
    return [{
        type: route.kind,
        name: word(value?.event_name),
        user: route.user ?? word(value?.user_id),
        session: route.session ?? word(value?.session_id) ?? word(value?.current_session_id),
        id: null,
    }]
}

function batchItem({ type, name, user, id }) {
    return { type, name: word(name), user: word(user), session: null, id: word(id) }
}

function basicItem(event) {
    return { type: word(event?.type) ?? 'unknown', name: word(event?.name), user: word(event?.userId), session: null, id: null }
}

function word(value) {
    return typeof value === 'string' ? value : null
}
