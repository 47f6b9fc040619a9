import { CallTable } from './call-table.js'
import { Call, hostExited } from './call.js'
import { CrashLimit } from './crash-limit.js'
import { MobileTrackerError, errorFromAnswer } from './errors.js'
import { describeEnd, explainStart } from './explain.js'
import { findHost } from './finder.js'
import { checkInfo } from './handshake.js'
import { HostProcess } from './host-process.js'
import { readMessage } from './messages.js'
import { Recovery } from './recovery.js'

/** From how many unanswered calls on a call no longer records the line that made it. */
const FLOOD = 1000

/** How long a host may take to answer its first request. */
const HANDSHAKE_MS = 10_000

/** How long a host may take to end after `host.shutdown`. It normally takes at most 1.5 s. */
const SHUTDOWN_MS = 10_000

/**
 * Starts the host at the first call, and again when it dies, and sends calls to it.
 *
 * Calls reach the host in the order they are made. Each ends with an answer or with an error; after a crash those that
 * can be repeated are sent again.
 */
export class HostLink {
    #options
    /** @type {HostProcess | null} */
    #host = null
    /** @type {'idle' | 'starting' | 'ready'} */
    #state = 'idle'
    /** The calls of the program. */
    #calls = new CallTable()
    /** This link's own calls to the present host. */
    #own = new CallTable()
    #nextId = 1
    #recovery = new Recovery()
    #crashes = new CrashLimit()
    /** @type {MobileTrackerError | null} Why there is no host, if that is so. */
    #lastFailure = null
    #lastWarning = ''
    /** @type {{ call: Call, isOver: boolean, ended: Promise<void>, finish: () => void } | null} */
    #shutdown = null

    /** The longest message that the host accepts, in bytes. */
    maxMessageBytes = 16 * 1024 * 1024

    /**
     * @param {object} options
     * @param {string} [options.hostPath]
     * @param {() => string[]} options.hostArguments Called at each start.
     * @param {(text: Buffer) => void} options.onStderr
     * @param {(notification: { method: string, params: any }) => void} options.onNotification
     * @param {(message: string) => void} options.warn
     */
    constructor(options) {
        this.#options = options
    }

    /** Whether a call has no answer yet. */
    get isBusy() {
        return this.#calls.size > 0
    }

    /** Whether very many calls have no answer yet. */
    get isFlooded() {
        return this.#calls.size >= FLOOD
    }

    /** Whether a host runs or is being started. */
    get isRunning() {
        return this.#state !== 'idle'
    }

    /**
     * Makes a call.
     *
     * @param {string} method
     * @param {string} params JSON text.
     * @param {ConstructorParameters<typeof Call>[3]} [options]
     * @returns {Promise<any>} The result. An unhandled rejection does not end the program.
     */
    call(method, params, options) {
        const call = new Call(this.#nextId++, method, params, options)
        this.#calls.add(call)
        if (this.#calls.size === 1) this.#updateKeepAlive()
        if (this.#state === 'ready') this.#send(call)
        else this.#start()
        return call.promise
    }

    /** Asks this host, and those that follow it, for notifications of this kind. */
    subscribe(topic) {
        this.#recovery.subscribe(topic)
        if (this.#state === 'ready') this.#requestOrWarn('host.subscribe', JSON.stringify([topic]))
        else this.#start()
    }

    /** Whether a client of this kind is in use. @param {'tracker' | 'analytics' | 'basic'} kind */
    uses(kind) {
        return this.#recovery.uses(kind)
    }

    /** Writes now what would be written at the end of the tick. */
    flushWrites() {
        this.#host?.flush()
    }

    /** Lets the host send for its 1.5 s and end. A later call starts another host. @returns {Promise<void>} */
    shutdown() {
        if (this.#shutdown) return this.#shutdown.ended
        if (this.#state === 'idle') {
            this.#recovery.clear()
            return Promise.resolve()
        }
        let finish
        const ended = new Promise((resolve) => (finish = resolve))
        const call = new Call(this.#nextId++, 'host.shutdown', '{}', { repeats: true })
        this.#shutdown = { call, isOver: false, ended, finish }
        this.#calls.add(call)
        this.#updateKeepAlive()
        if (this.#state === 'ready') this.#send(call)
        return ended
    }

    // Starting

    #start() {
        if (this.#state !== 'idle') return
        this.#state = 'starting'
        // All calls of this tick share this start, and its failure.
        process.nextTick(() => this.#spawn())
    }

    #spawn() {
        if (this.#crashes.isReached) return this.#fail(this.#lastFailure)
        let path
        try {
            path = findHost(this.#options)
        } catch (error) {
            return this.#fail(error)
        }
        const host = new HostProcess({
            path,
            args: this.#options.hostArguments(),
            onStderr: this.#options.onStderr,
            onLine: (line) => this.#receive(host, line),
            onEnd: (end) => this.#ended(host, path, end),
        })
        this.#host = host
        this.#updateKeepAlive()
        const deadline = setTimeout(() => this.#failHandshake(host, path), HANDSHAKE_MS).unref()
        this.#request('host.info', '{}').then(
            (info) => {
                clearTimeout(deadline)
                this.#completeHandshake(host, path, info)
            },
            () => clearTimeout(deadline),
        )
    }

    #failHandshake(host, path) {
        const seconds = HANDSHAKE_MS / 1000
        const sentence = `The host at ${path} did not answer within ${seconds} s: is it the BridgeHost program?`
        this.#refuse(host, new MobileTrackerError('HOST_START_FAILED', sentence))
    }

    #completeHandshake(host, path, info) {
        if (host !== this.#host) return
        const fault = checkInfo(info, path)
        if (fault) return this.#refuse(host, fault)
        if (Number.isInteger(info.maxMessageBytes)) this.maxMessageBytes = info.maxMessageBytes
        this.#state = 'ready'
        this.#lastWarning = ''
        for (const { method, params } of this.#recovery.calls()) this.#requestOrWarn(method, params)
        for (const call of this.#calls) this.#send(call)
    }

    /** This host cannot be used, and starting it again would not help. */
    #refuse(host, error) {
        this.#crashes.record()
        this.#host = null
        host.kill()
        this.#fail(error)
    }

    /** There is no host: every call fails. */
    #fail(error) {
        this.#state = 'idle'
        this.#lastFailure = error
        this.#warn(error.message)
        this.#own.reject(() => error)
        this.#calls.reject(() => error)
        this.#finishShutdown()
        this.#updateKeepAlive()
    }

    // Talking

    /** Makes a call of this link's own to the present host. */
    #request(method, params) {
        const call = new Call(this.#nextId++, method, params)
        this.#own.add(call)
        this.#host.send(call)
        return call.promise
    }

    /** Makes a call of this link's own. If it fails, warns. */
    #requestOrWarn(method, params) {
        this.#request(method, params).catch((error) => {
            if (error.code === 'HOST_EXITED') return
            this.#warn(`${method} failed after the host was started: ${error.message}`)
        })
    }

    #send(call) {
        if (this.#shutdown) {
            // Calls after the shutdown go to the next host.
            if (call.id > this.#shutdown.call.id) return
            if (call === this.#shutdown.call) this.#endInTime(this.#host, this.#shutdown)
        }
        this.#host.send(call)
    }

    #endInTime(host, shutdown) {
        const end = () => {
            shutdown.isOver = true
            host.kill()
        }
        setTimeout(end, SHUTDOWN_MS).unref()
    }

    #receive(host, line) {
        if (host !== this.#host) return
        const message = readMessage(line)
        if (message?.method) return this.#options.onNotification(message)
        const call = message && (this.#calls.take(message.id) ?? this.#own.take(message.id))
        if (call) return this.#complete(call, message)
        // It may be the answer to any call, and only a new host can answer that call.
        this.#warn('The host sent a line that is neither a notification nor the answer to a call. It is started again.')
        host.kill()
    }

    #complete(call, { result, error }) {
        if (error) {
            call.reject(errorFromAnswer(error))
        } else {
            this.#recovery.answered(call, result)
            call.resolve(result)
        }
        if (call === this.#shutdown?.call) this.#shutdown.isOver = true
        if (this.#calls.size === 0) this.#updateKeepAlive()
    }

    /** Keeps Node alive while a call has no answer, and no longer. */
    #updateKeepAlive() {
        this.#host?.keepAlive(this.#calls.size > 0 || this.#shutdown !== null)
    }

    // Ending

    #ended(host, path, end) {
        if (host !== this.#host) return
        const hadStarted = this.#state === 'ready'
        this.#host = null
        this.#state = 'idle'
        const how = describeEnd(end)
        this.#own.reject(() => hostExited(how))
        if (this.#shutdown?.isOver) return this.#endedAfterShutdown(how)

        this.#crashes.record()
        const reason = hadStarted ? null : explainStart(path, end)
        if (reason) return this.#fail(new MobileTrackerError('HOST_START_FAILED', reason))
        if (this.#crashes.isReached) return this.#fail(endedTooOften(how))
        this.#lastFailure = endedTooOften(how)
        this.#warn(`The host ended unexpectedly (${how}).`)
        this.#calls.reject(({ method }) => hostExited(how, method), (call) => call.written && !call.repeats)
        if (this.#calls.size > 0 || !this.#recovery.isEmpty) this.#start()
    }

    #endedAfterShutdown(how) {
        const last = this.#shutdown.call.id
        this.#calls.reject(({ method }) => hostExited(how, method), ({ id }) => id <= last)
        this.#recovery.clear()
        this.#finishShutdown()
        if (this.#calls.size > 0) this.#start()
    }

    #finishShutdown() {
        this.#shutdown?.finish()
        this.#shutdown = null
    }

    /** Warns, unless the last warning was the same: many calls can have one cause. */
    #warn(message) {
        if (message !== this.#lastWarning) this.#options.warn(message)
        this.#lastWarning = message
    }
}

function endedTooOften(how) {
    const sentence = 'The host ended 5 times within a minute. Until that minute is over it is not started again, and calls '
        + `fail. The last time: ${how}.`
    return new MobileTrackerError('HOST_EXITED', sentence, { retryable: true })
}
