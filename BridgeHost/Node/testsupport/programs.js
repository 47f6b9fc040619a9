import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The folder of the package: programs run there can import it by its name. */
const PACKAGE = fileURLToPath(new URL('..', import.meta.url))

/**
 * @typedef {object} Ended
 * @property {number | null} code
 * @property {string | null} signal SIGKILL means that it did not end by itself within 3 minutes.
 * @property {string} stdout
 * @property {string} stderr
 * @property {number} took How long it ran, in milliseconds.
 */

/**
 * Runs a Node program to its end.
 *
 * @param {import('node:test').TestContext} t
 * @param {string} source
 * @param {object} [options]
 * @param {'module' | 'commonjs'} [options.type]
 * @param {boolean} [options.isHeard] False if nobody reads its stderr.
 * @param {Record<string, string>} [options.env] Besides what this program has.
 * @returns {Promise<Ended>}
 */
export function runProgram(t, source, { type = 'module', isHeard = true, env = {} } = {}) {
    const words = [`--input-type=${type}`, '--eval', source]
    return run(t, process.execPath, words, { isHeard, env: { ...process.env, NODE_OPTIONS: '', ...env } })
}

/**
 * Runs a Node program that lies in a file.
 *
 * @param {import('node:test').TestContext} t
 * @param {string} path
 * @param {{ env?: Record<string, string> }} [options]
 * @returns {Promise<Ended>}
 */
export function runFile(t, path, { env = {} } = {}) {
    return run(t, process.execPath, [path], { env: { ...process.env, NODE_OPTIONS: '', ...env } })
}

/**
 * Runs any program to its end.
 *
 * @param {import('node:test').TestContext} t
 * @param {string} command
 * @param {string[]} words
 * @param {object} [options]
 * @param {boolean} [options.isHeard]
 * @param {Record<string, string>} [options.env] All that it has.
 * @param {string} [options.cwd]
 * @param {string} [options.input] What it reads from its standard input.
 * @returns {Promise<Ended>}
 */
export async function run(t, command, words, { isHeard = true, env = process.env, cwd = PACKAGE, input = '' } = {}) {
    const start = performance.now()
    const child = spawn(command, words, { cwd, env })
    child.stdin.on('error', () => {}).end(input) // It may end without reading.
    if (!isHeard) child.stderr.destroy()
    const guard = setTimeout(() => child.kill('SIGKILL'), 180_000)
    t.after(() => child.kill('SIGKILL'))
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr']) {
        child[name].setEncoding('utf8').on('data', (text) => (output[name] += text))
    }
    const [code, signal] = await new Promise((resolve, reject) => {
        child.on('error', reject)
        child.on('close', (...end) => resolve(end))
    })
    clearTimeout(guard)
    return { code, signal, ...output, took: performance.now() - start }
}
