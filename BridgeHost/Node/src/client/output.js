import { StringDecoder } from 'node:string_decoder'

/** The methods of a logger, by the host's words for the levels. */
const LEVELS = { debug: 'debug', info: 'info', warning: 'warn', error: 'error' }

/** How long an incomplete line may become. */
const LONGEST = 1 << 16

/** Where messages go: the warnings of this package, and the log of the host. */
export class Output {
    #logger = null
    #isWarning
    #isPassing
    /** The beginning of a line whose end has not arrived. */
    #begun = ''
    #decoder = new StringDecoder('utf8')

    /**
     * @param {object} options
     * @param {boolean} options.warnings Whether this package warns.
     * @param {boolean} options.stderr Whether the host's log is passed on.
     */
    constructor({ warnings, stderr }) {
        this.#isWarning = warnings
        this.#isPassing = stderr
    }

    /**
     * Sends messages to the program's own logger from now on.
     *
     * @param {Record<string, Function>} logger
     * @returns {() => void} Goes back to the one before, if there was one.
     */
    use(logger) {
        const last = this.#logger
        this.#logger = logger
        return () => {
            if (last && this.#logger === logger) this.#logger = last
        }
    }

    /** @param {string} message */
    warn = (message) => {
        if (!this.#isWarning) return
        if (this.#logger) return this.#log('warning', message)
        try {
            guardStderr()
            console.warn(`[MobileTracker] ${message}`)
        } catch {
            // A program may replace it. One that fails must not fail the call.
        }
    }

    /** Receives what the host has written to its log. @param {Buffer} chunk */
    passOn = (chunk) => {
        if (!this.#isPassing) return
        const lines = (this.#begun + this.#decoder.write(chunk)).split('\n')
        this.#begun = lines.pop().slice(0, LONGEST)
        // Of dropped calls and of errors this package tells itself, with the caller's line.
        const entries = lines.map(entryOf).filter(({ reason, code }) => reason === undefined && code === undefined)
        if (!this.#logger) return passOn(entries.map(lineOf).join(''))
        for (const { level = 'error', message } of entries) {
            if (message) this.#log(level, message)
        }
    }

    #log(level, message) {
        const { [LEVELS[level]]: own, warn, info } = this.#logger
        try {
            // A logger without this level gets the message at the nearest level that it has.
            const log = own ?? (level === 'error' ? warn : level === 'warning' ? this.#logger.error : info)
            log?.call(this.#logger, message)?.then?.(undefined, () => {})
        } catch {
            // A logger that fails must not fail the call.
        }
    }
}

/** Reads a line of the host's log. One that is no entry, such as a message of the system, has no level. */
export function entryOf(line) {
    try {
        const entry = JSON.parse(line)
        if (typeof entry?.message === 'string' && entry.level in LEVELS) return entry
    } catch {
        // It is text.
    }
    return { message: line }
}

/**
 * What a host process that has failed says of it.
 *
 * @param {string} text What it wrote to stderr, with `--log-format json`. Other code in its process may write there too.
 */
export function lastMessage(text) {
    const lines = text.trim().split('\n').map(entryOf)
    return (lines.findLast(({ level }) => level) ?? lines.at(-1)).message
}

function lineOf({ level, message }) {
    return level ? `[MobileTracker] ${level}: ${message}\n` : `${message}\n`
}

/** Passes the host's log on. */
function passOn(text) {
    if (text === '') return
    guardStderr()
    process.stderr.write(text)
}

/** Marks the listener of `guardStderr`, also that of another copy of this module. */
const GUARD = Symbol.for('@mobiletracker/bridge: guards stderr')

/** Keeps a stderr that is closed from ending the program, for as long as it runs: each write to it is an error of its own. */
function guardStderr() {
    if (process.stderr.listeners('error').some((listener) => listener[GUARD])) return
    process.stderr.on('error', Object.assign(() => {}, { [GUARD]: true }))
}
