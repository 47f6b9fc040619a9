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
 * @param {any} value The parsed body.
 * @returns {Item[]} At least one.
 */
export function itemsOf(route, value) {
    if (route.kind === 'batch' && Array.isArray(value?.batch) && value.batch.length > 0) {
        return value.batch.map((event) => eventItem(event, event?.event))
    }
    if (route.kind === 'basic' && Array.isArray(value) && value.length > 0) {
        return value.map((event) => eventItem(event, event?.name))
    }
    return [{
        type: route.kind,
        name: word(value?.event_name),
        user: route.user ?? word(value?.user_id),
        session: route.session ?? word(value?.session_id) ?? word(value?.current_session_id),
        id: null,
    }]
}

function eventItem(event, name) {
    return { type: word(event?.type) ?? 'unknown', name: word(name), user: word(event?.userId), session: null, id: word(event?.messageId) }
}

function word(value) {
    return typeof value === 'string' ? value : null
}
