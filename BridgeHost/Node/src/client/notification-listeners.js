import { described } from './errors.js'
import { clientText } from './fault.js'

const TOPICS = ['log', 'diagnostic', 'session', 'delivered', 'credentials']

/** Passes the notifications of the host to their listeners. */
export class NotificationListeners {
    #listeners = new Map(TOPICS.map((event) => [event, new Set()]))
    #subscribed = new Set()
    #options

    /**
     * @param {object} options
     * @param {(topic: string) => void} options.subscribe Called once for each topic, with its first listener.
     * @param {(message: string) => void} options.warn
     */
    constructor(options) {
        this.#options = options
    }

    /**
     * Calls `listener` with each notification of this kind from now on.
     *
     * @param {'log' | 'diagnostic' | 'session' | 'delivered' | 'credentials'} event
     * @param {(notification: any) => void} listener What it throws becomes a warning.
     * @returns {() => void} Removes the listener.
     * @throws {TypeError} For any other event, or if the listener is no function.
     */
    on(event, listener) {
        const listeners = this.#listeners.get(event)
        if (!listeners) {
            throw new TypeError(clientText('noTopic', { topic: String(event), topics: TOPICS }))
        }
        if (typeof listener !== 'function') throw new TypeError(clientText('noListener'))
        const entry = { listener }
        listeners.add(entry)
        if (!this.#subscribed.has(event)) {
            this.#subscribed.add(event)
            this.#options.subscribe(event)
        }
        return () => listeners.delete(entry)
    }

    /** @param {{ method: string, params: any }} notification */
    receive({ method, params }) {
        if (method === '$/lost') {
            return this.#options.warn(clientText('notificationsLost', params))
        }
        const topic = params?.kind === 'delivered' ? 'delivered' : method
        const listeners = this.#listeners.get(topic) ?? new Set()
        // A listener that registers another one is not to be followed by it now.
        for (const entry of [...listeners]) {
            if (!listeners.has(entry)) continue
            const warn = (error) => this.#options.warn(clientText('listenerFailed', { topic, error: described(error) }))
            try {
                entry.listener(params)?.then?.(undefined, warn)
            } catch (error) {
                warn(error)
            }
        }
    }
}
