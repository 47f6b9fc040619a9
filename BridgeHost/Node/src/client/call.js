import { CallPromise } from './call-promise.js'
import { MobileTrackerError } from './errors.js'
import { clientText } from './fault.js'
import { textOf } from './serialize.js'

/**
 * The params of a call of which the client itself needs to know what they say.
 *
 * @typedef {{ given: object, text: string }} Params The plain values, which are never changed, and their JSON text.
 */

/** The params that have these plain values. @param {object} given @param {number} [maxBytes] @returns {Params} */
export function paramsOf(given, maxBytes) {
    return { given, text: textOf(given, maxBytes) }
}

/** One call on its way to the host and back. There may be very many at a time, so it is as small as possible. */
export class Call {
    /** Whether the host may have received it. Set by the writer. */
    written = false
    /** Its params, if the client itself needs to know them later. Of an event there is the text alone. @type {object | undefined} */
    given
    /** When its answer is overdue, by the clock of `clock.js`; infinite until the present host gets it. */
    dueAt = Infinity
    #resolve
    #reject
    #site

    /**
     * @param {number} id Never used twice, not even for another host.
     * @param {string} method
     * @param {string | Params} params JSON text, or that with the values.
     * @param {object} [options]
     * @param {boolean} [options.repeats] Whether to send it again if the host dies before it answers.
     * @param {CallSite} [options.site] Reads the answer for the program that made the call.
     */
    constructor(id, method, params, { repeats = false, site } = {}) {
        this.id = id
        this.method = method
        this.repeats = repeats
        this.#site = site
        this.write(params)
        /** @type {CallPromise} */
        this.promise = new CallPromise((resolve, reject) => {
            this.#resolve = resolve
            this.#reject = reject
        })
    }

    /** Gives it these params. @param {string | Params} params */
    write(params) {
        const { given, text } = typeof params === 'string' ? { text: params } : params
        this.given = given
        /** The message, with its end of line. */
        this.text = flat(`{"jsonrpc":"2.0","id":${this.id},"method":"${this.method}","params":${text}}\n`)
    }

    resolve(result) {
        this.#resolve(this.#site ? this.#site.read(result) : result)
    }

    /** Rejects the promise, or resolves it if the error is an outcome. An unhandled rejection does not end the program. */
    reject(error) {
        const outcome = this.#site?.outcomeOf(error)
        if (outcome) return this.#resolve(outcome)
        const own = this.#site?.errorFrom(error) ?? error
        this.#reject(own)
        this.promise.ifUnwatched(() => this.#site?.unhandled(own))
    }
}

/**
 * Reads answers for the program that made a call.
 *
 * @typedef {object} CallSite
 * @property {(result: any) => any} read Turns the result into what the promise resolves with.
 * @property {(error: MobileTrackerError) => object | undefined} outcomeOf The outcome that stands for this error;
 *     undefined if the error rejects.
 * @property {(error: MobileTrackerError) => MobileTrackerError} errorFrom The error as the caller gets it.
 * @property {(error: MobileTrackerError) => void} unhandled Receives an error that no caller awaits.
 */

/** The same text in one piece. V8 keeps a concatenated text as a tree of its parts until somebody reads it. */
function flat(text) {
    text.charCodeAt(0)
    return text
}

/**
 * The error of a call that ended with its host.
 *
 * @param {string} how How the host ended, for the middle of a sentence.
 * @param {string} [method] The call that the host had not answered.
 */
export function hostExited(how, method) {
    return new MobileTrackerError('HOST_EXITED', clientText('hostEnded', { how, method }), { retryable: true })
}
