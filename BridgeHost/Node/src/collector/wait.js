import { matcher } from './filter.js'

/** @typedef {import('./filter.js').Filter} Filter */

/** Beyond this, `setTimeout` would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/**
 * The result of a wait.
 *
 * @typedef {object} Waited
 * @property {'met' | 'timeout' | 'stopped'} outcome
 * @property {number} matched How many had come when it ended.
 */

/**
 * Waits until so many have arrived, including those that are there already.
 *
 * Unless the filter says otherwise, only accepted records count, each once.
 *
 * @param {import('./request-log.js').RequestLog} requestLog
 * @param {Filter} filter
 * @param {object} goal
 * @param {number} goal.count How many; a batch counts once for each of its events that matches.
 * @param {boolean} goal.ofRequests Whether to count requests instead.
 * @param {number} goal.timeoutMs
 * @param {AbortSignal} goal.signal Ends the wait.
 * @returns {Promise<Waited>} It never rejects.
 * @throws {import('./filter.js').FilterError} At once.
 */
export function waitFor(requestLog, filter, { count, ofRequests, timeoutMs, signal }) {
    const matches = matcher(filter)
    const weigh = ofRequests ? (record) => Math.min(matches(record), 1) : matches
    let matched = 0
    for (const record of requestLog.records()) matched += weigh(record)
    if (matched >= count) return Promise.resolve({ outcome: 'met', matched })
    if (signal.aborted) return Promise.resolve({ outcome: 'stopped', matched })

    return new Promise((resolve) => {
        const end = (outcome) => {
            stopListening()
            clearTimeout(timer)
            signal.removeEventListener('abort', stop)
            resolve({ outcome, matched })
        }
        const stop = () => end('stopped')
        const timer = setTimeout(end, Math.min(timeoutMs, LONGEST_TIMER), 'timeout')
        const stopListening = requestLog.listen((record) => {
            matched += weigh(record)
            if (matched >= count) end('met')
        })
        signal.addEventListener('abort', stop)
    })
}

/**
 * The filter of a wait: the caller's, over the default.
 *
 * @param {Filter} filter
 * @returns {Filter}
 */
export function waitFilter(filter) {
    const usual = filter.status === undefined ? { accepted: true, repeats: false } : {}
    return { ...usual, ...filter }
}
