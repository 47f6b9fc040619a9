import { AssertionError } from 'node:assert'
import { CallPromise } from '../client/call-promise.js'
import { clientText } from '../client/fault.js'
import { textOfID } from '../client/params.js'
import { openTracker } from '../client/tracker.js'

/** How many trackers that were shut down still answer questions, each with a host of its own. */
const MOST_ENDED = 8

/** What ends the hosts of trackers that were shut down, the oldest first. @type {(() => void)[]} */
const ended = []

/**
 * Makes a tracker for a test, with a host of its own that records calls: nothing is on disk, and nothing is sent.
 *
 * @param {import('../client/index.cjs').TrackerOptions} [options]
 * @returns {import('./index.cjs').TestTracker}
 */
export function createTestTracker(options = {}) {
    /** How many hosts have recorded since the last `clear`. */
    let hosts = 0
    const { tracker, record, warn, endHost } = openTracker({
        ...options,
        agent: false,
        hostArguments: [...options.hostArguments ?? [], '--record'],
    }, { onReady: () => hosts++ })
    let isForgotten = false
    const forget = () => {
        isForgotten = true
        hosts = 0
        endHost().catch(() => {})
    }
    /** Takes no answer of a new host: it knows no calls, so that none would seem to have been made. */
    const asked = (name) => guarded(name, warn, async (...args) => {
        if (isForgotten) throw new Error(FORGOTTEN)
        const answer = await record[name](...args)
        if (hosts > 1) throw new Error(LOST)
        return answer
    })
    const [calls, findCalls, expectCalls] = ['calls', 'find', 'expect'].map(asked)
    const shutdown = () => tracker.shutdown().then(() => keep(forget))
    /** A tracker that is initialised is in use again: its host stays. */
    const begun = (setup) => (...args) => {
        isForgotten = false
        drop(forget)
        return setup(...args)
    }
    const { init, analytics, basic } = tracker
    const setups = {
        init: begun(init),
        analytics: { ...analytics, initialize: begun(analytics.initialize) },
        basic: { ...basic, initialize: begun(basic.initialize) },
    }
    const clear = guarded('clear', warn, async () => {
        await record.clear()
        hosts = 1
    })
    const find = (name, properties, call) => findCalls(name, properties, membersOf(call))
    const expect = (name, properties, wanted = {}) => {
        if (typeof wanted !== 'object' || wanted === null) {
            throw new TypeError('What else a call has is an object, such as { userId: \'user-1\', count: 0 }.')
        }
        const { count, ...call } = wanted
        // Made now: its stack has the caller's line.
        const error = new AssertionError({ message: '', stackStartFn: expect })
        return expectCalls(name, properties, membersOf(call), count).then(({ calls, failure }) => {
            if (failure === null) return calls
            error.message = failure
            error.stack = `${error.name} [${error.code}]: ${failure}\n${linesOf(error.stack)}`
            throw error
        })
    }
    return { ...tracker, ...setups, shutdown, close: shutdown, calls, find, expect, fail: record.fail, clear }
}

const FORGOTTEN = clientText('recordForgotten', { count: MOST_ENDED })

const LOST = clientText('recordLost')

/** Makes a function of a test tracker. A rejection that nobody handles does not end the program: it is a warning. */
function guarded(name, warn, ask) {
    return (...args) => {
        const asking = ask(...args)
        const answer = CallPromise.resolve(asking)
        asking.catch(({ message }) => answer.ifUnwatched(
            () => warn(clientText('unhandled', { method: `${name}()`, error: message, place: '' }))))
        return answer
    }
}

/** Lets a tracker that was shut down answer questions, until so many others were shut down after it. */
function keep(forget) {
    drop(forget)
    ended.push(forget)
    if (ended.length > MOST_ENDED) ended.shift()()
}

function drop(forget) {
    const place = ended.indexOf(forget)
    if (place >= 0) ended.splice(place, 1)
}

/** The members of a call that are ids. */
const IDS = ['userId', 'anonymousId', 'groupId', 'advertisingId', 'sourceSessionId']

/**
 * What else a call has, with its ids as a call sends them. `droppedAs` is short for an outcome. What is undefined is no
 * less a fault than null.
 */
function membersOf({ droppedAs, ...others } = {}) {
    const members = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, value ?? null]))
    for (const name of IDS.filter((name) => name in members)) {
        const id = members[name]
        // It is read as the question is written: a fault is an answer to that.
        Object.defineProperty(members, name, { get: () => textOfID(id, { name: `call.${name}`, kind: 'id' }) })
    }
    if (droppedAs !== undefined) members.outcome = { status: 'dropped', reason: droppedAs }
    return members
}

/** The lines of a stack that name places. */
function linesOf(stack) {
    return stack.split('\n').filter((line) => /^\s+at /.test(line)).join('\n')
}
