import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startCollector } from '@mobiletracker/bridge/collector'
import { createTracker } from '../src/client/tracker.js'
import { findHost } from '../src/client/finder.js'
import { childWith } from './children.js'
import { afterwards, captureWarnings, freshFolder } from './hosts.js'

/** Why tests with the real host cannot run; false if they can. */
export const withoutHost = (() => {
    try {
        findHost()
        return false
    } catch {
        return 'the host is not built'
    }
})()

/** Gives a host the time to send what is left at its end: on a busy machine the usual 1.5 s may be too short. */
export const PATIENT = ['--shutdown-timeout', '60s']

/**
 * A patient host for programs that give it no arguments: `MOBILE_TRACKER_HOST` names it.
 *
 * @param {import('node:test').TestContext} t
 * @returns {string} Its path.
 */
export function patientHost(t) {
    const path = join(freshFolder(t), 'BridgeHost')
    writeFileSync(path, `#!/bin/sh\nexec '${findHost()}' ${PATIENT.join(' ')} "$@"\n`, { mode: 0o755 })
    return path
}

/** How long a test waits for what never takes long, in milliseconds. */
export const WAIT_MS = 60_000

/** The key that the trackers of the tests have. */
export const KEY = 'api-key-12345678'

/**
 * A tracker with a host and a state folder of its own, and a backend for it.
 *
 * @param {import('node:test').TestContext} t
 * @param {object} [options]
 * @param {string} [options.folder] The state folder; a fresh one if left out.
 * @param {string[]} [options.hostArguments]
 * @param {import('../src/client/index.cjs').TrackerOptions} [options.options] Further options of the tracker.
 */
export async function realTracker(t, { folder = freshFolder(t), hostArguments = [], options = {} } = {}) {
    const collector = await startCollector()
    const wait = collector.wait.bind(collector)
    // On a busy machine its own guard may be too short.
    collector.wait = (wanted) => wait({ timeoutMs: WAIT_MS, ...wanted })
    const warnings = captureWarnings(t)
    const tracker = createTracker({
        ...options,
        hostArguments: ['--storage-dir', folder, ...PATIENT, ...hostArguments],
        stderr: 'ignore',
    })
    afterwards(t, () => collector.close())
    afterwards(t, () => tracker.shutdown())
    /** A configuration for that backend, with these changes. */
    const config = (changes = {}) => ({ apiUrl: collector.url, xApiKey: KEY, retryDelayMs: 10, ...changes })
    const pid = () => childWith(folder)
    return { tracker, collector, warnings, folder, config, pid }
}

/** The names of the events that the backend has taken, in the order in which each came first. */
export function eventNames(collector) {
    return collector.received({ kind: 'event', accepted: true, repeats: false }).map(({ items: [{ name }] }) => name)
}

/** What is wrong with the requests that came. Repeats are not: a crash may cause them. */
export function problemsOf(collector) {
    return collector.received().flatMap(({ path, problems, flags }) => [
        ...problems.map((problem) => `${path}: ${problem}`),
        ...flags.filter(({ kind }) => kind !== 'repeat').map(({ text }) => `${path}: ${text}`),
    ])
}

/** A file where a folder would have to be. @returns {string} */
export function fileInTheWay(t) {
    const path = join(freshFolder(t), 'file')
    writeFileSync(path, '')
    return path
}
