import { randomUUID } from 'node:crypto'

/** How many sessions and answered session attempts are remembered. */
const MOST = 100_000

/** The state of a tracker's backend: its sessions, and the user of each. */
export class Backend {
    /** What is known of a session. @type {Map<string, { brand: string, device: string | null }>} */
    #sessions = new Map()
    /** Idempotency key of a session attempt to the session it made, so that its repeat makes no second one. */
    #attempts = new Map()

    /**
     * The body of a 2xx answer to a request.
     *
     * @param {import('./routes.js').Route} route
     * @param {any} value The parsed body.
     * @param {string | undefined} key The `Idempotency-Key`.
     * @returns {string} JSON.
     */
    answer(route, value, key) {
        switch (route.kind) {
            case 'session':
                return data(this.#sessionFor(key))
            case 'identify':
            case 'email':
                return data(route.session)
            case 'link':
                return data(value?.current_session_id)
            default:
                return '{"success":true}'
        }
    }

    /**
     * Adds a session that the collector did not make, such as one from before it was started.
     *
     * @param {string | null} session
     * @param {{ brand: string, device: string | null }} facts
     */
    learn(session, facts) {
        if (session && !this.#sessions.has(session)) remember(this.#sessions, session, facts, MOST)
    }

    /** @param {string | null} session @returns {{ brand: string, device: string | null } | undefined} */
    about(session) {
        return this.#sessions.get(session)
    }

    #sessionFor(key) {
        const made = key && this.#attempts.get(key)
        if (made) return made
        const id = randomUUID()
        if (key) remember(this.#attempts, key, id, MOST)
        return id
    }
}

function data(id) {
    return JSON.stringify({ data: { id } })
}

/** Adds to a map that forgets its oldest entry when it is full. */
export function remember(map, key, value, most) {
    map.delete(key)
    map.set(key, value)
    if (map.size > most) map.delete(map.keys().next().value)
}
