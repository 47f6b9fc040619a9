import { execFileSync } from 'node:child_process'
import { accessSync, constants, readdirSync, statfsSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { lastMessage } from '../client/output.js'
import { bad, good, warning } from './findings.js'
import { holdersOf, processText } from './locks.js'

const MIB = 1024 * 1024
const LITTLE_SPACE = 100 * MIB
const NO_SPACE = 10 * MIB

/** The clients, by the kind of their queues. */
export const CLIENTS = { session: 'MobileTracker', batch: 'AnalyticsClient', endpoint: 'BasicTracker' }

/** The same, as they are called over the bridge. */
export const NAMES = { session: 'tracker', batch: 'analytics', endpoint: 'basic' }

/**
 * A queue, as `BridgeHost --inspect` describes it. Its `origin` is the address to which its events are sent.
 *
 * @typedef {{ kind: keyof CLIENTS, owner: string, origin: string, queued: number, accepted: number, delivered: number }} Lane
 */

/** How many lanes are listed one by one. */
const MOST_LANES = 20

/** The state folders of all programs of this user. @returns {string[]} */
export function standardFolders() {
    const root = standardRoot()
    if (root === null) return []
    try {
        return readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(
            ({ name }) => join(root, name),
        )
    } catch {
        return [] // Nothing was tracked yet.
    }
}

/** Where the state folders are; `null` for a user without a home folder. @returns {string | null} */
export function standardRoot() {
    const state = process.platform === 'darwin' ? undefined : process.env.XDG_STATE_HOME
    if (state && isAbsolute(state)) return join(state, 'mobile-tracker')
    const home = homeFolder()
    if (home === null) return null
    return join(home, process.platform === 'darwin' ? 'Library/Application Support' : '.local/state', 'mobile-tracker')
}

/** The host uses the same folder. */
function homeFolder() {
    const { HOME } = process.env
    if (HOME && isAbsolute(HOME)) return HOME
    try {
        const { homedir } = userInfo()
        return isAbsolute(homedir) ? homedir : null
    } catch {
        return null // The system does not know this user, as in some containers.
    }
}

/**
 * Examines a state folder.
 *
 * @param {string} path
 * @param {string | null} host The host program that reads it; without one only the folder itself is checked.
 * @param {string} [variable] The variable of the environment that names it.
 * @returns {{ section: import('./findings.js').Section, lanes: Lane[] }}
 */
export function examineFolder(path, host, variable) {
    const [findings, lanes] = findingsOf(path, host, variable)
    return { section: { title: 'State folder', of: path, findings }, lanes }
}

/** @returns {[import('./findings.js').Finding[], Lane[]]} */
function findingsOf(path, host, variable) {
    if (variable && !isAbsolute(path)) {
        return [[bad(`${variable} must be an absolute path, or every init fails`, `Set it to ${resolve(path)}, or unset it.`)], []]
    }
    let folder
    try {
        folder = statSync(path, { throwIfNoEntry: false })
    } catch (error) {
        return [[bad(`It cannot be read: ${error.message}`, 'Run the doctor as the user who runs the program.')], []]
    }
    if (!folder) {
        return [[warning(
            'There is no such folder: nothing was tracked with it yet',
            'Check storageDirectory in your configuration, or leave --storage-dir out to see all programs\' folders.',
        )], []]
    }
    if (!folder.isDirectory()) {
        return [[bad('It is a file, not a folder', 'Give another storageDirectory, or remove it.')], []]
    }
    const findings = [rightsOf(path, folder), spaceOf(path)]
    if (host === null) return [findings, []]
    const [ofLanes, lanes] = lanesOf(path, host)
    return [[...findings, ...ofLanes], lanes]
}

function rightsOf(path, { mode, uid }) {
    try {
        accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    } catch {
        return bad(
            'This user cannot write it: calls are dropped as STORAGE_ERROR',
            `Give it to the user who runs the program: chown ${process.getuid?.() ?? 'USER'} ${path}`,
        )
    }
    if ((mode & 0o077) !== 0) {
        return warning(`Other users can read it (mode ${(mode & 0o777).toString(8)})`, `chmod 700 ${path}`)
    }
    const own = process.getuid?.()
    return good(
        own === undefined || own === uid
            ? 'It can be written, by this user alone'
            : `It can be written; it belongs to user ${uid}`,
    )
}

function spaceOf(path) {
    const { bavail, bsize } = statfsSync(path)
    const free = bavail * bsize
    if (free < NO_SPACE) {
        return bad(
            `Only ${bytesText(free)} are free: calls are dropped as STORAGE_ERROR when nothing is left`,
            'Make room on this disk.',
        )
    }
    if (free < LITTLE_SPACE) return warning(`Only ${bytesText(free)} are free`, 'Make room on this disk.')
    return good(`${bytesText(free)} are free`)
}

/** @returns {[import('./findings.js').Finding[], Lane[]]} */
function lanesOf(path, host) {
    let report
    try {
        report = JSON.parse(execFileSync(
            host,
            ['--inspect', path, '--log-format', 'json'],
            { encoding: 'utf8', timeout: 10_000, maxBuffer: 64 * MIB, stdio: ['ignore', 'pipe', 'pipe'] },
        ))
    } catch (error) {
        return [[bad(
            `The host cannot read it: ${lastMessage(error.stderr || error.message)}`,
            'Use the host that belongs to this version of the package.',
        )], []]
    }
    if (report.error) {
        return [[bad(
            `Its database cannot be read: ${report.error}`,
            'The next start moves a damaged database aside and recovers what can be read. A newer one needs a newer '
                + 'version of the package.',
        )], []]
    }
    if (report.schema === null) {
        return [[warning('It has no database: nothing was tracked yet', 'Call init and track, and run this again.')], []]
    }
    if (report.lanes.length === 0) {
        return [[warning('It has no queue: no client was initialised yet', 'Call init and track, and run this again.')], []]
    }
    const findings = report.lanes.slice(0, MOST_LANES).flatMap((lane) => laneFindings(lane, path))
    if (report.lanes.length > MOST_LANES) {
        findings.push(warning(`${report.lanes.length - MOST_LANES} more queues are in it`, '--json shows them.'))
    }
    return [findings, report.lanes]
}

function laneFindings(lane, path) {
    const name = `${CLIENTS[lane.kind] ?? lane.kind}${ownerText(lane)} → ${lane.origin}`
    const findings = [queueFinding(name, lane)]
    const dropped = Object.keys(lane.dropped)
    if (dropped.length > 0) {
        findings.push(warning(`${name}: ${reasonsText(lane.dropped, 'dropped since it was made')}`, droppedTodo(dropped)))
    }
    // A host of an earlier version keeps none.
    if (Object.keys(lane.refused ?? {}).length > 0) {
        findings.push(warning(
            `${name}: ${reasonsText(lane.refused, 'refused by the server and kept apart')}`,
            `What it answered: mobile-tracker refused list --client ${NAMES[lane.kind]} --storage-dir ${path}`,
        ))
    }
    return findings
}

/** `3 were dropped: 2 rejected(400), 1 tooLarge` */
function reasonsText(counts, what) {
    const all = Object.entries(counts)
    const sum = all.reduce((sum, [, count]) => sum + count, 0)
    return `${sum} ${sum === 1 ? 'was' : 'were'} ${what}: ${all.map(([reason, count]) => `${count} ${reason}`).join(', ')}`
}

/** The owner of a queue. Of a write key there is a fingerprint: it distinguishes two keys and does not reveal them. */
function ownerText({ kind, owner }) {
    if (owner === '') return ''
    return kind === 'batch' ? ` (write key #${owner.slice(0, 8)})` : ` ${owner}`
}

function queueFinding(name, lane) {
    if (lane.consent === 'denied') {
        return warning(
            `${name}: consent is denied, so nothing is kept or sent`,
            'Call setConsent(\'granted\') when the user agrees.',
        )
    }
    const delivered = `${lane.delivered} of ${lane.accepted} delivered`
    if (lane.accepted === 0) {
        return warning(`${name}: no event was accepted yet`, 'Call track, and look at its outcome: it says why a call is dropped.')
    }
    if (lane.queued === 0 && lane.delivered === 0) {
        return warning(`${name}: nothing waits; ${delivered}`, 'All were dropped: the next line says why.')
    }
    if (lane.queued === 0) return good(`${name}: nothing waits; ${delivered}`)
    const age = lane.oldest ? `, the oldest for ${ageText(Date.now() - Date.parse(lane.oldest))}` : ''
    const verb = lane.queued === 1 ? 'waits' : 'wait'
    const what = `${name}: ${lane.queued} ${verb} (${bytesText(lane.queuedBytes)}${age}); ${delivered}`
    if (lane.consent === 'pending') {
        return warning(`${what}; consent is pending`, 'They are sent once setConsent(\'granted\') is called.')
    }
    const [delivering] = holdersOf(lane.deliveryLock) ?? []
    if (delivering && lane.delivered === 0) {
        return warning(
            `${what}; ${processText(delivering)} tries to deliver`,
            'None of them has arrived yet. getDebugInfo() says why in lastError; --api-url checks the server.',
        )
    }
    if (delivering) return good(`${what}; ${processText(delivering)} delivers`)
    const openers = holdersOf(lane.openLock) ?? []
    const [open] = openers
    if (!open) {
        return warning(
            `${what}; no program has it open`,
            'Start the program that tracks: its next init with the same address delivers them.',
        )
    }
    // One that was killed has left its word behind.
    if (lane.halted && openers.includes(lane.halted.process)) {
        const { process, reason, since, nextTry } = lane.halted
        return warning(
            `${what}; ${processText(process)} has halted ${ageText(Date.now() - Date.parse(since))} ago (${since}): ${reason}`,
            `It keeps the queue. ${nextTry ? `The next try is at ${nextTry}` : 'It does not try again by itself'}. `
                + 'Mend the key or the address: setCredentials, another init or a start resumes at once.',
        )
    }
    const wait = lane.pending === lane.queued && lane.kind === 'session'
        ? 'They wait for a session: init has not succeeded. Check its error, and --api-url below.'
        : 'It waits for its next try. getDebugInfo() says why: circuitState, lastError.'
    return warning(`${what}; ${processText(open)} has it open and does not deliver now`, wait)
}

function droppedTodo(reasons) {
    if (reasons.some((reason) => reason.startsWith('rejected'))) {
        return 'The server refused those: "mobile-tracker collect --strict" says what is wrong with an event.'
    }
    if (reasons.includes('evicted')) {
        return 'The queue was full: raise maxQueuedEvents, or find out why nothing is delivered.'
    }
    return 'Docs/Delivery.md says what each reason means.'
}

function bytesText(bytes) {
    const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
    let value = bytes
    let unit = 0
    while (value >= 1000 && unit < units.length - 1) {
        value /= 1000
        unit++
    }
    return `${unit === 0 ? value : value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`
}

export function ageText(milliseconds) {
    const seconds = Math.max(0, Math.round(milliseconds / 1000))
    for (const [name, length] of [['day', 86_400], ['hour', 3600], ['minute', 60]]) {
        const count = Math.floor(seconds / length)
        if (count >= 1) return `${count} ${name}${count === 1 ? '' : 's'}`
    }
    return `${seconds} s`
}
