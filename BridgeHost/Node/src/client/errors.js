import { clientText } from './fault.js'
import { NUMBERS } from './methods.js'

/** Something a caller can act on: by its `code`, which is stable, and not by its message. */
export class MobileTrackerError extends Error {
    /**
     * @param {string} code A stable word, such as `INVALID_BRAND_ID`.
     * @param {string} message A sentence for a developer.
     * @param {object} [details]
     * @param {number} [details.number] The number of the error in JSON-RPC.
     * @param {boolean} [details.retryable] Whether the same call may succeed later.
     * @param {Record<string, unknown>} [details.data] What else is known, such as `status` or `cause`.
     */
    constructor(code, message, { number = NUMBERS[code], retryable = false, data = {} } = {}) {
        super(message)
        /** The stable word. */
        this.code = code
        /** The number in JSON-RPC; undefined for errors that come from no message, such as `HOST_EXITED`. */
        this.number = number
        /** Whether the same call may succeed later. */
        this.retryable = retryable
        /** What else is known. With `SESSION_CREATION_FAILED`: `status` or `cause`. */
        this.data = data
    }

    get name() {
        return 'MobileTrackerError'
    }
}

/** The error of a call that is longer than the host accepts. @param {number} limit How long a message may be, in bytes. */
export function messageTooLarge(method, limit) {
    return new MobileTrackerError('MESSAGE_TOO_LARGE', clientText('callTooLarge', { method, limit }), { data: { limit } })
}

/** A line of a stack, with the place in it. */
const FRAME = /^ {4}at (?:[^\n]{0,500} \(([^\n]{1,500}:\d+:\d+)\)|([^()\n]{1,500}:\d+:\d+))$/

/**
 * What a caller's code has thrown, and where. What an error says may be personal, and is not shown. Programs can throw
 * anything, even a value that has no name.
 *
 * @param {any} thrown
 * @returns {string}
 */
export function described(thrown) {
    try {
        if (typeof thrown?.stack !== 'string') return typeof thrown
        // The message stands before the frames, and may look like some.
        const message = String(thrown.message ?? '')
        const lines = thrown.stack.slice(Math.max(0, thrown.stack.indexOf(message)) + message.length).split('\n')
        const first = lines.findLastIndex((line) => !line.startsWith('    at ')) + 1
        const place = lines.slice(first).map((line) => line.match(FRAME)).find(Boolean)
        const name = String(thrown.name)
        return place ? clientText('errorAt', { error: name, place: place[1] ?? place[2] }) : name
    } catch {
        return 'what was thrown cannot be shown'
    }
}

/**
 * Reads the `error` member of an answer.
 *
 * @param {{ code?: number, message?: string, data?: { code?: string, retryable?: boolean } }} error
 */
export function errorFromAnswer(error) {
    const data = error.data ?? {}
    return new MobileTrackerError(data.code ?? 'INTERNAL_ERROR', error.message ?? clientText('noReason'), {
        number: error.code,
        retryable: data.retryable === true,
        data,
    })
}
