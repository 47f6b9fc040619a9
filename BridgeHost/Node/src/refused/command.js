import { writeFileSync } from 'node:fs'
import { exactText } from '../collector/exact.js'
import { columns, CommandError, complain, counted, FAILURE, runAction, runCommand, UsageError } from '../command-line.js'
import { painter } from '../terminal.js'
import { ABOUT_FILTERS, filterFrom, FILTERS, FOLDER, foldersFrom, messageId, onlyFolder } from './selection.js'
import { eventText, tableText } from './table.js'

/** @typedef {import('../command-line.js').CommandSpec} CommandSpec */

/** @type {CommandSpec} */
const LIST = {
    name: 'refused list',
    about: 'Lists the events that a server has refused for good, of each client the oldest first. It changes nothing.',
    options: { ...FOLDER, ...FILTERS, json: { help: 'print JSON' } },
    more: ABOUT_FILTERS,
    examples: [
        ['', 'lists those of all programs of this user'],
        ['--storage-dir ./state --event PURCHASE --since 2h', 'lists what was refused in the last two hours'],
    ],
}

/** @type {CommandSpec} */
const SHOW = {
    name: 'refused show',
    operands: 'ID',
    least: 1,
    most: 1,
    about: 'Shows one refused event whole: what it carries, and what the server answered.',
    options: { ...FOLDER, json: { help: 'print JSON' } },
    examples: [['01a2098c-278b-738d-90ee-a1d29b97fd67', 'takes the message id that the list shows']],
}

/** @type {CommandSpec} */
const RETRY = {
    name: 'refused retry',
    about: `Queues refused events again, at the end of the queue, each under its message id. Without a filter all of them.`,
    options: { ...FOLDER, ...FILTERS, json: { help: 'print JSON' } },
    more: ABOUT_FILTERS,
    examples: [['--event PURCHASE --status 422', 'once the server takes them']],
}

/** @type {CommandSpec} */
const DROP = {
    name: 'refused drop',
    about: 'Removes refused events for good.',
    options: { ...FOLDER, ...FILTERS, all: { help: 'all of them' }, json: { help: 'print JSON' } },
    more: ABOUT_FILTERS,
    examples: [['--event DEBUG', 'removes those of one event'], ['--all', 'removes all']],
}

/** @type {CommandSpec} */
const EXPORT = {
    name: 'refused export',
    about: 'Writes refused events as JSON, one a line, as the list has them. It changes nothing.',
    options: { ...FOLDER, ...FILTERS, output: { value: 'file', help: 'a new file, which only you can read' } },
    more: ABOUT_FILTERS,
    examples: [['--output refused.ndjson', 'writes them to a file'], ['--status 422 | jq .body', 'reads on']],
}

const HELP = `Usage: mobile-tracker refused <command> [options]

What a server refuses for good leaves the queue and is kept apart in the state folder.

Commands:
${columns([
    ['list', 'lists it'],
    ['show', 'shows one event whole, with the server\'s answer'],
    ['retry', 'queues it again, once the server takes it'],
    ['drop', 'removes it'],
    ['export', 'writes it as JSON, one event a line'],
])}

Examples:
  mobile-tracker refused list
      lists what was refused, of all programs of this user
  mobile-tracker refused retry --storage-dir ./state --status 422
      queues again what was answered 422
  mobile-tracker refused drop --help
      says what a command can do
`

/** Runs `mobile-tracker refused`. @param {string[]} words @returns {Promise<number>} The exit status. */
export function refused(words) {
    // A reader that has gone away, such as head, is no failure.
    process.stdout.on('error', () => {})
    return runAction('refused', { list, show, retry, drop, export: exportEvents }, HELP, words)
}

function list(words) {
    return runCommand(LIST, words, (options) => {
        const filter = filterFrom(options)
        const { folders, status } = eventsIn(foldersFrom(options, filter))
        if (options.json) return print(`${exactText({ events: folders.flatMap(([path, events]) => events.map((event) => inFolder(path, event))) })}\n`, status)
        const found = folders.filter(([, events]) => events.length > 0)
        const tables = found.map(([path, events]) => {
            return `${painter(process.stdout)('bold', 'State folder')}  ${path}\n${tableText(events, process.stdout)}\n`
        })
        return print(`${tables.join('')}${endOf(found.flatMap(([, events]) => events), filter, options)}\n`, status)
    })
}

/** The last line of a list: how many there are, and what to do. */
function endOf(events, filter, { 'storage-dir': named }) {
    if (events.length === 0) return Object.keys(filter).length === 0 ? 'No events were refused.' : 'No refused events match.'
    const place = named === undefined ? '' : ` --storage-dir ${named}`
    return `${counted(events.length, 'refused event')}. "mobile-tracker refused show ID${place}" says what the server answered; `
        + `"mobile-tracker refused retry${place}" queues them again.`
}

function show(words) {
    return runCommand(SHOW, words, (options, [id]) => {
        const { folders, status } = eventsIn(foldersFrom(options, { messageIds: [messageId(id)] }))
        const found = folders.flatMap(([path, events]) => events.map((event) => [path, event]))
        if (found.length === 0) throw new CommandError(`No refused event has the message id ${id}.`)
        const texts = found.map(([path, event]) => {
            return options.json ? `${exactText(inFolder(path, event))}\n` : eventText(event, process.stdout)
        })
        return print(texts.join(options.json ? '' : '\n'), status)
    })
}

function retry(words) {
    return runCommand(RETRY, words, (options) => {
        const folder = onlyFolder(options, filterFrom(options))
        const events = folder.events()
        const requeued = folder.retry()
        if (options.json) return print(`${JSON.stringify({ folder: folder.path, requeued })}\n`)
        if (requeued === 0) return print('No refused events match: none was queued again.\n')
        return print(`${counted(requeued, 'event')} ${requeued === 1 ? 'is' : 'are'} queued again. ${folder.departure(events)}\n`)
    })
}

function drop(words) {
    return runCommand(DROP, words, (options) => {
        const filter = filterFrom(options)
        const isAll = Object.keys(filter).length === 0
        if (isAll && !options.all) throw new UsageError('This would remove all refused events: say which, or give --all.')
        if (!isAll && options.all) throw new UsageError('--all and a filter do not go together.')
        const folder = onlyFolder(options, filter)
        const dropped = folder.drop()
        if (options.json) return print(`${JSON.stringify({ folder: folder.path, dropped })}\n`)
        return print(dropped === 0 ? 'No refused events match: none was removed.\n' : `${counted(dropped, 'refused event')} ${dropped === 1 ? 'was' : 'were'} removed.\n`)
    })
}

function exportEvents(words) {
    return runCommand(EXPORT, words, ({ output, ...options }) => {
        const { folders, status } = eventsIn(foldersFrom(options, filterFrom(options)))
        const lines = folders.flatMap(([path, events]) => events.map((event) => `${exactText(inFolder(path, event))}\n`))
        if (output === undefined) return print(lines.join(''), status)
        try {
            writeFileSync(output, lines.join(''), { flag: 'wx', mode: 0o600 })
        } catch (error) {
            if (error.code === 'EEXIST') throw new UsageError(`${output} is there already. Give another name to --output, or remove it.`)
            throw new CommandError(`${output} cannot be written: ${error.message}.`)
        }
        return print(`Wrote ${counted(lines.length, 'refused event')} to ${output}.\n`, status)
    })
}

/**
 * The events of folders. One that cannot be read is said, and keeps nobody from the others.
 *
 * @param {import('./folder.js').RefusedFolder[]} all
 * @returns {{ folders: Array<[string, any[]]>, status: number }} The paths with the events, and the exit status.
 * @throws {CommandError} If none can be read.
 */
function eventsIn(all) {
    const folders = []
    const errors = []
    for (const folder of all) {
        try {
            folders.push([folder.path, folder.events()])
        } catch (error) {
            if (!(error instanceof CommandError)) throw error
            errors.push(error)
        }
    }
    const last = folders.length === 0 ? errors.pop() : undefined
    for (const { message } of errors) complain(message, FAILURE)
    if (last) throw last
    return { folders, status: errors.length > 0 ? FAILURE : 0 }
}

/** An event for a program, which may read those of several folders. */
function inFolder(folder, event) {
    return { folder, ...event }
}

/** Resolves with the exit status once the text is written: a pipe may not take it at once. */
function print(text, status = 0) {
    return new Promise((resolve) => process.stdout.write(text, () => resolve(status)))
}
