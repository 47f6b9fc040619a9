/** The methods of a logger, by the host's words for the levels. */
const LEVELS = { debug: 'debug', info: 'info', warning: 'warn', error: 'error' }

/** A line of the host's log. */
const LINE = /^\[MobileTracker\] (debug|info|warning|error): (.*)$/

/** How long a line may become of which the end has not come. */
const LONGEST = 1 << 16

/** Where messages go: the warnings of this package, and the log of the host. */
export class Output {
    #logger = null
    #isWarning
    #isPassing
    /** What came of a line whose end has not come. */
    #begun = ''

    /**
     * @param {object} options
     * @param {boolean} options.warnings Whether this package warns.
     * @param {boolean} options.stderr Whether the host's log is passed on.
     */
    constructor({ warnings, stderr }) {
        this.#isWarning = warnings
        this.#isPassing = stderr
    }

    /** Gives messages to the caller's own logger from now on. @param {Record<string, Function>} logger */
    use(logger) {
        this.#logger = logger
    }

    /** Warns. @param {string} message */
    warn = (message) => {
        if (!this.#isWarning) return
        if (this.#logger) this.#log('warning', message)
        else console.warn(`[MobileTracker] ${message}`)
    }

    /** Takes what the host has written to its log. @param {Buffer} chunk */
    passOn = (chunk) => {
        if (!this.#isPassing) return
        if (!this.#logger) return passOn(chunk)
        const lines = (this.#begun + chunk).split('\n')
        this.#begun = lines.pop().slice(0, LONGEST)
        for (const line of lines) {
            const [, level, message] = LINE.exec(line) ?? [null, 'error', line]
            if (message) this.#log(level, message)
        }
    }

    #log(level, message) {
        const { [LEVELS[level]]: own, warn, info } = this.#logger
        try {
            // One that lacks a level gets the message at the nearest that it has.
            const log = own ?? (level === 'error' ? warn : level === 'warning' ? this.#logger.error : info)
            log?.call(this.#logger, message)
        } catch {
            // A logger that fails must not fail the call.
        }
    }
}

/** Passes the host's log on. If nobody reads this program's stderr, that must not end the program. */
function passOn(text) {
    process.stderr.write(text, (error) => {
        if (error && process.stderr.listenerCount('error') === 0) process.stderr.once('error', () => {})
    })
}
