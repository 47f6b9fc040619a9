import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** The command of the package. */
export const COMMAND = fileURLToPath(new URL('../bin/mobile-tracker.js', import.meta.url))

/**
 * Starts the command. `line` gives the next line of its output, `rest` all that follow, `ended` its exit status.
 * `warned` waits until it has written a whole line to standard error, or has ended.
 *
 * @param {import('node:test').TestContext} t
 * @param {...string} words
 */
export function startCommand(t, ...words) {
    const child = spawn(process.execPath, [COMMAND, ...words], { stdio: 'pipe' })
    t.after(() => child.kill('SIGKILL'))
    child.errors = ''
    child.stderr.on('data', (data) => (child.errors += data))
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const line = async () => (await lines.next()).value
    const rest = async () => {
        const all = []
        for (let next = await line(); next !== undefined; next = await line()) all.push(next)
        return all
    }
    const ended = once(child, 'close').then(([status]) => status)
    const warned = async () => {
        let isOver = false
        const over = ended.then(() => (isOver = true))
        while (!child.errors.endsWith('\n') && !isOver) await Promise.race([once(child.stderr, 'data'), over])
    }
    return { child, line, rest, ended, warned }
}

/** Runs the command to its end. */
export async function runCommand(t, ...words) {
    const { child, rest, ended } = startCommand(t, ...words)
    const lines = await rest()
    return { status: await ended, out: lines.join('\n'), errors: child.errors }
}
