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
            case 'init': return (this.#init = inBackground(call.params))
            case 'reset': return this.#keepReset(call.params)
            case 'analytics.initialize': return (this.#analytics = call.params)
            case 'analytics.reset': return (this.#analytics = null)
            case 'basic.initialize': return (this.#basic = call.params)
            case 'basic.identify': return result.status === 'dropped' ? undefined : (this.#basicUser = call.params)
        }
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
        this.#consent = this.#init = this.#analytics = this.#basic = this.#basicUser = null
    }

    /** `reset({ all: true })` ends the tracker until the next `init`. */
    #keepReset(params) {
        if (JSON.parse(params).all === true) this.#init = null
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
