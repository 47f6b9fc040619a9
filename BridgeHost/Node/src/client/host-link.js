import { AgentConnection } from './agent-connection.js'
import { findAgent, isAbsence, nextAgent } from './agent.js'
import { AnswerWatch, SILENCE_MS } from './answer-watch.js'
import { CallTable } from './call-table.js'
import { Call, hostExited, paramsOf } from './call.js'
import { clearTimeout, nextTick, now, setTimeout } from './clock.js'
import { CrashLimit } from './crash-limit.js'
import { MobileTrackerError, errorFromAnswer, messageTooLarge } from './errors.js'
import { describeEnd } from './explain.js'
import { isExiting } from './exit.js'
import { clientText } from './fault.js'
import { findHost } from './finder.js'
import { checkInfo } from './handshake.js'
import { afterAgent, afterHost } from './host-end.js'
import { HostProcess } from './host-process.js'
import { readMessage } from './messages.js'
import { METHODS } from './methods.js'
import { Recovery, isSetup, repeated } from './recovery.js'
import { isLonger } from './serialize.js'
import { SetupHold, isUrgent } from './setup-hold.js'
import { Shutdown } from './shutdown.js'

/** From how many unanswered calls on a call no longer records the line that made it. */
const FLOOD = 1000

/** How long a host may take to answer its first request. */
const HANDSHAKE_MS = 10_000

/** How long a host may write nothing after `host.shutdown` before it is ended. It normally ends within 1.5 s. */
const SHUTDOWN_MS = 10_000

/**
 * Starts the host at the first call, and again when it dies, and sends calls to it.
 *
 * Calls reach the host in the order they are made. Each ends with an answer or with an error; after a crash those that
 * can be repeated are sent again.
 */
export class HostLink {
    #options
    /** @type {HostProcess | AgentConnection | null} */
    #host = null
    /** @type {import('./agent.js').Agent | false | null} The agent that is connected to, instead of a host of the program's own. */
    #agent = null
    /**
     * What has answered first, until the shutdown: an agent, or false for a host of the program's own. What a client has
     * there, the other has not.
     *
     * @type {import('./agent.js').Agent | false | null}
     */
    #joined = null
    /** @type {'idle' | 'starting' | 'ready'} */
    #state = 'idle'
    /** The calls of the program. */
    #calls = new CallTable()
    /** This link's own calls to the present host. */
    #own = new CallTable()
    #nextId = 1
    #recovery = new Recovery()
    #hold = new SetupHold()
    #crashes = new CrashLimit()
    #watch = new AnswerWatch(() => [...this.#calls, ...this.#own], (isNew) => this.#silenceChanged(isNew))
    /** The wait before the next start. */
    #wait = null
    /** @type {MobileTrackerError | null} Why there is no host, if that is so. */
    #lastFailure = null
    #lastWarning = ''
    /** Those that were asked for, in the order of their calls. Each but the first waits for the next host. @type {Shutdown[]} */
    #shutdowns = []

    /** The longest message that the host accepts, in bytes. */
    maxMessageBytes = 16 * 1024 * 1024

    /**
     * @param {object} options
     * @param {string} [options.hostPath]
     * @param {string | false} [options.agent]
     * @param {string} [options.run] As of `findAgent`.
     * @param {string} [options.folder] From where relative paths lead, also those in `hostArguments`.
     * @param {() => string[]} options.hostArguments Called at each start.
     * @param {(text: Buffer) => void} options.onStderr
     * @param {(notification: { method: string, params: any }) => void} options.onNotification
     * @param {() => void} [options.onReady] Called for each host that gets the calls from then on.
     * @param {() => void} options.onLateCall Called after each call that is made when the program has ended.
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

    /** Whether so many calls have no answer yet that no further tracking call is to be made. */
    get isFull() {
        return this.#calls.isFull
    }

    /** Whether calls wait for a host that does not answer. */
    get isSilent() {
        return this.#watch.isSilent
    }

    /** Whether a host runs or is being started. */
    get isRunning() {
        return this.#state !== 'idle'
    }

    /** Whether it is being connected to an agent. What the agent has, it delivers meanwhile. */
    get isAway() {
        return this.#state === 'starting' && Boolean(this.#agent)
    }

    /**
     * Makes a call.
     *
     * @param {string} method
     * @param {string | import('./call.js').Params} params
     * @param {ConstructorParameters<typeof Call>[3]} [options]
     * @returns {Promise<any>} The result. An unhandled rejection does not end the program.
     */
    call(method, params, options) {
        const call = new Call(this.#nextId++, method, params, options)
        this.#calls.add(call)
        if (this.#calls.size === 1) this.#updateKeepAlive()
        if (this.#state === 'ready') this.#send(call)
        else this.#start()
        if (isExiting) this.#options.onLateCall()
        return call.promise
    }

    /** Asks this host, and those that follow it, for notifications of this kind. @param {boolean} starts Whether it starts one. */
    subscribe(topic, starts) {
        this.#recovery.subscribe(topic)
        if (this.#state === 'ready') this.#requestOrWarn('host.subscribe', [topic])
        else if (starts) this.#start()
    }

    /** Asks the host to send what each client has. @param {{ timeoutMs: number }} given */
    flush(given) {
        for (const method of this.#recovery.flushes) this.call(method, paramsOf(given))
    }

    /** Writes now what would be written at the end of the tick. */
    flushWrites() {
        this.#sendHeld(this.#hold.end())
        this.#host?.flush()
    }

    /** How many calls that take effect no host can have received. */
    get unwritten() {
        const isReady = this.#state === 'ready'
        const all = isReady ? [...this.#host.unwritten(), ...this.#callsAfter(this.#shutdown)] : [...this.#calls]
        return all.filter(({ method }) => METHODS[method]?.messageId).length
    }

    /** Leaves a silent host to itself: it still reads what is written. A later call starts another. */
    abandon() {
        const host = this.#host
        if (!host) return
        this.#host = null
        host.abandon()
        const sentence = clientText('hostAbandoned', { seconds: SILENCE_MS / 1000 })
        this.#fail(new MobileTrackerError('HOST_EXITED', sentence, { retryable: true }))
    }

    /** Lets the host send for its 1.5 s and end. A later call starts another host. @returns {Promise<void>} */
    shutdown() {
        const last = this.#shutdowns.at(-1)
        if (last && this.#callsAfter(last).length === 0) return last.ended
        if (this.isAway && !this.isBusy) {
            this.#host?.kill()
            this.#stop(hostExited(clientText('wasShutDown')))
        }
        if (this.#state === 'idle') {
            this.#forget()
            return Promise.resolve()
        }
        const shutdown = new Shutdown(this.#nextId++)
        this.#shutdowns.push(shutdown)
        this.#beginShutdown(shutdown)
        if (this.#state === 'ready') this.#send(shutdown.call)
        return shutdown.ended
    }

    /** The one that the present host gets. @type {Shutdown | undefined} */
    get #shutdown() {
        return this.#shutdowns[0]
    }

    /** The calls that wait for the host after a shutdown; none without one. @param {Shutdown | undefined} shutdown */
    #callsAfter(shutdown) {
        return shutdown ? [...this.#calls].filter(({ id }) => id > shutdown.call.id) : []
    }

    #beginShutdown(shutdown) {
        this.#calls.add(shutdown.call)
        if (shutdown === this.#shutdown) this.#endInTime()
        this.#updateKeepAlive()
    }

    // Starting

    #start() {
        if (this.#state !== 'idle') return
        this.#state = 'starting'
        const { delay } = this.#crashes
        // All calls of this tick share this start, and its failure.
        if (delay === 0 || this.#crashes.isReached) return nextTick(() => this.#spawn())
        this.#wait = setTimeout(() => this.#spawn(), delay)
        this.#updateKeepAlive()
    }

    #spawn() {
        this.#wait = null
        if (this.#state !== 'starting' || this.#host) return
        if (this.#crashes.isReached) return this.#fail(this.#lastFailure)
        const { agent, folder, run } = this.#options
        this.#connectOrSpawn(this.#joined ?? findAgent(agent, process.env, folder, run))
    }

    #connectOrSpawn(agent) {
        this.#agent = agent
        if (!agent) return this.#spawnHost()
        const { path } = agent
        const host = new AgentConnection({
            path,
            onLine: (line) => this.#receive(host, line),
            onEnd: (end) => this.#ended(host, path, end),
        })
        this.#shakeHands(host, path)
    }

    #spawnHost() {
        let path, args
        try {
            path = findHost(this.#options)
            args = this.#options.hostArguments()
        } catch (error) {
            return error.code === 'HOST_NOT_FOUND' ? this.#fail(error) : this.#ended(null, path, { error })
        }
        const host = new HostProcess({
            path,
            args,
            folder: this.#options.folder,
            onStderr: this.#options.onStderr,
            onLine: (line) => this.#receive(host, line),
            onEnd: (end) => this.#ended(host, path, end),
        })
        this.#shakeHands(host, path)
    }

    #shakeHands(host, path) {
        this.#host = host
        this.#watch.restart()
        this.#updateKeepAlive()
        const call = this.#request('host.info', {})
        let deadline
        // An agent that was known before may have been stopped. Calls wait for it, as they do while it is connected.
        if (this.#joined) this.#watch.sent(call)
        else deadline = setTimeout(() => this.#failHandshake(host, path), HANDSHAKE_MS).unref()
        call.promise.then(
            (info) => {
                clearTimeout(deadline)
                this.#completeHandshake(host, path, info)
            },
            () => clearTimeout(deadline),
        )
    }

    #failHandshake(host, path) {
        const seconds = HANDSHAKE_MS / 1000
        if (this.#agent) {
            host.kill()
            return this.#ended(host, path, { how: clientText('agentSlow', { seconds }) })
        }
        this.#refuse(host, new MobileTrackerError('HOST_START_FAILED', clientText('hostSlow', { path, seconds })))
    }

    #completeHandshake(host, path, info) {
        if (host !== this.#host) return
        const fault = checkInfo(info, path)
        if (fault) return this.#refuse(host, fault)
        if (Number.isInteger(info.maxMessageBytes)) this.maxMessageBytes = info.maxMessageBytes
        // Before it gets any call: a logger that is warned of one may make others, which go behind those that wait.
        for (const call of [...this.#calls]) this.#refuseTooLong(call, this.#calls)
        if (host !== this.#host) return // The logger has shut it down.
        this.#state = 'ready'
        this.#options.onReady?.()
        this.#joined = this.#agent ? { ...this.#agent, isOptional: false } : false
        this.#lastWarning = ''
        this.#crashes.started()
        for (const call of this.#calls) {
            if (call.written && this.#recovery.mayHaveEnded(call)) this.#calls.amend(call, paramsOf(repeated(call, 'unanswered').given))
        }
        for (const { method, given } of this.#recovery.calls()) this.#requestOrWarn(method, given)
        this.#hold.begin([...this.#own].filter(({ method }) => isSetup(method)))
        const endings = this.#recovery.endings()
        for (const call of [...this.#calls, ...endings].sort((one, other) => one.id - other.id)) {
            if (call instanceof Call) this.#send(call)
            else this.#endAgain(call)
        }
    }

    /** Brings a new host to where the last one was after a reset. @param {import('./recovery.js').Replay & { id: number }} ending */
    #endAgain(ending) {
        this.#sendHeld(this.#hold.end(), ending.id)
        this.#hold.sent(ending)
        this.#requestOrWarn(ending.method, ending.given)
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
        this.#stop(error)
        this.#lastFailure = error
        this.#warn(error.message)
        this.#calls.reject(() => error)
        if (this.#shutdown) this.#forget()
        for (const shutdown of this.#shutdowns.splice(0)) shutdown.finish()
        this.#updateKeepAlive()
    }

    /** There is no host, and none is being started. */
    #stop(error) {
        this.#host = null
        this.#state = 'idle'
        clearTimeout(this.#wait)
        this.#watch.restart()
        this.#own.reject(() => error)
    }

    // Talking

    /** Makes a call of this link's own to the present host. */
    #request(method, given) {
        const call = new Call(this.#nextId++, method, paramsOf(given))
        this.#own.add(call)
        if (!this.#refuseTooLong(call, this.#own)) this.#host.send(call)
        return call
    }

    /** Makes a call of this link's own. If it fails, warns. */
    #requestOrWarn(method, given) {
        const call = this.#request(method, given)
        call.promise.catch((error) => {
            // The program knows by its own `init` that there was no session, or has replaced it by that.
            if (this.#hold.isReplaced(call) || ['HOST_EXITED', 'SESSION_CREATION_FAILED'].includes(error.code)) return
            this.#warn(clientText('replayFailed', { method, error: error.message }))
        })
    }

    /**
     * Answers a call that is longer than the present host accepts. It was made before the host had said so, or the last one
     * has accepted more.
     *
     * @returns {boolean} Whether it is.
     */
    #refuseTooLong(call, table) {
        // Its text has the end of its line.
        if (!isLonger(call.text, this.maxMessageBytes + 1)) return false
        table.take(call.id)
        call.reject(messageTooLarge(call.method, this.maxMessageBytes))
        this.#updateKeepAlive()
        return true
    }

    #send(call) {
        if (this.#refuseTooLong(call, this.#calls)) return
        if (isExiting || isUrgent(call)) this.#sendHeld(this.#hold.end(), call.id)
        const setup = isExiting ? undefined : this.#hold.setupBefore(call)
        if (setup) {
            // From now on the program waits for its answer.
            if (setup.dueAt === Infinity) this.#watch.sent(setup)
            return
        }
        if (this.#shutdown) {
            // Calls after the shutdown go to the next host.
            if (call.id > this.#shutdown.call.id) return
            if (call === this.#shutdown.call) this.#endInTime()
        }
        this.#hold.sent(call)
        this.#watch.sent(call)
        this.#host.send(call)
        if (isExiting) this.#host.flush()
    }

    /** Sends the calls that were held back, from one on and before another, in their order. */
    #sendHeld(from, before = Infinity) {
        if (from === Infinity || this.#state !== 'ready') return
        for (const call of [...this.#calls]) if (call.id >= from && call.id < before) this.#send(call)
    }

    /** Ends the host when its time is over, which begins anew with whatever it writes: it may have many calls to answer. */
    #endInTime(time = SHUTDOWN_MS) {
        const shutdown = this.#shutdown
        clearTimeout(shutdown.timer)
        shutdown.timer = setTimeout(() => {
            const rest = this.#watch.heardAt + SHUTDOWN_MS - now()
            if (rest > 0) return this.#endInTime(rest)
            shutdown.isOver = true
            if (this.#host) this.#host.kill()
            else this.#fail(this.#lastFailure ?? hostExited(clientText('lateStart')))
        }, time).unref()
    }

    #receive(host, line) {
        if (host !== this.#host) return
        this.#watch.heard()
        const message = readMessage(line)
        if (message?.method) return this.#options.onNotification(message)
        const call = message && this.#calls.take(message.id)
        const own = message && !call && this.#own.take(message.id)
        if (call || own) return this.#complete(call || own, message, Boolean(own))
        if (host.isInputClosed) return
        // It may be the answer to any call, and only a new host can answer that call.
        this.#warn(clientText('strayLine'))
        host.kill()
    }

    #complete(call, { result, error }, isReplay) {
        if (error) {
            const own = errorFromAnswer(error)
            if (!this.#hold.isReplaced(call)) this.#recovery.failed(call, own, isReplay)
            call.reject(own)
        } else {
            this.#recovery.answered(call, result, isReplay, this.#calls)
            call.resolve(result)
        }
        if (call === this.#shutdown?.call) this.#shutdown.isOver = true
        this.#sendHeld(this.#hold.answered(call))
        if (this.#calls.size === 0) this.#updateKeepAlive()
    }

    /** Keeps Node alive while a call waits for its answer, and no longer. */
    #updateKeepAlive() {
        const isNeeded = (this.#calls.size > 0 && !this.#watch.isSilent) || this.#shutdowns.length > 0
        this.#host?.keepAlive(isNeeded)
        if (isNeeded) this.#wait?.ref()
        else this.#wait?.unref()
    }

    #silenceChanged(isNew) {
        this.#updateKeepAlive()
        // If it goes on, it reads what it has and ends, and the next one gets the calls that have no answer.
        if (this.#watch.isSilent) {
            this.#sendHeld(this.#hold.end())
            this.#host?.closeBlockedInput()
        }
        if (!isNew) return
        const { size } = this.#calls
        const facts = { host: this.#host?.name, seconds: SILENCE_MS / 1000, calls: size, one: size === 1 ? '' : undefined }
        this.#warn(clientText('hostSilent', facts))
    }

    // Ending

    #ended(host, path, end) {
        if (host !== this.#host) return
        const hadStarted = this.#state === 'ready'
        const how = describeEnd(end)
        this.#stop(hostExited(how))
        if (this.#shutdown?.isOver || this.#agent && this.#isShutdownAlone()) return this.#endedAfterShutdown(how)
        if (this.#agent?.isOptional && !hadStarted && isAbsence(end.error, path)) {
            this.#state = 'starting'
            return this.#connectOrSpawn(nextAgent(this.#agent))
        }
        const follow = this.#agent ? afterAgent : afterHost
        const { error, warning } = follow(this.#crashes, path, end, how, hadStarted)
        if (!warning) return this.#fail(error)
        this.#lastFailure = error
        this.#warn(warning)
        this.#calls.reject(({ method }) => hostExited(how, method), (call) => call.written && !call.repeats)
        if (this.#calls.size > 0 || !this.#recovery.isEmpty) this.#start()
    }

    /** Whether a shutdown waits for the next host, and no call before it does. */
    #isShutdownAlone() {
        const waiting = [...this.#calls].filter(({ written, repeats }) => !written || repeats)
        return this.#shutdown && waiting.every(({ id }) => id >= this.#shutdown.call.id)
    }

    #endedAfterShutdown(how) {
        const shutdown = this.#shutdowns.shift()
        this.#calls.reject(({ method }) => hostExited(how, method), ({ id }) => id <= shutdown.call.id)
        this.#forget()
        shutdown.finish()
        if (this.#shutdown) this.#endInTime()
        if (this.#calls.size > 0) this.#start()
    }

    #forget() {
        this.#recovery.clear()
        this.#joined = null
    }

    /** Warns, unless the last warning was the same: many calls can have one cause. */
    #warn(message) {
        if (message !== this.#lastWarning) this.#options.warn(message)
        this.#lastWarning = message
    }
}
