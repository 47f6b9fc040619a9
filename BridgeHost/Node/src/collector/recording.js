import { createWriteStream } from 'node:fs'
import { once } from 'node:events'

/** The headers that a replay sends again unchanged. */
const SENT_AGAIN = [
    'content-type',
    'user-agent',
    'idempotency-key',
    'x-sequence',
    'x-occurred-at',
    'x-api-key',
    'x-test-id',
]

/**
 * One recorded request: a line of the file.
 *
 * @typedef {object} Recorded
 * @property {string} at
 * @property {string} method
 * @property {string} path
 * @property {Record<string, string>} headers
 * @property {string} body As it came, decompressed, keys masked.
 * @property {string | null} session The session that the answer named.
 */

/** A file of requests, one JSON object a line, readable by its owner alone. */
export class Recording {
    #stream
    /** @type {Error | null} */
    failure = null

    /** @param {string} path What is there is replaced. */
    constructor(path) {
        this.#stream = createWriteStream(path, { mode: 0o600 })
        this.#stream.on('error', (error) => (this.failure ??= error))
    }

    /** Settles when the file is there. @throws {Error} If it cannot be written. */
    async opened() {
        await once(this.#stream, 'open')
    }

    /** @param {import('./record.js').ReceivedRequest} record */
    add({ at, method, path, headers, raw, made }) {
        const kept = Object.fromEntries(SENT_AGAIN.filter((name) => headers[name] !== undefined).map(
            (name) => [name, headers[name]],
        ))
        const line = JSON.stringify({ at, method, path, headers: kept, body: raw, session: made })
        if (!this.failure) this.#stream.write(`${line}\n`)
    }

    /** Resolves when everything is written. */
    async close() {
        if (this.failure) return
        this.#stream.end()
        await Promise.race([once(this.#stream, 'close'), once(this.#stream, 'error')]).catch(() => {})
    }
}
