import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The folder of the package: programs run there can import it by its name. */
const PACKAGE = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs a Node program to its end.
 *
 * @param {import('node:test').TestContext} t
 * @param {string} source
 * @param {object} [options]
 * @param {'module' | 'commonjs'} [options.type]
 * @param {boolean} [options.isHeard] False if nobody reads its stderr.
 * @param {Record<string, string>} [options.env] Besides what this program has.
 * @returns {Promise<{ code: number | null, signal: string | null, stdout: string, stderr: string }>} A signal of
 *     SIGKILL means that it did not end by itself within 20 s.
 */
export async function runProgram(t, source, { type = 'module', isHeard = true, env = {} } = {}) {
    const child = spawn(process.execPath, [`--input-type=${type}`, '--eval', source], {
        cwd: PACKAGE,
        env: { ...process.env, NODE_OPTIONS: '', ...env },
    })
    if (!isHeard) child.stderr.destroy()
    const guard = setTimeout(() => child.kill('SIGKILL'), 20_000)
    t.after(() => child.kill('SIGKILL'))
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr']) {
        child[name].setEncoding('utf8').on('data', (text) => (output[name] += text))
    }
    const [code, signal] = await new Promise((resolve) => child.on('close', (...end) => resolve(end)))
    clearTimeout(guard)
    return { code, signal, ...output }
}
