import { spawn } from 'node:child_process'
import { LineReader } from './framing.js'
import { LineWriter } from './line-writer.js'

/** @typedef {import('./explain.js').HostEnd} HostEnd */

/** How much of what the host wrote to stderr is kept for an explanation. */
const STDERR_KEPT = 4096

/** How long a process may outlive its output, or its output the process, before both are cut off. */
const GRACE_MS = 2000

/**
 * One running host: lines in, lines out, and its end.
 *
 * It does not keep Node alive by itself; see {@link HostProcess.hold}. It has a process group of its own, so that a
 * Ctrl-C meant for this program lets the program finish its calls. It ends when its input does, thus with this program.
 */
export class HostProcess {
    #child
    #writer
    #stderr = ''
    #end
    #status = { code: null, signal: null }

    /**
     * Starts a host.
     *
     * @param {object} options
     * @param {string} options.path
     * @param {string[]} options.args
     * @param {(text: Buffer) => void} options.onStderr
     * @param {(line: string) => void} options.onLine
     * @param {(end: HostEnd) => void} options.onEnd Called once, after the last line, and never synchronously.
     */
    constructor({ path, args, onStderr, onLine, onEnd }) {
        this.#end = once((error) => {
            this.#writer?.close()
            onEnd({ ...this.#status, stderr: this.#stderr, error })
        })
        try {
            const detached = process.platform !== 'win32' // There it would open a window.
            this.#child = spawn(path, args, { stdio: 'pipe', detached, windowsHide: true })
        } catch (error) {
            process.nextTick(this.#end, error)
            return
        }
        this.#watchProcess()
        this.#watchOutput(onLine, onStderr)
        const { stdin } = this.#child
        stdin.on('error', () => this.kill()) // It closed its input: there is no way left to reach it.
        this.#writer = new LineWriter(stdin)
        for (const stream of this.#child.stdio) stream.unref()
        this.#child.unref()
    }

    /** @param {import('./line-writer.js').Outgoing} message */
    send(message) {
        this.#writer?.send(message)
    }

    /** Hands over what waits for the end of the tick. */
    flush() {
        this.#writer?.flush()
    }

    /** Whether Node is to stay alive as long as the host does. */
    hold(isHeld) {
        if (!this.#child) return
        const change = isHeld ? 'ref' : 'unref'
        this.#child[change]()
        this.#child.stdout[change]()
    }

    /** Ends the process at once. */
    kill() {
        this.#child?.kill('SIGKILL')
    }

    #watchProcess() {
        const child = this.#child
        child.on('error', (error) => {
            if (child.pid === undefined) this.#end(error)
        })
        child.on('exit', (code, signal) => {
            this.#status = { code, signal }
            // Another process may have got hold of its output: that must not delay the end for ever.
            later(() => child.stdio.forEach((stream) => stream.destroy()))
        })
        child.on('close', () => this.#end())
    }

    #watchOutput(onLine, onStderr) {
        const { stdout, stderr } = this.#child
        const reader = new LineReader(onLine)
        stdout.on('data', (chunk) => reader.push(chunk))
        stdout.on('end', () => {
            reader.end()
            later(() => this.kill())
        })
        stdout.on('error', () => this.kill())
        stderr.on('data', (chunk) => {
            this.#stderr = (this.#stderr + chunk).slice(-STDERR_KEPT)
            onStderr(chunk)
        })
        stderr.on('error', () => {}) // Logs that cannot be read are lost, and nothing else.
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
