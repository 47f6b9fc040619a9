import { resolve } from 'node:path'
import { standardFolders, standardRoot } from '../doctor/folder.js'
import { MESSAGE_ID } from '../collector/checks/shape.js'
import { CommandError, UsageError, wholeNumber } from '../command-line.js'
import { nearest } from '../nearest.js'
import { CLIENT_NAMES, RefusedFolder } from './folder.js'

const REASONS = ['rejected', 'tooLarge', 'sessionGone', 'poison', 'plan']

const VARIABLE = 'MOBILE_TRACKER_STORAGE_DIR'

const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** The option that names the folder. */
export const FOLDER = {
    'storage-dir': {
        value: 'dir',
        help: `the state folder, instead of those of all programs of this user; else ${VARIABLE}`,
    },
}

/** The options that say which events are meant. @type {Record<string, import('../command-line.js').OptionSpec>} */
export const FILTERS = {
    client: { value: 'client', help: `only those of one client: ${CLIENT_NAMES.join(', ')}` },
    event: { value: 'name', many: true, help: 'only those of this event, screen or page' },
    status: { value: 'n', many: true, help: 'only those to which the server answered this' },
    reason: { value: 'why', many: true, help: `only those: ${REASONS.join(', ')}` },
    since: { value: 'time', help: 'only those refused then or later: a time, or an age' },
    until: { value: 'time', help: 'only those refused before' },
    'message-id': { value: 'id', many: true, help: 'only this one' },
}

/** What the help says about them. */
export const ABOUT_FILTERS = `A time is such as 2026-01-31T09:30:00Z or 2026-01-31, in UTC if it names no zone; an age is 90s, 30m, 2h or 7d.
--event, --status, --reason and --message-id may be given several times: any of them will do.`

/**
 * The filter that options ask for; without options an empty one.
 *
 * @param {Record<string, any>} options
 * @param {number} [now] Milliseconds.
 * @returns {import('../client/index.cjs').RefusedFilter}
 * @throws {UsageError}
 */
export function filterFrom(options, now = Date.now()) {
    const filter = {}
    if (options.client !== undefined) filter.client = oneOf('client', options.client, CLIENT_NAMES)
    if (options.event?.length > 0) filter.events = options.event
    if (options.status?.length > 0) filter.statuses = options.status.map((text) => wholeNumber('status', text, 100, 599))
    if (options.reason?.length > 0) filter.reasons = options.reason.map((word) => oneOf('reason', word, REASONS))
    if (options['message-id']?.length > 0) filter.messageIds = options['message-id'].map(messageId)
    for (const name of ['since', 'until']) {
        if (options[name] !== undefined) filter[name] = timeFrom(name, options[name], now)
    }
    return filter
}

/**
 * The folders that are meant.
 *
 * @param {Record<string, any>} options
 * @param {import('../client/index.cjs').RefusedFilter} filter
 * @returns {RefusedFolder[]}
 */
export function foldersFrom(options, filter) {
    const named = options['storage-dir'] ?? (process.env[VARIABLE] || undefined)
    if (named !== undefined) return [new RefusedFolder(resolve(named), filter)]
    return standardFolders().map((path) => new RefusedFolder(path, filter))
}

/** The one folder in which something is changed. @throws {UsageError} */
export function onlyFolder(options, filter) {
    const [folder, ...others] = foldersFrom(options, filter)
    if (!folder) {
        const place = standardRoot() === null ? '' : ` in ${standardRoot()}`
        throw new CommandError(`No program of this user has a state folder${place}: give yours with --storage-dir.`)
    }
    if (others.length === 0) return folder
    const list = [folder, ...others].map(({ path }) => `\n  --storage-dir ${path}`).join('')
    throw new UsageError(`Several programs have a state folder; say which one is meant:${list}\n`)
}

/** @throws {UsageError} */
export function messageId(text) {
    if (MESSAGE_ID.test(text)) return text
    throw new UsageError(`"${text}" is no message id: those have 1 to 128 printable ASCII characters.`)
}

function oneOf(name, word, words) {
    if (words.includes(word)) return word
    const near = nearest(word, words)
    throw new UsageError(`--${name} is "${word}"; it must be one of ${words.join(', ')}${near ? ` (did you mean ${near}?)` : ''}.`)
}

/** @returns {string} In the form of the clients. */
function timeFrom(name, text, now) {
    const age = /^(\d{1,6})([smhd])$/.exec(text)
    const iso = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[-+]\d\d:\d\d)?)?$/.exec(text)
    const isOpen = iso?.[0].includes('T') && iso[1] === undefined
    const time = age ? now - Number(age[1]) * UNITS[age[2]] : iso ? Date.parse(isOpen ? `${text}Z` : text) : NaN
    if (!Number.isNaN(time)) return new Date(time).toISOString()
    throw new UsageError(`--${name} is "${text}"; it must be a time such as 2026-01-31T09:30:00Z, or an age such as 2h or 7d.`)
}
