/**
 * A call to be made again.
 *
 * @typedef {{ method: string, params: string }} Replay The params are JSON text.
 */

/**
 * What a host knows only as long as it lives, and must be told again after its death.
 *
 * Everything else is on disk, or in the calls that it did not answer.
 */
export class Recovery {
    #consent = null
    #init = null
    #analytics = null
    #basic = null
    #basicUser = null
    #topics = new Set()

    /**
     * The host said yes to a call.
     *
     * @param {Replay} call
     * @param {any} result
     */
    answered(call, result) {
        switch (call.method) {
            case 'setConsent': return this.#noteConsent(call.params)
            case 'init': return (this.#init = inBackground(call.params))
            case 'reset': return this.#noteReset(call.params)
            case 'analytics.initialize': return (this.#analytics = call.params)
            case 'analytics.reset': return (this.#analytics = null)
            case 'basic.initialize': return (this.#basic = call.params)
            case 'basic.identify': return result.status === 'dropped' ? undefined : (this.#basicUser = call.params)
        }
    }

    /** Every host from now on is to send these notifications. */
    subscribe(topic) {
        this.#topics.add(topic)
    }

    /** Whether there is anything that a host has to be told. */
    get isEmpty() {
        return this.calls().length === 0
    }

    /** Whether a client of this kind is in use, and so may have something to send. */
    uses(kind) {
        return { tracker: this.#init, analytics: this.#analytics, basic: this.#basic }[kind] !== null
    }

    /** The calls to make first, in this order. @returns {Replay[]} */
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

    /** The host was shut down. The next one starts afresh, and sends the same notifications. */
    clear() {
        this.#consent = this.#init = this.#analytics = this.#basic = this.#basicUser = null
    }

    /** After this the tracker starts anew with the next `init`; until then, calls are for nobody. */
    #noteReset(params) {
        if (JSON.parse(params).all === true) this.#init = null
    }

    /**
     * Once a tracker is initialised its consent is on disk, where another process may have changed it since: so only
     * one that was given before counts. Given again under its message id it changes nothing if it is on disk already.
     * A tracker without a disk is told every time.
     */
    #noteConsent(params) {
        const isOnDisk = this.#init !== null && JSON.parse(this.#init).config?.persistence !== 'memory'
        this.#consent = isOnDisk ? null : params
    }
}

/** The same `init`, for a session that exists or was promised: no failure to make one can fail it. */
function inBackground(params) {
    const call = JSON.parse(params)
    const config = 'brandId' in call ? (call.config ??= {}) : call
    config.sessionCreation = 'inBackground'
    return JSON.stringify(call)
}
