import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { CLIENTS, NAMES } from '../doctor/folder.js'
import { holdersOf, processText } from '../doctor/locks.js'
import { findHost } from '../client/finder.js'
import { lastMessage } from '../client/output.js'
import { isRespelled, parseExactly } from '../collector/exact.js'
import { CommandError } from '../command-line.js'

/** The clients that refused events may be of. */
export const CLIENT_NAMES = Object.values(NAMES)

/** What the host does with the refused events of one state folder. */
export class RefusedFolder {
    #host
    #filter

    /**
     * @param {string} path
     * @param {import('../client/index.cjs').RefusedFilter} filter Which of its events are meant.
     * @throws {CommandError} If there is no folder, or no host.
     */
    constructor(path, filter) {
        this.path = path
        this.#filter = filter
        this.#host = hostPath()
        if (!isFolder(path)) {
            throw new CommandError(`There is no folder ${path}: nothing was tracked with it yet.`)
        }
    }

    /** The events, of each client the oldest first. Numbers that JavaScript would write otherwise are `Exact`. */
    events() {
        return parseExactly(this.#ask('--list-refused'), isRespelled).events
    }

    /** Queues the events again. @returns {number} How many. */
    retry() {
        return JSON.parse(this.#ask('--retry-refused')).requeued
    }

    /** Removes the events. @returns {number} How many. */
    drop() {
        return JSON.parse(this.#ask('--drop-refused')).dropped
    }

    /** Says when events that are queued again go out. @param {any[]} events */
    departure(events) {
        const { lanes } = JSON.parse(this.#ask('--inspect'))
        const own = lanes.filter(({ kind, origin }) => events.some((event) => event.client === NAMES[kind] && event.origin === origin))
        const holders = own.map(({ openLock }) => holdersOf(openLock))
        if (holders.every((pids) => pids?.length === 0)) {
            return `No program has the queue open: the events go out when ${clientsText(own)} is initialised next, for the same address.`
        }
        if (holders.every((pids) => pids?.length > 0)) {
            const programs = [...new Set(holders.map(([pid]) => processText(pid)))].join(', ')
            return `The events go out at the next call or flush of the program that has the queue open: ${programs}.`
        }
        return 'The events go out at the next call or flush of a program that runs, else at its next start.'
    }

    #ask(action) {
        const words = action === '--inspect' ? [] : ['--filter', JSON.stringify(this.#filter)]
        try {
            return execFileSync(
                this.#host,
                [action, this.path, ...words, '--log-format', 'json'],
                { encoding: 'utf8', maxBuffer: Infinity, stdio: ['ignore', 'pipe', 'pipe'] },
            )
        } catch (error) {
            throw new CommandError(`${this.path}: ${lastMessage(error.stderr || error.message)}`)
        }
    }
}

function clientsText(lanes) {
    return [...new Set(lanes.map(({ kind }) => CLIENTS[kind]))].join(' or ')
}

/** @throws {CommandError} If this user may not reach what is there. */
function isFolder(path) {
    try {
        return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
    } catch (error) {
        throw new CommandError(`The folder ${path} cannot be read: ${error.message}.`)
    }
}

function hostPath() {
    try {
        return findHost()
    } catch {
        throw new CommandError('The host program was not found: mobile-tracker doctor says where it was looked for.')
    }
}
