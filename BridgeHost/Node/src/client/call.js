import { CallPromise } from './call-promise.js'
import { MobileTrackerError } from './errors.js'

/** One call on its way to the host and back. There may be very many at a time: it holds as little as it can. */
export class Call {
    /** Whether the host may have got it. Set by the writer. */
    written = false
    #resolve
    #reject
    #asker

    /**
     * @param {number} id Never used twice, not even for another host.
     * @param {string} method
     * @param {string} params JSON text.
     * @param {object} [options]
     * @param {boolean} [options.repeats] Whether it is made again, as it is, if the host dies before it answers.
     * @param {Asker} [options.asker] Who made it, and what it makes of the answer.
     */
    constructor(id, method, params, { repeats = false, asker } = {}) {
        this.id = id
        this.method = method
        this.repeats = repeats
        this.#asker = asker
        /** The message, with its end of line. */
        this.text = flat(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}\n`)
        /** @type {CallPromise} */
        this.promise = new CallPromise((resolve, reject) => {
            this.#resolve = resolve
            this.#reject = reject
        })
    }

    /** JSON text. */
    get params() {
        return JSON.stringify(JSON.parse(this.text).params)
    }

    resolve(result) {
        this.#resolve(this.#asker ? this.#asker.read(result) : result)
    }

    /** Who waits for the call gets the error. If nobody does, it must not end the program. */
    reject(error) {
        const outcome = this.#asker?.outcomeOf(error)
        if (outcome) return this.#resolve(outcome)
        const own = this.#asker?.errorFrom(error) ?? error
        this.#reject(own)
        this.promise.ifUnwatched(() => this.#asker?.unhandled(own))
    }
}

/**
 * Who made a call.
 *
 * @typedef {object} Asker
 * @property {(result: any) => any} read Turns the result into what the promise resolves with.
 * @property {(error: MobileTrackerError) => object | undefined} outcomeOf What an error comes to that does not reject.
 * @property {(error: MobileTrackerError) => MobileTrackerError} errorFrom The error as the caller gets it.
 * @property {(error: MobileTrackerError) => void} unhandled Receives an error that no caller awaits.
 */

/** The same text in one piece: V8 keeps a text that was put together as the tree of all its parts until it is read. */
function flat(text) {
    text.charCodeAt(0)
    return text
}

/**
 * The error of a call that ended with its host.
 *
 * @param {string} how How the host ended, for the middle of a sentence.
 * @param {string} [method] The call that it left open.
 */
export function hostExited(how, method) {
    const what = method ? ` before it answered ${method}` : ''
    return new MobileTrackerError('HOST_EXITED', `The host ended${what}: ${how}.`, { retryable: true })
}
