import { randomUUID } from 'node:crypto'

let last = 0

/**
 * A version 7 UUID (RFC 9562, 5.7). It begins with the time, so ids made one after the other are neighbours in the
 * queue's index, and writing them touches few pages.
 *
 * @returns {string}
 */
export function timeOrderedUUID() {
    // Ids keep increasing when the clock is set back.
    last = Math.max(last, Date.now())
    const time = last.toString(16).padStart(12, '0')
    const random = randomUUID()
    return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(15)}`
}
