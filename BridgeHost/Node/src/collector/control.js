import { Readable } from 'node:stream'
import { millisecondsIn } from '../command-line.js'
import { foreignReason } from './access.js'
import { AccountError } from './accounts.js'
import { assetAt, SAFE, sendAsset } from './assets.js'
import { FaultError } from './faults/item.js'
import { FilterError, filterFrom, matcher, wholeNumber } from './filter.js'
import { LiveStream } from './live.js'
import { nearMiss } from './near-miss.js'
import { COLLECTOR_HEADER } from './running.js'
import { waitFilter, waitFor } from './wait.js'

/** @typedef {import('./collector.js').Collector} Collector */
/** @typedef {import('node:http').IncomingMessage} IncomingMessage */
/** @typedef {import('node:http').ServerResponse} ServerResponse */

const MOST_BYTES = 1 << 20
const LONGEST_WAIT = 600_000
const USUAL_WAIT = 10_000
const CHUNK = 65_536
const BROWSED = ['/', '/favicon.ico']

const WELCOME = `This is a collector: it takes what trackers send, and checks it.

GET  /           in a browser: the live page
GET  /received   what came
GET  /wait       the same, once count=<n> have come
POST /clear      forget what came
GET  /faults     what is left of the fault script; POST sets it
GET  /accounts   the last account of each client

More is in: mobile-tracker collect --help
`

/** An answer to a bad request: its status, and a sentence. */
class Refusal extends Error {
    constructor(status, message, headers = {}) {
        super(message)
        this.status = status
        this.headers = headers
    }
}

/**
 * The collector's own paths: what it got, waiting for it, forgetting it, and the fault script.
 *
 * @param {Collector} collector
 * @param {AbortSignal} signal Ends all waits.
 * @param {string} [host] The address it listens at.
 * @returns {(request: IncomingMessage, response: ServerResponse) => boolean} Says whether the request was for it.
 */
export function makeControl(collector, signal, host = '127.0.0.1') {
    /** Path to method to what answers. */
    const paths = {
        '/': { GET: welcome },
        '/favicon.ico': { GET: noIcon },
        '/live': { GET: live },
        '/record': { GET: oneRecord },
        '/received': { GET: received },
        '/wait': { GET: wait },
        '/clear': { POST: clear },
        '/accounts': { GET: showAccounts, POST: takeAccount },
        '/accounts/retry': { POST: askRetry },
        '/faults': { GET: showFaults, POST: loadFaults, DELETE: clearFaults },
    }
    return (request, response) => {
        const mark = request.url.indexOf('?')
        const path = mark === -1 ? request.url : request.url.slice(0, mark)
        const asset = assetAt(path)
        if (!asset && !Object.hasOwn(paths, path)) return false
        // A basic endpoint may be at the root: only requests of a browser go to the page.
        if (BROWSED.includes(path) && request.method !== 'GET') return false
        const query = new URLSearchParams(mark === -1 ? '' : request.url.slice(mark + 1))
        const methods = asset ? { GET: () => sendAsset(response, asset) } : paths[path]
        answer(methods, { collector, request, response, query, signal, host }).catch((error) => {
            refuse(response, error)
        })
        return true
    }
}

async function answer(methods, call) {
    const { request, response } = call
    for (const [name, value] of Object.entries(SAFE)) response.setHeader(name, value)
    const reason = foreignReason(request.headers, { own: call.host, mayNavigate: true })
    if (reason !== null) throw new Refusal(403, reason)
    const act = Object.hasOwn(methods, request.method) ? methods[request.method] : null
    if (act) return act(call)
    const allowed = Object.keys(methods).join(', ')
    throw new Refusal(405, `${request.method} does not go here; ${allowed} does.`, { Allow: allowed })
}

/** The page for a browser, a few words for curl. */
function welcome({ request, response }) {
    response.setHeader('Vary', 'Accept')
    if (/\btext\/html\b/.test(request.headers.accept ?? '')) return sendAsset(response, 'page/index.html')
    response.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', [COLLECTOR_HEADER]: 'yes' })
    response.end(WELCOME)
}

function live({ collector, request, response }) {
    new LiveStream(collector, response, request.headers['last-event-id'])
}

function oneRecord({ collector, response, query }) {
    const seq = wholeNumber(query.get('seq') ?? '')
    const [record] = collector.requestLog.after(seq - 1, 1)
    if (record?.seq !== seq) throw new Refusal(404, `Request ${seq} is not kept any more.`)
    sendRecords(response, 200, { facts: { total: 1 }, records: [record] }, collector)
}

function noIcon({ response }) {
    response.writeHead(204)
    response.end()
}

function received({ collector, request, response, query }) {
    const filter = ofTest(request, filterFrom(query, ['last']))
    sendRecords(response, 200, matching(collector, filter, query), collector)
}

async function wait({ collector, request, response, query, signal }) {
    const { filter, goal } = waitFrom(request, query)
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const ended = AbortSignal.any([signal, gone.signal])
    const { outcome, matched } = await waitFor(collector.requestLog, filter, { ...goal, signal: ended })
    if (gone.signal.aborted) return
    const facts = { matched, wanted: goal.count }
    if (outcome !== 'met') {
        const what = goal.ofRequests ? 'requests' : 'matches'
        const reason = outcome === 'timeout' ? `within ${goal.timeoutMs} ms` : 'before the collector was stopped'
        facts.error = `${matched} of ${goal.count} ${what} came ${reason}.${nearMiss(collector.requestLog.records(), filter)}`
    }
    const status = { met: 200, timeout: 408, stopped: 503 }[outcome]
    const found = matching(collector, filter, query)
    sendRecords(response, status, { ...found, facts: { ...facts, ...found.facts } }, collector)
}

function clear({ collector, response }) {
    const cleared = collector.requestLog.size
    collector.clear()
    sendJSON(response, 200, { cleared })
}

function showAccounts({ collector, response }) {
    sendJSON(response, 200, { accounts: collector.accounts.latest() })
}

async function takeAccount({ collector, request, response }) {
    const { client, comparison } = collector.accounts.post(await readJSON(request, 'account'))
    sendJSON(response, 200, { comparison, ...(collector.accounts.takeRetry(client) && { retryRefused: true }) })
}

async function askRetry({ collector, request, response }) {
    collector.accounts.askRetry((await readJSON(request, 'request'))?.client)
    sendJSON(response, 200, {})
}

function showFaults({ collector, response }) {
    const { faults } = collector
    sendJSON(response, 200, { faults: faults.left(), faultEnds: faults.ends() })
}

async function loadFaults({ collector, request, response, query }) {
    for (const name of query.keys()) {
        if (name !== 'append') throw new Refusal(400, `There is no parameter "${name}"; known is append=true.`)
    }
    const text = await readText(request, 'script')
    collector.faults.load(scriptFrom(text), { append: query.get('append') === 'true' })
    sendJSON(response, 200, { faults: collector.faults.left() })
}

function clearFaults({ collector, response }) {
    collector.faults.load([])
    sendJSON(response, 200, { faults: [] })
}

/** A query with an `X-Test-Id` is about that test's requests, unless it says otherwise. */
function ofTest({ headers }, filter) {
    const test = headers['x-test-id']
    return test === undefined || filter.test !== undefined ? filter : { ...filter, test }
}

function waitFrom(request, query) {
    const filter = waitFilter(ofTest(request, filterFrom(query, ['count', 'requests', 'timeout', 'last'])))
    if (query.has('count') && query.has('requests')) throw new FilterError('Give either count or requests, not both.')
    const ofRequests = query.has('requests')
    const count = wholeNumber(query.get('count') ?? query.get('requests') ?? '1')
    return { filter, goal: { count, ofRequests, timeoutMs: timeoutFrom(query.get('timeout')) } }
}

/** Seconds, or with a unit: `5`, `0.5`, `5s`, `500ms`. */
function timeoutFrom(text) {
    if (text === null) return USUAL_WAIT
    const timeout = millisecondsIn(text)
    if (!(timeout <= LONGEST_WAIT)) {
        throw new FilterError(`"${text}" is no timeout; an example is 5, 5s or 500ms, at most ${LONGEST_WAIT / 1000}s.`)
    }
    return timeout
}

function matching(collector, filter, query) {
    const matches = matcher(filter)
    const records = []
    for (const record of collector.requestLog.records(filter.since)) if (matches(record) > 0) records.push(record)
    const last = query.has('last') ? wholeNumber(query.get('last')) : records.length
    return { facts: { total: records.length }, records: last === 0 ? [] : records.slice(-last) }
}

/** A script may come as JSON or as text, whatever the Content-Type says: curl always says it is a form. */
function scriptFrom(text) {
    if (!/^\s*[[{"]/.test(text)) return text
    try {
        return JSON.parse(text)
    } catch (error) {
        throw new Refusal(400, `The script looks like JSON, but is not: ${error.message}.`)
    }
}

async function readJSON(request, what) {
    const text = await readText(request, what)
    try {
        return JSON.parse(text)
    } catch {
        throw new Refusal(400, `The ${what} is not JSON.`)
    }
}

async function readText(request, what) {
    const chunks = []
    let size = 0
    for await (const chunk of request) {
        size += chunk.length
        if (size > MOST_BYTES) throw new Refusal(413, `The ${what} is larger than ${MOST_BYTES} bytes.`)
        chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
}

/** Written piece by piece, as fast as the client reads: all that is kept can be more than one string can hold. */
function sendRecords(response, status, { facts, records }, { requestLog }) {
    const head = { ...facts, forgotten: requestLog.forgotten }
    response.writeHead(status, { 'Content-Type': 'application/json' })
    Readable.from(pieces(head, records), { objectMode: false }).on('error', () => response.destroy()).pipe(response)
}

function* pieces(head, records) {
    let text = `${JSON.stringify(head).slice(0, -1)},"requests":[`
    for (let i = 0; i < records.length; i++) {
        text += (i > 0 ? ',\n' : '\n') + records[i].toText()
        if (text.length > CHUNK) {
            yield text
            text = ''
        }
    }
    yield `${text}\n]}\n`
}

function sendJSON(response, status, value, headers = {}) {
    response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
    response.end(`${JSON.stringify(value)}\n`)
}

function refuse(response, error) {
    if (response.headersSent || response.destroyed) return response.destroy()
    if ([FilterError, FaultError, AccountError].some((kind) => error instanceof kind)) return sendJSON(response, 400, { error: error.message })
    if (error instanceof Refusal) {
        const close = error.status === 413 ? { Connection: 'close' } : {}
        return sendJSON(response, error.status, { error: error.message }, { ...error.headers, ...close })
    }
    sendJSON(response, 500, { error: `The collector failed: ${error.message}` })
}
