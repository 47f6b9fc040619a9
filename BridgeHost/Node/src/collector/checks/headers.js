import { show } from './findings.js'
import { isInstant, MESSAGE_ID, UUID } from './shape.js'

/** @typedef {import('./findings.js').Findings} Findings */
/** @typedef {import('../routes.js').Kind} Kind */

const AGENT = /^mobile-tracker\/[^\s()]+ \([^()]+\)$/
const WHOLE = /^(?:0|[1-9]\d{0,18})$/

/**
 * Checks the headers of one request.
 *
 * @param {Kind} kind
 * @param {Record<string, string | string[] | undefined>} headers Names in lower case.
 * @param {{ hasBody: boolean, value: unknown }} payload The body, parsed, or undefined if it could not be.
 * @param {Findings} findings
 */
export function checkHeaders(kind, headers, payload, findings) {
    checkContent(headers, payload.hasBody, findings)
    checkAgent(headers['user-agent'], findings)
    checkApiKey(kind, headers['x-api-key'], findings)
    checkIdempotencyKey(kind, headers['idempotency-key'], payload.value, findings)
    checkSequence(kind, headers['x-sequence'], findings)
    checkOccurredAt(kind, headers['x-occurred-at'], payload.value, findings)
}

function checkContent(headers, hasBody, findings) {
    const type = headers['content-type']
    if (hasBody && type === undefined) findings.add('Content-Type is missing; it must be application/json.')
    else if (hasBody && type.toLowerCase() !== 'application/json') {
        findings.add(`Content-Type is ${show(type)}; it must be application/json.`)
    } else if (!hasBody && type !== undefined) findings.add('Content-Type is set, but there is no body.')
}

function checkAgent(agent, findings) {
    if (agent === undefined) findings.add('User-Agent is missing.')
    else if (!AGENT.test(agent)) {
        findings.add(`User-Agent is ${show(agent)}; it must be such as mobile-tracker/1.2.3 (Linux).`)
    }
}

function checkApiKey(kind, key, findings) {
    if (kind === 'batch') {
        if (key !== undefined) findings.add('X-API-Key does not belong here: a batch carries its writeKey instead.')
    } else if (!key) findings.add('X-API-Key is missing.')
}

function checkIdempotencyKey(kind, key, value, findings) {
    if (!key) return findings.add('Idempotency-Key is missing.')
    if (kind === 'session' && !UUID.test(key)) {
        findings.add(`Idempotency-Key is ${show(key)}; for a session it must be a UUID.`)
    } else if (kind === 'identify' && !(key.endsWith(':identify') && MESSAGE_ID.test(key.slice(0, -9)))) {
        findings.add(`Idempotency-Key is ${show(key)}; here it must be <messageId>:identify.`)
    } else if (kind === 'batch') checkBatchKey(key, value, findings)
    else if (kind === 'basic') checkArrayKey(key, value, findings)
    else if (!['session', 'identify'].includes(kind) && !MESSAGE_ID.test(key)) {
        findings.add(`Idempotency-Key is ${show(key)}; it must be 1 to 128 printable ASCII characters.`)
    }
}

function checkBatchKey(key, value, findings) {
    if (!Array.isArray(value?.batch) || value.batch.length === 0) return
    const { batch } = value
    const [first, last] = [batch[0]?.messageId, batch.at(-1)?.messageId]
    // Without ids there is no key to expect. That they are missing is a problem of the events.
    if (typeof first !== 'string' || typeof last !== 'string') return
    const expected = `${first}:${last}:${batch.length}`
    if (key !== expected) {
        findings.add(`Idempotency-Key is ${show(key)}; of this batch it must be <first>:<last>:<count>, ${show(expected)}.`)
    }
}

/** The events of an array carry no ids, so only the form and the count can be checked. */
function checkArrayKey(key, value, findings) {
    if (!Array.isArray(value) || value.length === 0) return
    const grouped = new RegExp(`^.+:.+:${value.length}$`)
    if (grouped.test(key) || (value.length === 1 && MESSAGE_ID.test(key))) return
    findings.add(`Idempotency-Key is ${show(key)}; of ${value.length} events it must be <first>:<last>:${value.length}.`)
}

function checkSequence(kind, sequence, findings) {
    if (sequence === undefined) {
        if (kind !== 'session') findings.add('X-Sequence is missing.')
    } else if (!WHOLE.test(sequence)) findings.add(`X-Sequence is ${show(sequence)}; it must be a whole number.`)
}

function checkOccurredAt(kind, time, value, findings) {
    const isBatch = kind === 'batch' || (kind === 'basic' && Array.isArray(value) && value.length > 1)
    const isFree = kind === 'session' || kind === 'basic'
    if (time === undefined) {
        if (!isBatch && !isFree) findings.add('X-Occurred-At is missing.')
    } else if (isBatch) findings.add('X-Occurred-At does not belong here: the events of a batch carry their own times.')
    else if (!isInstant(time)) {
        findings.add(`X-Occurred-At is ${show(time)}; it must be a time such as 2025-01-31T09:30:00.000Z.`)
    }
}
