/**
 * A call to make again.
 *
 * @typedef {{ method: string, params: string }} Replay The params are JSON text.
 */

/**
 * The calls that a new host needs before all others: they restore what the last host had in memory only.
 *
 * Everything else is on disk, or in the calls that the last host did not answer.
 */
export class Recovery {
    #consent = null
    #init = null
    /** Whether that `init` had found no session, and `reset({ all: true })` has ended its brand. */
    #isHeld = false
    #isEnded = false
    #analytics = null
    #basic = null
    #basicUser = null
    #topics = new Set()

    /**
     * Remembers a call that the host answered with a result.
     *
     * @param {Replay} call
     * @param {any} result
     */
    answered(call, result) {
        switch (call.method) {
            case 'setConsent': return this.#keepConsent(call.params)
            case 'init': return this.#keepInit(inBackground(call.params))
            case 'reset': return this.#keepReset(call.params)
            case 'analytics.initialize': return (this.#analytics = call.params)
            case 'analytics.reset': return (this.#analytics = null)
            case 'basic.initialize': return (this.#basic = call.params)
            case 'basic.identify': return result.status === 'dropped' ? undefined : (this.#basicUser = call.params)
        }
    }

    /**
     * Remembers a call that the host answered with an error. After an `init` that found no session, the host keeps what
     * is tracked: a new host does the same after the same `init`. Until an `init` succeeds, one that fails otherwise ends
     * that.
     *
     * @param {Replay} call
     * @param {import('./errors.js').MobileTrackerError} error
     */
    failed(call, error) {
        if (call.method !== 'init' || error.code === 'INVALID_PARAMS' || error.data.cause === 'shutdown') return
        if (error.code === 'SESSION_CREATION_FAILED') this.#keepInit(call.params, true)
        else if (this.#isHeld || this.#isEnded) this.endTracker()
    }

    /** Whether `reset({ all: true })` has ended the brand that a new host is initialised for: the next `init` may name another. */
    get isBrandEnded() {
        return this.#init !== null && this.#isEnded
    }

    /** Every further host is to send these notifications. */
    subscribe(topic) {
        this.#topics.add(topic)
    }

    /** Whether a new host needs no calls. */
    get isEmpty() {
        return this.calls().length === 0
    }

    /** Whether a client of this kind is initialised, and so may have something to send. */
    uses(kind) {
        return { tracker: this.#init, analytics: this.#analytics, basic: this.#basic }[kind] !== null
    }

    /** The calls for a new host, in this order. @returns {Replay[]} */
    calls() {
        const kept = [
            ['setConsent', this.#consent],
            ['init', this.#init],
            ['analytics.initialize', this.#analytics],
            ['basic.initialize', this.#basic],
            ['basic.identify', this.#basic && this.#basicUser],
            ['host.subscribe', this.#topics.size > 0 ? JSON.stringify([...this.#topics]) : null],
        ]
        return kept.filter(([, params]) => params !== null).map(([method, params]) => ({ method, params }))
    }

    /** The host was shut down: the next one starts without clients. Subscriptions to notifications stay. */
    clear() {
        this.#consent = this.#analytics = this.#basic = this.#basicUser = null
        this.endTracker()
    }

    /** The next host starts without the session-based tracker. */
    endTracker() {
        this.#init = null
        this.#isHeld = this.#isEnded = false
    }

    #keepInit(params, isHeld = false) {
        this.#init = params
        this.#isHeld = isHeld
        this.#isEnded = false
    }

    /** After `reset({ all: true })` the host goes on tracking, with a new session, until the next `init`. */
    #keepReset(params) {
        if (JSON.parse(params).all === true) this.#isEnded = true
    }

    /**
     * Consent is remembered only before `init`. After it, consent is on disk, and another process may have changed it
     * since. A repeated `setConsent` from before `init` changes nothing, by its message id. With
     * `persistence: 'memory'` consent is always remembered.
     */
    #keepConsent(params) {
        const isOnDisk = this.#init !== null && JSON.parse(this.#init).config?.persistence !== 'memory'
        this.#consent = isOnDisk ? null : params
    }
}

/** The same `init`, but one that does not wait for a session, since the first `init` has succeeded already. */
function inBackground(params) {
    const call = JSON.parse(params)
    const config = 'brandId' in call ? (call.config ??= {}) : call
    config.sessionCreation = 'inBackground'
    return JSON.stringify(call)
}
