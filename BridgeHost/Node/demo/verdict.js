import { isAccepted } from './player.js'

/** @typedef {import('./player.js').MadeCall} MadeCall */
/** @typedef {import('../src/collector/index.cjs').ReceivedRequest} ReceivedRequest */

/** The kind of request that a call becomes. */
const KINDS = {
    track: 'event',
    screen: 'event',
    screenDidAppear: 'event',
    identify: 'profile',
    set: 'profile',
    setMetadata: 'profile',
    updateLocation: 'location',
    updateSessionEmail: 'email',
    linkSession: 'link',
    continueSession: 'link',
}

/** Requests that belong to no single call. */
const PREPARING = ['session', 'identify']

/**
 * Compares the calls with the requests that arrived.
 *
 * @param {MadeCall[]} calls In the order in which they were made.
 * @param {ReceivedRequest[]} received All requests that the collector has got, in the order in which they came.
 * @returns {{ faults: string[], accepted: number, repeats: number }} `faults` are plain sentences, none if all is well;
 *     `accepted` counts the calls that were to arrive, `repeats` the requests that came again under their key.
 */
export function judge(calls, received) {
    const expected = calls.filter(({ result }) => isAccepted(result))
    const { first, repeats, changed } = byKey(arrivals(received))
    const faults = [
        ...calls.flatMap(faultsOfCall),
        ...changed.map((key) => `${key} came twice, and not the same each time.`),
        ...presence(expected, first),
        ...received.flatMap(complaints),
    ]
    if (faults.length === 0) faults.push(...order(expected, [...first.keys()]))
    return { faults, accepted: expected.length, repeats }
}

/**
 * The requests that belong to a call and that the collector has accepted.
 *
 * @param {ReceivedRequest[]} received
 */
export function arrivals(received) {
    return received.filter(({ kind, accepted }) => accepted && !PREPARING.includes(kind))
}

/** The first request under each key, in the order in which they came. */
function byKey(taken) {
    const first = new Map()
    const changed = []
    for (const request of taken) {
        const key = request.headers['idempotency-key']
        if (!first.has(key)) first.set(key, request)
        else if (first.get(key).raw !== request.raw) changed.push(key)
    }
    return { first, changed, repeats: taken.length - first.size }
}

function faultsOfCall({ entry, result, error }) {
    const call = describe(entry)
    if (error) return [`${call} failed: ${error.message}`]
    const reason = result?.status === 'dropped' ? result.reason : undefined
    if (reason !== entry.dropped) {
        const became = reason ? `dropped (${reason})` : 'accepted'
        return [`${call} was ${became}, and should have been ${entry.dropped ?? 'accepted'}.`]
    }
    if (entry.method === 'flush' && result.remaining > 0) {
        return [`${call} left ${result.remaining} behind (${result.stoppedBy}).`]
    }
    return []
}

function presence(expected, first) {
    const ids = new Set(expected.map(({ result }) => result.messageId))
    const unknown = [...first.keys()].filter((key) => !ids.has(key))
    return [
        ...expected.flatMap(({ entry, result }) => {
            const request = first.get(result.messageId)
            if (!request) return [`${describe(entry)} was answered "${result.status}" and never came.`]
            const kind = KINDS[entry.method]
            return request.kind === kind ? [] : [`${describe(entry)} came as ${request.kind} instead of ${kind}.`]
        }),
        ...unknown.map((key) => `${key} came, and nobody had called it.`),
    ]
}

function order(expected, keys) {
    const place = keys.findIndex((key, index) => key !== expected[index].result.messageId)
    return place === -1 ? [] : [`${describe(expected[place].entry)} did not come in its turn, as number ${place + 1}.`]
}

/** What the collector found wrong. A repeated request is no fault: there can be some after a crash. */
function complaints({ method, path, problems, flags }) {
    const found = [...problems, ...flags.filter(({ kind }) => kind !== 'repeat').map(({ text }) => text)]
    return found.map((text) => `The collector says of ${method} ${path}: ${text}`)
}

function describe({ at, method, params }) {
    return `${at} ${method} ${typeof params[0] === 'string' ? params[0] : ''}`.trimEnd()
}
