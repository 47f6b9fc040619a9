import { MobileTrackerError } from './errors.js'

const NOTHING = () => {}

/** One call on its way to the host and back. There may be very many at a time: it holds as little as it can. */
export class Call {
    /** Whether the host may have got it. Set by the writer. */
    written = false
    #resolve
    #reject

    /**
     * @param {number} id Never used twice, not even for another host.
     * @param {string} method
     * @param {string} params JSON text.
     * @param {object} [options]
     * @param {boolean} [options.repeats] Whether it is made again, as it is, if the host dies before it answers.
     * @param {(result: any, name?: string) => any} [options.read] Turns the result into what the promise resolves with.
     * @param {string} [options.name] The name that it is about, for `read`.
     */
    constructor(id, method, params, { repeats = false, read, name } = {}) {
        this.id = id
        this.method = method
        this.repeats = repeats
        this.read = read
        this.name = name
        /** The message, with its end of line. */
        this.text = flat(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${params}}\n`)
        /** @type {Promise<any>} */
        this.promise = new Promise((resolve, reject) => {
            this.#resolve = resolve
            this.#reject = reject
        })
    }

    /** JSON text. */
    get params() {
        return JSON.stringify(JSON.parse(this.text).params)
    }

    resolve(result) {
        this.#resolve(this.read ? this.read(result, this.name) : result)
    }

    /** Who waits for the call gets the error. If nobody does, it must not end the program. */
    reject(error) {
        this.promise.catch(NOTHING)
        this.#reject(error)
    }
}

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
