import { Call, paramsOf } from './call.js'
import { clearTimeout } from './clock.js'

/** A shutdown of the host that was asked for, until the host has ended. */
export class Shutdown {
    /** Whether the end of the host is its end, and no crash. */
    isOver = false
    /** Ends the host when its time is over. @type {NodeJS.Timeout | undefined} */
    timer
    #finish

    /** @param {number} id The id of its call: calls with a higher one go to the next host. */
    constructor(id) {
        this.call = new Call(id, 'host.shutdown', paramsOf({}), { repeats: true })
        /** @type {Promise<void>} */
        this.ended = new Promise((resolve) => (this.#finish = resolve))
    }

    /** The host has ended. */
    finish() {
        clearTimeout(this.timer)
        this.#finish()
    }
}
