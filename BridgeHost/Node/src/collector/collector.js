import { randomUUID } from 'node:crypto'
import { AccountBook } from './accounts.js'
import { voiceOf } from './apis/answers.js'
import { apiOf, keyNamesOf, keysIn } from './apis/index.js'
import { eventAt, readingOf } from './apis/layouts.js'
import { Backend } from './backend.js'
import { readBody } from './body.js'
import { sentenceOf } from './checks/findings.js'
import { problemsOf } from './checks/index.js'
import { findingsIn } from './checks/placed.js'
import { faultText } from './faults/item.js'
import { FaultScript } from './faults/script.js'
import { itemsOf } from './items.js'
import { RequestLog } from './request-log.js'
import { concealer, mask, maskBody, secretsAmong } from './mask.js'
import { personalDataIn } from './personal.js'
import { ReceivedRequest } from './record.js'
import { routeOf } from './routes.js'
import { SequenceChecker } from './sequence-checker.js'

/** @typedef {import('./routes.js').Route} Route */
/** @typedef {import('./faults/item.js').FaultItem} FaultItem */

/**
 * What to do about a request.
 *
 * @typedef {object} Reply
 * @property {import('./faults/item.js').Action} action
 * @property {number | null} status Null for a request that is cut and not taken.
 * @property {string[]} headers Names and values in turn.
 * @property {string} body
 * @property {number} delay Milliseconds to wait first.
 */

/** The headers that say nothing of a request, but of the connection that it came on. */
const OF_CONNECTION = ['host', 'connection', 'keep-alive', 'transfer-encoding', 'te', 'upgrade', 'expect']

/** What the headers are called whose values are masked. */
const SECRET = /key$|auth|token|secret|password|cookie|signature|credential/

/** How deep a body may nest for a plan to judge it. */
const DEEPEST = 256

/** What the collector knows and decides, apart from the wire: requests in, replies out. */
export class Collector {
    accounts = new AccountBook((client) => this.#sequenceChecker.arrivals(client))
    faults = new FaultScript({ onChange: () => this.#announce() })
    requestLog
    /** Distinguishes this run from an earlier one on the same port, whose numbers mean other requests. */
    run = randomUUID().slice(0, 8)
    /** How often everything was forgotten on demand. */
    clears = 0
    #listeners = new Set()
    #foreignListeners = new Set()
    #backend = new Backend()
    #sequenceChecker = new SequenceChecker()
    #options
    #totals = newTotals()

    /** @param {{ strict: boolean, maxBytes: number, maxBodyBytes: number, api?: string | null, plan?: import('../plan/plan.js').Plan | null }} options */
    constructor(options) {
        this.#options = { api: null, ...options }
        this.requestLog = new RequestLog(options.maxBytes)
    }

    /** Counts since the start, whatever was forgotten or cleared since. */
    get totals() {
        return { ...this.#totals, forgotten: this.requestLog.forgotten }
    }

    get options() {
        return this.#options
    }

    /** Calls `listener` whenever something other than a request has changed it. @returns {() => void} Ends it. */
    listen(listener) {
        this.#listeners.add(listener)
        return () => this.#listeners.delete(listener)
    }

    /** Calls `listener` with the reason for each request that is refused as foreign. @returns {() => void} Ends it. */
    onForeign(listener) {
        this.#foreignListeners.add(listener)
        return () => this.#foreignListeners.delete(listener)
    }

    /** A request that a web page elsewhere has probably sent. @param {string} reason */
    refuseForeign(reason) {
        this.#totals.foreign++
        for (const listener of this.#foreignListeners) listener(reason)
    }

    /** Forgets all requests, and with them which keys and numbers have come. Sessions and the fault script stay. */
    clear() {
        this.requestLog.clear()
        this.#sequenceChecker = new SequenceChecker()
        this.accounts.clear()
        this.clears++
        this.#announce()
    }

    /**
     * A request whose header has arrived.
     *
     * @param {Route} route
     * @param {string} target
     * @param {Record<string, string | undefined>} headers
     * @returns {Reply | null} How the connection is to be cut before the body is read, if it is.
     */
    replyUnread(route, target, headers) {
        const fault = this.faults.isEmpty ? null : this.faults.takeBeforeBody(route)
        if (!fault) return null
        const { reply, record } = this.#cut(route, target, headers, fault)
        this.#keep(record)
        return reply
    }

    #cut(route, target, headers, fault) {
        const reply = { action: fault.action, status: null, headers: [], body: '', delay: fault.delay ?? 0 }
        return { reply, record: this.#recordOf(route, target, headers, { status: null, accepted: false, fault }) }
    }

    /** A request whose sender went away in the middle of the body. */
    cutOff(route, target, headers) {
        const flags = [{ kind: 'cut', text: 'The connection ended in the middle of the body.' }]
        this.#keep(this.#recordOf(route, target, headers, { status: null, accepted: false, flags }))
    }

    /**
     * A request that has arrived completely.
     *
     * @param {Route} route
     * @param {string} target
     * @param {Record<string, string | undefined>} headers
     * @param {{ bytes: Buffer | null, size: number }} content The body: no bytes if it was too large to be kept.
     * @returns {Reply}
     */
    receive(route, target, headers, content) {
        let examined
        try {
            examined = this.#examine(route, target, headers, content)
        } catch (error) {
            examined = this.#giveUp(route, target, headers, error)
        }
        this.#keep(examined.record)
        return examined.reply
    }

    /** What to answer to a request, and what to keep of it, if the collector itself fails at it. */
    #giveUp(route, target, headers, { name }) {
        // Without the error's message: that may quote the body, and with it a key.
        const problem = `The collector failed to examine this request (${name}). Its body is not kept.`
        const body = JSON.stringify(voiceOf(route.api).failed(500, problem))
        return {
            reply: { action: 'answer', status: 500, headers: ['Content-Type', 'application/json'], body, delay: 0 },
            record: this.#recordOf(route, target, headers, { status: 500, accepted: false, problems: [problem] }),
        }
    }

    #examine(route, target, headers, content) {
        const body = readBody(content, headers['content-encoding'], this.#options.maxBodyBytes)
        const api = apiOf(route, body.value)
        const found = problemsOf(route, headers, body, { api, expected: this.#options.api })
        const items = itemsOf(route, api, body.value)
        const judged = this.#judge(route, api, items, body)
        const plan = judged.map(({ judgement }) => judgement)
        const reasons = plan.flatMap(({ name, reasons }) => reasons.map((reason) => `Plan, ${name}: ${reason}`))
        const problems = [...found.map(sentenceOf), ...reasons]
        const fault = this.faults.isEmpty ? null : this.faults.take(route, items, body.plainSize, keyOf(headers, api, body.value))
        // An instruction before it needed the body. The request is kept as if nobody had read that.
        if (fault?.action === 'drop-before') return this.#cut(route, target, headers, fault)

        const usual = this.#usualStatus(route, api, body, problems)
        const status = fault?.status ?? usual
        const action = fault?.action ?? 'answer'
        const isTaken = isSuccess(status) || (Boolean(fault?.indices) && voiceOf(api).takesRest(status))
        const accepted = action === 'answer' ? isTaken : isSuccess(usual)
        const reply = { action, status, headers: [], body: '', delay: fault?.delay ?? 0 }
        reply.body = this.#answerBody({ route, api, target, body, headers, status, fault, problems, items })
        addHeaders(reply, route, fault)

        const client = this.#clientOf(route, api, headers, body, items)
        const seen = this.#sequenceChecker.observe({
            route, ...client, lane: laneIn(testOf(route, headers), client.lane), key: headers['idempotency-key'], sequence: headers['x-sequence'],
            // What the answer refuses by its place may come again.
            items: items.map((item) => (isNamed(fault, item) ? { ...item, id: null } : item)),
            size: recordsIn(api, headers['idempotency-key']) ?? items.length,
            taken: accepted, refused: action === 'answer' && isRefusal(status),
        })
        const personal = personalDataIn(body.value)
        seen.flags.push(...personal.map((finding) => ({ kind: 'personal', text: sentenceOf(finding) })))
        const made = accepted ? this.#learnSession(route, reply.body, body, client.lane) : null
        const record = this.#recordOf(route, target, headers, {
            status: action === 'answer' ? status : null,
            accepted, fault, problems, api, items, body, made, plan, ...seen,
            findings: findingsIn(route.kind, api, body.value, found, judged, personal),
        })
        return { reply, record }
    }

    /** What the plan says of each event. @returns {ReturnType<import('../plan/plan.js').Plan['judgeRequest']>} */
    #judge(route, api, items, body) {
        const { plan } = this.#options
        // What nests deeper is a problem of its own, and too deep to be followed.
        return plan && body.inspection && body.inspection.depth <= DEEPEST ? plan.judgeRequest(route.kind, api, items, body.value) : []
    }

    #announce() {
        for (const listener of this.#listeners) listener()
    }

    #usualStatus(route, api, body, problems) {
        if (route.kind === 'unknown') return 404
        if (route.allow) return 405
        if (body.status !== 200) return body.status
        return this.#options.strict && problems.length > 0 ? voiceOf(api).invalid : 200
    }

    #answerBody({ route, api, target, body, headers, status, fault, problems, items }) {
        if (fault?.body !== undefined) return fault.body
        if (fault?.indices) return JSON.stringify(voiceOf(api).partly(status, namedBy(fault, items), items))
        if (fault?.id !== undefined) return JSON.stringify({ data: { id: fault.id } })
        if (isSuccess(status) && api !== null) {
            return JSON.stringify(voiceOf(api).taken({ count: items.length, size: body.plainSize, route, target }))
        }
        if (isSuccess(status)) return this.#backend.answer(route, body.value, headers['idempotency-key'])
        const sentence = fault ? `The fault script answers ${status} here.` : problems.join(' ')
        return JSON.stringify(voiceOf(api).failed(status, sentence))
    }

    /** Which client sent it: the name of its lane beside its path, and the identities of its installation. */
    #clientOf(route, api, headers, body, items) {
        if (api !== null) {
            const first = eventAt(api, body.value, 0)
            const key = keysIn(api, body.value)[0] ?? ''
            return { lane: api === 'metaRouter' ? key : `${api} ${key}`, identities: namesOf('anonymous', readingOf(api, first).visitor) }
        }
        if (route.kind === 'basic') {
            return { lane: '', identities: namesOf('first', headers['idempotency-key']?.split(':', 1)[0]) }
        }
        const { session } = items[0]
        const known = this.#backend.about(session)
        const brand = body.inspection?.numbers.get('brand_id') ?? known?.brand ?? ''
        if (session && brand) this.#backend.learn(session, { brand, device: null })
        return { lane: brand, identities: [...namesOf('session', session), ...namesOf('device', known?.device)] }
    }

    /**
     * A session's brand and device are known from the request that made it, or from the one it comes from.
     *
     * @returns {string | null} The session that the answer names.
     */
    #learnSession(route, answer, body, brand) {
        if (!['session', 'identify', 'email', 'link'].includes(route.kind)) return null
        const id = sessionIn(answer)
        const from = this.#backend.about(route.session ?? body.value?.current_session_id)
        const device = route.kind === 'session' ? body.value?.device_id : from?.device
        if (id) this.#backend.learn(id, { brand, device: typeof device === 'string' ? device : null })
        return id
    }

    #recordOf(route, target, headers, facts) {
        const api = facts.api ?? route.api
        const secrets = secretsAmong(headers['x-api-key'], keysIn(api, facts.body?.value))
        const conceal = concealer(secrets)
        return new ReceivedRequest(route, conceal(target), conceal(shownHeaders(headers)), {
            ...facts,
            problems: conceal(facts.problems),
            findings: conceal(facts.findings),
            flags: conceal(facts.flags),
            made: conceal(facts.made),
            plan: conceal(facts.plan ?? []),
            test: testOf(route, headers),
            items: conceal(facts.items ?? itemsOf(route, api, undefined)),
            fault: facts.fault ? faultText({ ...facts.fault, times: 1 }) : null,
            raw: facts.body ? maskBody(facts.body.text, { isJSON: facts.body.inspection !== null, names: keyNamesOf(api), secrets }) : '',
        })
    }

    #keep(record) {
        const totals = this.#totals
        totals.requests++
        if (record.accepted) totals.accepted++
        if (record.accepted && !record.repeat) totals.events += record.items.length
        if (record.problems.length > 0) totals.withProblems++
        for (const { kind } of record.flags) totals[kind]++
        if (!record.repeat) for (const { verdict } of record.plan) totals[verdict]++
        this.requestLog.add(record)
    }
}

function newTotals() {
    return { requests: 0, accepted: 0, events: 0, withProblems: 0, repeat: 0, gap: 0, order: 0, cut: 0, personal: 0, foreign: 0, kept: 0, broken: 0 }
}

function shownHeaders(headers) {
    const shown = Object.entries(headers).filter(([name]) => !OF_CONNECTION.includes(name))
    return Object.fromEntries(shown.map(([name, value]) => [name, isSecret(name) ? mask(`${value}`) : value]))
}

function isSecret(name) {
    return name !== 'idempotency-key' && SECRET.test(name)
}

/** The run a request belongs to: clients that cannot send a header have it in their base path. */
function testOf({ path }, headers) {
    return headers['x-test-id'] ?? /^\/test\/([^/]+)\//.exec(path)?.[1] ?? null
}

/** Runs share neither keys nor numbers. */
function laneIn(test, lane) {
    return test === null ? lane : `${lane} ${test}`
}

function addHeaders(reply, route, fault) {
    reply.headers.push('Content-Type', 'application/json')
    if (route.allow && reply.status === 405) reply.headers.push('Allow', route.allow)
    if (!fault) return
    if (fault.retryAfter !== undefined) reply.headers.push('Retry-After', fault.retryAfter)
    if (fault.location !== undefined) reply.headers.push('Location', fault.location)
    for (const [name, value] of Object.entries(fault.headers ?? {})) reply.headers.push(name, value)
}

/** The places of the events that a fault is about. */
function namedBy(fault, items) {
    return items.flatMap((item, index) => (isNamed(fault, item) ? [index] : []))
}

/** Whether a fault refuses this event of a request by its place. */
function isNamed(fault, item) {
    return Boolean(fault?.indices) && (fault.name === undefined || item.name === fault.name)
}

/** The key that a request carries: in a header, or in its body. */
function keyOf(headers, api, value) {
    return headers['x-api-key'] ?? keysIn(api, value)[0]
}

function isSuccess(status) {
    return status >= 200 && status < 300
}

/** Whether an answer means: do not send this again. */
function isRefusal(status) {
    return status >= 400 && status < 500 && status !== 408 && status !== 429
}

/** How many records a vendor's batch stands for: one may be several events there. The key ends with their number. */
function recordsIn(api, key) {
    const match = api !== null && api !== 'metaRouter' && /^.+:.+:([1-9]\d{0,5})$/.exec(key ?? '')
    return match ? Number(match[1]) : null
}

function namesOf(what, id) {
    return typeof id === 'string' && id !== '' ? [`${what} ${id}`] : []
}

function sessionIn(answer) {
    try {
        const id = JSON.parse(answer)?.data?.id
        return typeof id === 'number' || typeof id === 'string' ? String(id) : null
    } catch {
        return null // The fault script may answer with anything.
    }
}
