import { spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'
import { nextTick, setTimeout } from './clock.js'
import { clientText } from './fault.js'
import { LineReader } from './framing.js'
import { LineWriter } from './line-writer.js'

/** @typedef {import('./explain.js').HostEnd} HostEnd */

/** How many characters of the host's stderr are kept, to explain why it ended. */
const STDERR_KEPT = 4096

/** How long the process may outlive its output, or its output the process, before both are closed. */
const GRACE_MS = 2000

/**
 * One running host: writes lines to it, reads its lines, and reports its end.
 *
 * It does not keep Node alive by itself; see {@link HostProcess.keepAlive}. It has a process group of its own, so
 * Ctrl-C reaches this program alone, which can then finish its calls. The host ends when its input ends: when this
 * program ends.
 */
export class HostProcess {
    #child
    #writer
    #stderr = ''
    #end
    #status = { code: null, signal: null }

    /** Whether its input was closed before its end. It may have got a part of a message. */
    isInputClosed = false

    /**
     * Starts a host.
     *
     * @param {object} options
     * @param {string} options.path
     * @param {string[]} options.args
     * @param {string} [options.folder] Where it runs: there its relative arguments lead. If it is gone or closed, where the
     *     program is.
     * @param {(text: Buffer) => void} options.onStderr
     * @param {(line: string) => void} options.onLine
     * @param {(end: HostEnd) => void} options.onEnd Called once, after the last line, and never synchronously.
     */
    constructor({ path, args, folder, onStderr, onLine, onEnd }) {
        this.#end = once((error) => {
            this.#writer?.close()
            onEnd({ ...this.#status, stderr: this.#stderr, error })
        })
        try {
            const detached = process.platform !== 'win32' // On Windows this would open a window.
            const cwd = isOpen(folder) ? folder : undefined
            const child = spawn(path, args, { stdio: 'pipe', detached, windowsHide: true, cwd })
            child.on('error', (error) => {
                if (child.pid === undefined) this.#end(error)
            })
            if (!child.stdin) return // There are no descriptors left for pipes. The error follows.
            this.#child = child
        } catch (error) {
            nextTick(this.#end, error)
            return
        }
        this.#watchProcess()
        this.#watchOutput(onLine, onStderr)
        const { stdin } = this.#child
        stdin.on('error', () => this.kill()) // It closed its input, so no call can reach it.
        this.#writer = new LineWriter(stdin)
        for (const stream of this.#child.stdio) stream.unref()
        this.#child.unref()
    }

    /** @param {import('./line-writer.js').Outgoing} message */
    send(message) {
        this.#writer?.send(message)
    }

    /** Writes now what would be written at the end of the tick. */
    flush() {
        this.#writer?.flush()
    }

    /** The messages of which not all is in the pipe. */
    unwritten() {
        return this.#writer?.unwritten() ?? []
    }

    /** What it is called in a warning. */
    get name() {
        return clientText('hostName', { pid: String(this.#child?.pid) })
    }

    /** Whether Node stays alive as long as the host does. */
    keepAlive(isNeeded) {
        if (!this.#child) return
        const change = isNeeded ? 'ref' : 'unref'
        this.#child[change]()
        this.#child.stdout[change]()
    }

    /** Ends the process at once. */
    kill() {
        this.#child?.kill('SIGKILL')
    }

    /** Closes its input if it does not read it: a write under way would keep Node alive. */
    closeBlockedInput() {
        if (!this.#writer?.isBlocked) return
        this.isInputClosed = true
        this.#child.stdin.destroy()
    }

    /** Closes its input and listens no more. What it has not read yet, it still reads before it ends. */
    abandon() {
        this.#writer?.close()
        for (const stream of this.#child?.stdio ?? []) stream.destroy()
    }

    #watchProcess() {
        const child = this.#child
        child.on('exit', (code, signal) => {
            this.#status = { code, signal }
            // A child of the host may still have its output open. That must not delay the end for ever.
            later(() => child.stdio.forEach((stream) => stream.destroy()))
        })
        child.on('close', () => this.#end())
    }

    #watchOutput(onLine, onStderr) {
        const { stdout, stderr } = this.#child
        const reader = new LineReader(onLine)
        const decoder = new StringDecoder('utf8') // A chunk may end inside a character.
        stdout.on('data', (chunk) => reader.push(chunk))
        stdout.on('end', () => {
            reader.end()
            later(() => this.kill())
        })
        stdout.on('error', () => this.kill())
        stderr.on('data', (chunk) => {
            this.#stderr = (this.#stderr + decoder.write(chunk)).slice(-STDERR_KEPT)
            onStderr(chunk)
        })
        stderr.on('error', () => {}) // Only the log is lost.
    }
}

/** Whether a folder is there, and may be entered: the program may have become another user. */
function isOpen(path) {
    try {
        return path !== undefined && statSync(`${path}/.`).isDirectory()
    } catch {
        return false
    }
}

function later(action) {
    setTimeout(action, GRACE_MS).unref()
}

function once(action) {
    let isDone = false
    return (argument) => {
        if (isDone) return
        isDone = true
        action(argument)
    }
}
