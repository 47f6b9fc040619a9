import { isUtf8 } from 'node:buffer'
import { gunzipSync } from 'node:zlib'
import { inspect } from './json.js'

/**
 * A request's body, as far as it could be read.
 *
 * @typedef {object} Body
 * @property {number} size Bytes on the wire.
 * @property {number} plainSize Bytes once decompressed; the same if it was not compressed.
 * @property {string} text The text as it was sent. What is not UTF-8 in it is replaced.
 * @property {any} value What the JSON holds, or undefined if there is none. Large numbers have lost digits here.
 * @property {import('./json.js').Inspection | null} inspection What parsing does not report.
 * @property {string | null} problem Why it could not be read.
 * @property {number} status What a server answers to it: 200, 400, 413 or 415.
 */

/**
 * Reads a body.
 *
 * @param {{ bytes: Buffer | null, size: number }} content No bytes if it was too large to be kept.
 * @param {string | undefined} encoding The `Content-Encoding`.
 * @param {number} largest Most bytes once decompressed.
 * @returns {Body}
 */
export function readBody({ bytes, size }, encoding, largest) {
    const body = { size, plainSize: size, text: '', value: undefined, inspection: null, problem: null, status: 200 }
    if (!bytes) return refuse(body, 413, tooLarge(largest))
    const plain = decompress(bytes, encoding, largest, body)
    if (plain === null) return body
    body.plainSize = plain.length
    body.text = plain.toString('utf8')
    if (size === 0) return body
    if (!isUtf8(plain)) return refuse(body, 400, 'The body is not UTF-8.')
    try {
        body.value = JSON.parse(body.text)
    } catch (error) {
        return refuse(body, 400, `The body is not JSON: ${reasonOf(error)}.`)
    }
    body.inspection = inspect(body.text)
    return body
}

/** The message without the piece of the body that it quotes: it could contain a key. */
function reasonOf(error) {
    return error.message.replace(/, \.{0,3}".*$/s, '')
}

function decompress(bytes, encoding, largest, body) {
    if (encoding === undefined || encoding.toLowerCase() === 'identity') return bytes
    if (encoding.toLowerCase() !== 'gzip') {
        refuse(body, 415, `Content-Encoding is ${JSON.stringify(encoding)}; it must be gzip or left out.`)
        return null
    }
    try {
        return gunzipSync(bytes, { maxOutputLength: largest })
    } catch (error) {
        if (error.code === 'ERR_BUFFER_TOO_LARGE') refuse(body, 413, tooLarge(largest))
        else refuse(body, 400, `The body is not gzip: ${error.message}.`)
        return null
    }
}

function refuse(body, status, problem) {
    body.status = status
    body.problem = problem
    return body
}

function tooLarge(largest) {
    return `The body is larger than ${largest} bytes.`
}
