import { request as requestPlainly } from 'node:http'
import { request as requestSecurely } from 'node:https'
import { CommandError, runCommand, UsageError } from '../command-line.js'
import { painter } from '../terminal.js'
import { apiOf, authorizationOf, bodyUnder, keysIn } from './apis/index.js'
import { isLoopback } from './options.js'
import { bodyIn, readRecording } from './recording.js'
import { routeOf } from './routes.js'

/** How long one answer may take. */
const PATIENCE_MS = 30_000

/** @type {import('../command-line.js').CommandSpec} */
export const REPLAY = {
    name: 'replay',
    operands: 'FILE',
    least: 1,
    most: 1,
    about: `Sends again what "mobile-tracker collect --record FILE" has recorded, one request after the other, in their order. A
session that the other backend makes takes the place of the recorded one in all that follows.`,
    options: {
        to: { value: 'url', help: 'where to send; a base path is kept' },
        key: { value: 'key', help: 'the key to send, where each client or API has it; in the file it is masked' },
        json: { help: 'print JSON, one object a request' },
    },
    examples: [
        ['run.jsonl --to http://127.0.0.1:8123', 'shows a recorded run in a collector'],
        ['run.jsonl --to https://staging.example.com/api --key "$KEY"', 'sends it to a backend under test'],
    ],
}

/** Runs `mobile-tracker replay`. @param {string[]} words @returns {Promise<number>} The exit status. */
export function replay(words) {
    return runCommand(REPLAY, words, async (options, [path]) => {
        const base = baseFrom(options.to)
        const requests = readRecording(path).map(({ request }) => request)
        if (!options.key && !isLoopback(base.hostname)) {
            process.stderr.write(
                'mobile-tracker: Warning: keys are masked in the recording; give the real one with --key.\n',
            )
        }
        return send(requests, base, options)
    })
}

async function send(requests, base, { key, json }) {
    const paint = painter(process.stdout)
    /** Recorded sessions to those that the other backend made. @type {Map<string, string>} */
    const sessions = new Map()
    const counts = new Map()
    for (const [i, recorded] of requests.entries()) {
        const { status, text } = await exchange(adapted(recorded, sessions, key), base)
        if (recorded.session) learnSession(sessions, recorded.session, text)
        counts.set(status, (counts.get(status) ?? 0) + 1)
        const style = status < 300 ? 'green' : 'red'
        process.stdout.write(json
            ? `${JSON.stringify({ request: i + 1, method: recorded.method, path: recorded.path, status })}\n`
            : `${String(i + 1).padStart(6)}  ${paint(style, status)}  ${recorded.method} ${recorded.path}\n`)
    }
    const all = [...counts].map(([status, count]) => `${count} × ${status}`).join(', ')
    if (!json) process.stdout.write(`${requests.length} sent: ${all}.\n`)
    return [...counts.keys()].every((status) => status < 300) ? 0 : 1
}

/** The request with the sessions of the backend that it goes to, and under its key. */
function adapted({ method, path, headers, body }, sessions, key) {
    const swap = (text) => [...sessions].reduce((swapped, [old, made]) => swapped.replaceAll(old, made), text)
    const [target, text] = [swap(path), swap(body)]
    const value = bodyIn(text)
    const api = apiOf(routeOf(method, target), value)
    const bytes = Buffer.from(key ? bodyUnder(api, text, value, key) : text)
    const fields = { ...headers, ...(key && headers['x-api-key'] !== undefined && { 'x-api-key': key }) }
    if (headers.authorization !== undefined) {
        // It is masked as a whole, and so has lost its form. The key in the body has kept it.
        fields.authorization = authorizationOf(api, key ?? keysIn(api, value)[0]) ?? headers.authorization
    }
    if (bytes.length > 0 || method === 'POST') fields['content-length'] = String(bytes.length)
    return { method, path: target, headers: fields, bytes }
}

function exchange({ method, path, headers, bytes }, base) {
    const request = base.protocol === 'https:' ? requestSecurely : requestPlainly
    // Only of the whole address: by itself, a path that begins with two slashes names another host.
    const { pathname, search } = new URL(base.origin + base.pathname.replace(/\/$/, '') + path)
    return new Promise((resolve, reject) => {
        const fail = (error) => reject(new CommandError(`${base.origin} does not answer: ${error.message}.`))
        const outgoing = request(base, { path: pathname + search, method, headers, timeout: PATIENCE_MS })
        outgoing.on('timeout', () => outgoing.destroy(new Error(`nothing came within ${PATIENCE_MS / 1000} s`)))
        outgoing.on('error', fail)
        outgoing.on('response', (response) => {
            let text = ''
            response.setEncoding('utf8').on('data', (piece) => (text += piece))
            response.on('error', fail)
            response.on('end', () => resolve({ status: response.statusCode, text }))
        })
        outgoing.end(bytes)
    })
}

function learnSession(sessions, recorded, answer) {
    try {
        const { id } = JSON.parse(answer).data
        if (String(id) !== recorded) sessions.set(recorded, String(id))
    } catch {
        // An answer without a session leaves the recorded one in place.
    }
}

function baseFrom(text) {
    if (text === undefined) throw new UsageError('replay needs --to <url>: where to send.')
    const url = URL.canParse(text) ? new URL(text) : null
    if (!url || !['http:', 'https:'].includes(url.protocol)) {
        throw new UsageError(`--to is "${text}"; it must be a URL such as http://127.0.0.1:8123.`)
    }
    return url
}
