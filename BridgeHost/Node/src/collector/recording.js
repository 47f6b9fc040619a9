import { createWriteStream, fchmodSync, fstatSync, openSync } from 'node:fs'
import { once } from 'node:events'
import { CommandError, readText } from '../command-line.js'

/** The headers that a replay sends again. */
const SENT_AGAIN = [
    'content-type', 'user-agent', 'idempotency-key', 'x-sequence', 'x-occurred-at', 'x-api-key', 'authorization', 'x-test-id',
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

    /**
     * @param {string} path What is there is replaced.
     * @throws {Error} If it cannot be written.
     */
    constructor(path) {
        // At once, so that no request comes before there is a file for it.
        const descriptor = openSync(path, 'w', 0o600)
        this.#stream = createWriteStream(path, { fd: descriptor })
        this.#stream.on('error', (error) => (this.failure ??= error))
        // A file that was there keeps who may read it. A device such as /dev/stdout is not the recording's own.
        if (fstatSync(descriptor).isFile()) fchmodSync(descriptor, 0o600)
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

/**
 * Reads a file of requests.
 *
 * @param {string} path
 * @returns {Array<{ request: Recorded, place: string }>} Each with the file and the line that it is from.
 * @throws {CommandError} If it cannot be read, or is no recording.
 */
export function readRecording(path) {
    return readText(path).split('\n').flatMap((line, i) => {
        const place = `${path}:${i + 1}`
        return line.trim() === '' ? [] : [{ request: recordedIn(line, place), place }]
    })
}

function recordedIn(line, place) {
    let value
    try {
        value = JSON.parse(line)
    } catch {
        throw new CommandError(`${place} is not JSON. A recording is made with mobile-tracker collect --record FILE.`)
    }
    const { method, path, headers, body } = value ?? {}
    const isRecorded = typeof method === 'string' && typeof path === 'string' && path.startsWith('/') && typeof body === 'string'
        && typeof headers === 'object' && headers !== null
    if (!isRecorded) throw new CommandError(`${place} is no recorded request: it needs method, path, headers and body.`)
    return value
}

/** What a recorded body holds; undefined if it is not JSON. @param {string} text */
export function bodyIn(text) {
    try {
        return JSON.parse(text)
    } catch {
        return undefined
    }
}
