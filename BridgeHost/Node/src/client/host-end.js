import { explainAgent, isAbsence } from './agent.js'
import { MobileTrackerError } from './errors.js'
import { explainStart } from './explain.js'
import { clientText } from './fault.js'

/**
 * What follows when a host has ended or could not be started, or a connection to an agent has.
 *
 * @typedef {object} Consequence
 * @property {MobileTrackerError} error Why calls fail, if they do, now or because no other one can be started.
 * @property {string} [warning] What to tell the developer when another one is started; left out if none is: every call
 *   fails.
 */

/**
 * Decides what follows from the end of a host of the program's own, and counts it.
 *
 * @param {import('./crash-limit.js').CrashLimit} crashes
 * @param {string | undefined} path The host's; undefined if it was not even looked for.
 * @param {import('./explain.js').HostEnd} end
 * @param {string} how The end, for the middle of a sentence.
 * @param {boolean} hadStarted Whether it had answered its first request.
 * @returns {Consequence}
 */
export function afterHost(crashes, path, end, how, hadStarted) {
    const reason = hadStarted || !path ? null : explainStart(path, end)
    // The process did not even begin: the system lacks something now.
    const isObstacle = end.error !== undefined && !reason
    if (isObstacle) crashes.recordObstacle()
    else crashes.record()
    if (reason) return { error: new MobileTrackerError('HOST_START_FAILED', reason) }
    if (crashes.isBlocked) return { error: notStarted(how) }
    if (crashes.isReached) return { error: endedTooOften(how) }
    return isObstacle
        ? { error: notStarted(how), warning: clientText('hostNotStartedYet', { how }) }
        : { error: endedTooOften(how), warning: clientText('hostEndedUnexpectedly', { how }) }
}

/**
 * Decides what follows from the end of a connection to an agent, and counts it. The connection is made again: others may
 * start the agent.
 *
 * @param {import('./crash-limit.js').CrashLimit} crashes
 * @param {string} path The agent's.
 * @param {import('./explain.js').HostEnd} end
 * @param {string} how
 * @param {boolean} hadStarted
 * @returns {Consequence}
 */
export function afterAgent(crashes, path, end, how, hadStarted) {
    crashes.recordObstacle()
    const reason = hadStarted ? null : explainAgent(path, end.error)
    if (reason) return { error: new MobileTrackerError('HOST_START_FAILED', reason) }
    const error = agentNotReached(path, end, how)
    if (crashes.isBlocked) return { error }
    return { error, warning: clientText('agentNotReachedYet', { path, how }) }
}

function notStarted(how) {
    return new MobileTrackerError('HOST_START_FAILED', clientText('hostNotStarted', { how }), { retryable: true })
}

function agentNotReached(path, end, how) {
    const sentence = clientText('agentNotReached', { path, how, absent: isAbsence(end.error, path) ? '' : undefined })
    return new MobileTrackerError('HOST_START_FAILED', sentence, { retryable: true })
}

function endedTooOften(how) {
    return new MobileTrackerError('HOST_EXITED', clientText('hostEndedTooOften', { how }), { retryable: true })
}
