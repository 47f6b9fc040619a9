import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { findHost } from '../src/client/finder.js'
import { afterwards } from './hosts.js'
import { PATIENT } from './real-host.js'

/** Starts an agent again whenever it ends, as systemd does. */
export class Supervisor {
    #child

    /** @param {string[]} command */
    constructor(command) {
        // When it is told to end, it ends the agent that runs.
        const loop = 'trap \'kill -9 $PID; exit 0\' TERM\nwhile :; do "$@" & PID=$!; wait $PID; done'
        this.#child = spawn('/bin/sh', ['-c', loop, 'sh', ...command], { stdio: 'ignore' })
    }

    /** Ends the agent, for good. */
    async end() {
        const end = once(this.#child, 'exit')
        this.#child.kill()
        await end
    }
}

/**
 * A real agent with a state folder of its own, which ends with the test.
 *
 * @param {import('node:test').TestContext} t
 * @param {string} folder
 * @param {string[]} [more] Further arguments.
 * @returns {Promise<{ path: string, pid: number, end: () => Promise<void> }>} Once it listens.
 */
export async function startAgent(t, folder, more = []) {
    const path = join(folder, 'agent.sock')
    const args = ['--listen', path, '--storage-dir', join(folder, 'state'), ...PATIENT, ...more]
    const child = spawn(findHost(), args, { stdio: 'ignore' })
    const end = async (signal) => {
        if (child.exitCode !== null || child.signalCode !== null) return
        const ended = once(child, 'exit')
        child.kill(signal)
        await ended
    }
    afterwards(t, () => end('SIGKILL'))
    while (!existsSync(path) || !await accepts(path)) {
        if (child.exitCode !== null) throw new Error(`The agent has ended with ${child.exitCode}: is the host built?`)
        await wait(5)
    }
    return { path, pid: child.pid, end: () => end('SIGTERM') }
}

/** What `/proc/PID/status` says under a name. */
export function statusOf(pid, name) {
    const line = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n').find((each) => each.startsWith(`${name}:`))
    return Number(line.match(/\d+/)[0])
}

function accepts(path) {
    return new Promise((resolve) => {
        const socket = connect(path)
        socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
        socket.on('connect', () => socket.destroy())
    })
}
