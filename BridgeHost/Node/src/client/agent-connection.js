import { Socket } from 'node:net'
import { clientText } from './fault.js'
import { LineReader } from './framing.js'
import { LineWriter } from './line-writer.js'

/** The code of the line with which an agent refuses a client. */
const REFUSED = 'CONNECTION_REFUSED'

/**
 * How many bytes the path of a socket may have: `sun_path` in `sys/un.h`, less its end. Node cuts a longer one off, and would
 * connect to another socket.
 */
const LONGEST_PATH = process.platform === 'linux' ? 107 : 103

/** The errors of a write to a socket that the other side has closed. */
const CLOSED = ['EPIPE', 'ECONNRESET']

/**
 * A socket that is read to its end although nothing more can be written.
 *
 * An agent that refuses a client says why and closes. Node's own socket is destroyed by the first write that fails, and
 * what the agent has said is lost.
 */
class ReadableSocket extends Socket {
    _write(chunk, encoding, done) {
        super._write(chunk, encoding, (error) => this.#finish(error, done))
    }

    _writev(chunks, done) {
        super._writev(chunks, (error) => this.#finish(error, done))
    }

    /** The end of what the other side has sent follows, and closes the socket. */
    #finish(error, done) {
        done(CLOSED.includes(error?.code) ? null : error)
    }
}

/**
 * One connection to an agent. It is used as a host of the program's own is: see `HostProcess`.
 *
 * Its end says nothing of the agent's other clients, and what the agent has taken it still delivers.
 */
export class AgentConnection {
    #socket
    #writer
    #error

    /** Whether it was closed before its end. The agent may have got a part of a message. */
    isInputClosed = false

    /**
     * Connects.
     *
     * @param {object} options
     * @param {string} options.path
     * @param {(line: string) => void} options.onLine
     * @param {(end: import('./explain.js').HostEnd) => void} options.onEnd Called once, after the last line, and never
     *   synchronously.
     */
    constructor({ path, onLine, onEnd }) {
        this.name = clientText('agentName', { path })
        const socket = new ReadableSocket()
        if (Buffer.byteLength(path) > LONGEST_PATH) {
            socket.destroy(Object.assign(new Error('the path is too long'), { code: 'ENAMETOOLONG' }))
        } else {
            socket.connect({ path })
        }
        this.#socket = socket
        this.#writer = new LineWriter(socket)
        const reader = new LineReader((line) => this.#refuses(line) || onLine(line))
        socket.on('data', (chunk) => reader.push(chunk))
        socket.on('end', () => reader.end())
        // After its refusal the agent closes the socket, and what is read then fails as well.
        socket.on('error', (error) => (this.#error ??= error))
        socket.on('close', () => {
            this.#writer.close()
            onEnd({ code: null, signal: null, stderr: '', error: this.#error, how: clientText('connectionClosed') })
        })
        socket.unref()
    }

    /** @param {import('./line-writer.js').Outgoing} message */
    send(message) {
        this.#writer.send(message)
    }

    /** Writes now what would be written at the end of the tick. */
    flush() {
        this.#writer.flush()
    }

    /** The messages of which not all is with the system. */
    unwritten() {
        return this.#writer.unwritten()
    }

    /** Whether Node stays alive as long as the connection does. */
    keepAlive(isNeeded) {
        this.#socket[isNeeded ? 'ref' : 'unref']()
    }

    /** Ends the connection at once. */
    kill() {
        this.#socket.destroy()
    }

    /** Closes it if the agent does not read: a write under way would keep Node alive. */
    closeBlockedInput() {
        if (!this.#writer.isBlocked) return
        this.isInputClosed = true
        this.#socket.destroy()
    }

    /** Ends it and listens no more. What the agent has received, it still reads. */
    abandon() {
        this.#writer.close()
        this.#socket.destroy()
    }

    /** Keeps the reason if the agent refuses this client. */
    #refuses(line) {
        if (!line.includes(REFUSED)) return false
        const error = refusal(line)
        if (!error) return false
        this.#error = Object.assign(new Error(error.message), { isFinal: error.data.retryable === false })
        return true
    }
}

/** The error of a line that refuses this client; undefined if it is another line, such as an answer that has this word. */
function refusal(line) {
    try {
        const { id, error } = JSON.parse(line)
        return id === null && error.data.code === REFUSED ? error : undefined
    } catch {
        return undefined
    }
}
