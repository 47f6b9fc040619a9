import { whyOff } from './enabled.js'
import { METHODS, clientOf } from './methods.js'

/**
 * A call to make again.
 *
 * @typedef {{ method: string, given: Record<string, any> }} Replay Its params are plain values, which are never changed.
 */

/** How many message ids of resets are remembered. */
const MOST_RESETS = 1000

/** The calls that restore one client. */
class Client {
    /** What every call is given. It holds over the client's end. @type {Replay | null} */
    defaults = null
    /** A reset from before the setup, which applies it. @type {Replay | null} */
    reset = null
    /** @type {Replay | null} */
    consent = null
    /** What was set since the setup, together. @type {Replay | null} */
    credentials = null
    /** What was set while there was nothing to deliver with it, together: the next setup takes it. @type {Replay | null} */
    keptCredentials = null
    /** What was set since the brand has ended, together: the next setup takes it too. @type {Replay | null} */
    nextCredentials = null
    /** @type {Replay | null} */
    setup = null
    /** Whether it is turned off, so that the host stores nothing of it. */
    isOff = false
    /** Whether its state outlives the host. */
    isOnDisk = false
    /** @type {Replay & { id: number } | null} */
    user = null
    /** Whether the setup has ended with the error after which the host keeps what is tracked. */
    isHeld = false
    /** The resets of everything since the setup, in order: the next one may name another brand. @type {(Replay & { id: number })[]} */
    endings = []
    /** The calls that set the key and the headers last, by these names. @type {Record<string, Replay & { id: number }>} */
    #lastSets = {}

    /** In the order in which they are made. */
    get calls() {
        const { defaults, reset, consent, credentials, keptCredentials, setup, user } = this
        const own = setup && !this.isOff ? [credentials, setup, this.isHeld ? keptCredentials : null] : [keptCredentials, setup]
        // The last host has made the event.
        const again = setup && user && repeated(user, 'answered')
        return [defaults, reset, consent, ...own, again].filter((call) => call !== null)
    }

    /** @param {boolean} isReplay Whether a new host is brought to where the last one was. */
    begin(setup, isHeld = false, id = Infinity, isReplay = false) {
        Object.assign(this, { setup, isHeld, ...begun(setup) })
        // One that turns the client off leaves these to the next.
        const isOn = setup && !this.isOff
        if (isOn) this.reset = null
        if (!isReplay && this.nextCredentials) this.keptCredentials = merged(this.keptCredentials, this.nextCredentials)
        if (!isReplay) this.nextCredentials = null
        if (!isReplay) this.credentials = isOn ? this.keptCredentials : null
        if (!isReplay && isOn) this.keptCredentials = null
        // A decision from before is on disk by now, where another process may change it since.
        if (this.isOnDisk) this.consent = null
        if (!isReplay) this.endings = this.endings.filter((ending) => ending.id > id)
        // It was answered before the setup that was made before it.
        if (!isReplay) this.#setSince(id)
    }

    /** Keeps a reset that the next setup is to apply, of a client that is on. One of everything stays. @param {Replay} call */
    keepReset(call) {
        if ((!this.setup || this.isOff) && !(this.reset && isOfAll(this.reset))) this.reset = call
    }

    /**
     * @param {Replay & { id: number }} reset One of everything.
     * @param {Replay & { id: number }[]} setups Those of this client that have no answer.
     */
    endBrand(reset, setups) {
        if (!this.setup && !setups.some(({ id }) => id < reset.id)) return
        // One before it counts if it has ended what another setup came after.
        const isBetween = ({ id }) => setups.some((setup) => setup.id > id && setup.id < reset.id)
        this.endings = [...this.endings.filter(isBetween), reset]
        // It was answered before the reset that was made before it.
        this.#setSince(reset.id)
    }

    /** @param {Replay & { id: number }} call It sets credentials. */
    set(call) {
        for (const [name, value] of Object.entries(call.given)) if (value !== null) this.#lastSets[name] = call
        const isRunning = this.setup !== null && !this.isOff && !this.isHeld
        if (isRunning) this.credentials = merged(this.credentials, call)
        else this.keptCredentials = merged(this.keptCredentials, call)
        if (this.endings.length > 0 && call.id > this.endings.at(-1).id) this.nextCredentials = merged(this.nextCredentials, call)
    }

    /** Takes what was set after a call once more. @param {number} id The id of that call. */
    #setSince(id) {
        const later = new Set(Object.values(this.#lastSets).filter((call) => call.id > id))
        for (const call of [...later].sort((one, other) => one.id - other.id)) this.set(call)
    }

    /**
     * @param {Replay & { id: number }} call It names the user.
     * @param {import('./outcome.js').Outcome} outcome
     */
    identified({ id, method, given }, { status, reason }) {
        // One that gave way to newer calls may be answered after them.
        if (id < this.user?.id) return
        if (status !== 'dropped') this.user = { id, method, given }
        // Of a client that is not set up the host has checked nothing.
        else if (this.setup && METHODS[method].holdsIfDropped.includes(reason)) {
            // Its traits go with no event.
            this.user = { id, method, given: { userId: given.userId } }
        }
    }

    end() {
        this.begin(null)
    }
}

/**
 * The calls that a new host needs before all others: they restore what the last host had in memory only, by what the
 * method table says of each.
 *
 * Everything else is on disk, or in the calls that the last host did not answer.
 */
export class Recovery {
    /** By their names. @type {Record<string, Client>} */
    #clients = {}
    #topics = new Set()
    /** The message ids of the last resets that were answered: once more, they end nothing. */
    #resets = new Set()

    constructor() {
        this.clear()
    }

    /**
     * Remembers a call that the host answered with a result.
     *
     * @param {Replay & { id: number }} call
     * @param {any} result
     * @param {boolean} [isReplay] Whether it is one of {@link Recovery.calls}.
     * @param {Iterable<Replay & { id: number }>} [unanswered]
     */
    answered({ id, method, given }, result, isReplay = false, unanswered = []) {
        const client = this.#clients[clientOf(method)]
        switch (METHODS[method]?.restores) {
            // Once it is on disk, another process may have changed it since. A repeated call from before changes nothing,
            // by its message id.
            case 'consent': return (client.consent = client.isOnDisk ? null : { method, given })
            // After an ignored one the client goes on with its last setup.
            case 'setup': return result.ignored && client.setup ? undefined : client.begin(again(method, given), false, id, isReplay)
            case 'user': return isReplay ? undefined : client.identified({ id, method, given }, result)
            case 'credentials': return isReplay ? undefined : client.set({ id, method, given })
            case 'defaults': return (client.defaults = { method, given })
            case 'ends':
                if (!isReplay && !this.#isFirst(given)) return
                client.keepReset({ method, given })
                return client.end()
            // The host goes on tracking, with a new session, until the next setup.
            case 'endsBrand':
                if (isReplay || !this.#isFirst(given)) return
                return endBrand(client, { id, method, given }, setupsOf(method, unanswered))
        }
    }

    /**
     * Remembers a call that the host answered with an error. After a setup that found no session, the host keeps what is
     * tracked: a new host does the same after the same call. Until a setup succeeds, one that fails otherwise ends that.
     *
     * @param {Replay & { id: number }} call
     * @param {import('./errors.js').MobileTrackerError} error
     * @param {boolean} [isReplay]
     */
    failed({ id, method, given }, error, isReplay = false) {
        if (!isSetup(method) || error.code === 'INVALID_PARAMS' || error.data.cause === 'shutdown') return
        const client = this.#clients[clientOf(method)]
        if (error.code === METHODS[method].holdsAfter) client.begin({ method, given }, true, id, isReplay)
        else if (client.isHeld || client.endings.length > 0) client.end()
    }

    /**
     * The calls that are to be made in their places among those without an answer: the resets that have ended the brand of a
     * setup, which the new host gets once more.
     *
     * @returns {(Replay & { id: number })[]}
     */
    endings() {
        return Object.values(this.#clients).flatMap(({ endings, nextCredentials }) => {
            const resets = endings.map((reset) => ({ id: reset.id, ...repeated(reset, 'answered') }))
            return nextCredentials ? [...resets, { id: resets.at(-1).id, ...nextCredentials }] : resets
        })
    }

    /** Whether a call that the last host may have had has ended something there. @param {Replay} call */
    mayHaveEnded(call) {
        return endsSetup(call) && !this.#resets.has(call.given.messageId)
    }

    /** Whether no reset under this message id was answered before. */
    #isFirst({ messageId }) {
        if (this.#resets.has(messageId)) return false
        if (messageId !== undefined) this.#resets.add(messageId)
        if (this.#resets.size > MOST_RESETS) this.#resets.delete(this.#resets.values().next().value)
        return true
    }

    /** Every further host is to send these notifications. */
    subscribe(topic) {
        this.#topics.add(topic)
    }

    /** Whether a new host needs no calls. */
    get isEmpty() {
        return this.calls().length === 0
    }

    /** The flush of each client that may have something to send. */
    get flushes() {
        const isFlush = (method) => METHODS[method].gives === 'report'
        return Object.keys(METHODS).filter((method) => isFlush(method) && this.#clients[clientOf(method)].setup)
    }

    /** The calls for a new host, in this order. @returns {Replay[]} */
    calls() {
        const kept = Object.values(this.#clients).flatMap(({ calls }) => calls)
        const subscribe = (topics) => ({ method: 'host.subscribe', given: topics })
        // A setup may lack the key since the program is asked for it.
        if (this.#topics.has('credentials')) kept.unshift(subscribe(['credentials']))
        if (this.#topics.size > 0) kept.push(subscribe([...this.#topics]))
        return kept
    }

    /**
     * The host was shut down: the next one starts without clients. Defaults and subscriptions to notifications stay, and
     * what was to hold from the next setup on.
     */
    clear() {
        const last = this.#clients
        this.#clients = Object.fromEntries(Object.keys(METHODS).map((method) => [clientOf(method), new Client()]))
        for (const [name, { defaults, setup, isOff, reset, consent }] of Object.entries(last)) {
            Object.assign(this.#clients[name], { defaults, reset, consent: setup && !isOff ? null : consent })
        }
    }
}

/** What a setup begins: whether it is off, and whether it outlives the host. @param {Replay | null} setup */
function begun(setup) {
    if (!setup) return { isOff: false, isOnDisk: false }
    const isOff = whyOff(METHODS[setup.method], setup.given) !== undefined
    return { isOff, isOnDisk: !isOff && configOf(setup).persistence !== 'memory' }
}

/** Whether a method begins a client. */
export function isSetup(method) {
    return METHODS[method]?.restores === 'setup'
}

/** A setup that has succeeded, as it is made again: without what has taken effect. @returns {Replay} */
function again(method, given) {
    const { again, once = [] } = METHODS[method]
    if (!again) return { method, given }
    const config = { ...configOf({ method, given }), ...again }
    for (const name of once) delete config[name]
    return { method, given: holdsConfig({ method, given }) ? { ...given, config } : config }
}

/** Credentials that were set one after the other. @param {Replay | null} last @param {Replay} call @returns {Replay} */
function merged(last, { method, given }) {
    const news = Object.entries(given).filter(([, value]) => value !== null)
    return { method, given: { ...last?.given, ...Object.fromEntries(news) } }
}

/**
 * A call that the last host has had, as a new one gets it.
 *
 * @param {Replay} call
 * @param {'unanswered' | 'answered'} repeats
 * @returns {Replay}
 */
export function repeated({ method, given }, repeats) {
    return { method, given: { ...given, repeats } }
}

/** Takes a reset that may end the brand of a client. @param {Client} client @param {(Replay & { id: number })[]} setups */
function endBrand(client, { id, method, given }, setups) {
    // One that a setup was waiting before has had its effect there: another brand's has nothing of it.
    const before = setups.filter((setup) => setup.id < id)
    if (before.length === 0) client.keepReset({ method, given })
    // So has a decision from before that setup.
    if (before.some((setup) => begun(setup).isOnDisk)) client.consent = null
    if (isOfAll({ given })) client.endBrand({ id, method, given }, setups)
}

/** The setups of a method's client. @param {Iterable<Replay & { id: number }>} calls */
function setupsOf(method, calls) {
    return [...calls].filter((call) => isSetup(call.method) && clientOf(call.method) === clientOf(method))
}

/** Whether a call ends a client, or the brand that it is set up for. */
export function endsSetup({ method, given }) {
    const { ends } = METHODS[method] ?? {}
    return ends === 'always' || ends === 'all' && isOfAll({ given })
}

/** Whether a reset is one of everything. */
function isOfAll({ given }) {
    return given.all === true
}

/** The configuration in the params of a setup. One object may hold all that it does, and the brand. @param {Replay} setup */
function configOf({ method, given }) {
    return holdsConfig({ method, given }) ? given.config ?? {} : given
}

/** Whether a setup has its configuration in a param of its own. @param {Replay} setup */
function holdsConfig({ method, given }) {
    return METHODS[method].params[0].name in given
}
