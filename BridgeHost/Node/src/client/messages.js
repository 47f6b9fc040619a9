/**
 * A line that the host wrote: an answer to a call, or a notification.
 *
 * @typedef {{ id: number, result?: object, error?: object } | { method: string, params: any }} Message
 */

/**
 * Reads a line.
 *
 * @param {string} line
 * @returns {Message | null} Null if it is neither an answer nor a notification.
 */
export function readMessage(line) {
    const message = parse(line)
    if (typeof message?.method === 'string' && message.id === undefined) return message
    return typeof message?.id === 'number' && isObject(message.error ?? message.result) ? message : null
}

function parse(line) {
    try {
        return JSON.parse(line)
    } catch {
        return null
    }
}

function isObject(value) {
    return typeof value === 'object' && value !== null
}
