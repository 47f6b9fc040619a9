import { AssertionError } from 'node:assert'
import { openTracker } from '../client/tracker.js'

/**
 * Makes a tracker for a test, with a host of its own that records calls: nothing is on disk, and nothing is sent.
 *
 * @param {import('../client/index.cjs').TrackerOptions} [options]
 * @returns {import('./index.cjs').TestTracker}
 */
export function createTestTracker(options = {}) {
    const { tracker, record } = openTracker({
        ...options,
        agent: false,
        hostArguments: [...options.hostArguments ?? [], '--record'],
    })
    const find = (name, properties, call) => record.find(name, properties, membersOf(call))
    const expect = (name, properties, wanted = {}) => {
        if (typeof wanted !== 'object' || wanted === null) {
            throw new TypeError('What else a call has is an object, such as { userId: \'user-1\', count: 0 }.')
        }
        const { count, ...call } = wanted
        // Made now: its stack has the caller's line.
        const error = new AssertionError({ message: '', stackStartFn: expect })
        return record.expect(name, properties, membersOf(call), count).then(({ calls, failure }) => {
            if (failure === null) return calls
            error.message = failure
            error.stack = `${error.name} [${error.code}]: ${failure}\n${linesOf(error.stack)}`
            throw error
        })
    }
    return { ...tracker, calls: record.calls, find, expect, fail: record.fail, clear: record.clear }
}

/** What else a call has. `droppedAs` is short for an outcome. What is undefined is no less a fault than null. */
function membersOf({ droppedAs, ...others } = {}) {
    const members = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, value ?? null]))
    if (droppedAs !== undefined) members.outcome = { status: 'dropped', reason: droppedAs }
    return members
}

/** The lines of a stack that name places. */
function linesOf(stack) {
    return stack.split('\n').filter((line) => /^\s+at /.test(line)).join('\n')
}
