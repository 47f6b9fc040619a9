import { readText, UsageError } from '../command-line.js'
import { harmless, painter } from '../terminal.js'
import { losesDigits, parseExactly } from './exact.js'
import { ExpectationError, Expectations } from './expectations.js'

/** How long requests are gathered before they are judged. */
const TOGETHER_MS = 20

/**
 * Reads a file of expectations.
 *
 * @param {string} path
 * @returns {Expectations}
 */
export function readExpectations(path) {
    const text = readText(path)
    try {
        return new Expectations(parseExactly(text, losesDigits))
    } catch (error) {
        if (error instanceof SyntaxError) throw new UsageError(`${path} is not JSON: ${error.message}.`)
        if (error instanceof ExpectationError) throw new UsageError(`${path}: ${error.message}`)
        throw error
    }
}

/**
 * Waits until a collector has received what is expected, or the time is up.
 *
 * @param {import('./index.cjs').RunningCollector} collector
 * @param {Expectations} expectations
 * @param {{ timeoutMs: number, ended: Promise<unknown> }} options `ended` ends it early.
 * @returns {Promise<import('./expectations.js').Verdict>}
 */
export async function awaitExpectations(collector, expectations, { timeoutMs, ended }) {
    const judge = () => expectations.judge(collector.received(), collector.totals().forgotten)
    const whileItRuns = new AbortController()
    const { signal } = whileItRuns
    const over = new Promise((resolve) => {
        const timer = setTimeout(resolve, timeoutMs)
        signal.addEventListener('abort', () => clearTimeout(timer))
    })
    const met = expectations.canStillFail ? over : metBy(judge, collector, signal)
    await Promise.race([met, over, ended])
    whileItRuns.abort()
    return judge()
}

/** Resolves once the verdict is good. Each check goes over all requests, so many requests in a row share one check. */
function metBy(judge, collector, signal) {
    return new Promise((resolve) => {
        let timer = null
        const check = () => {
            timer = null
            if (judge().isMet) resolve()
        }
        const stopListening = collector.listen(() => (timer ??= setTimeout(check, TOGETHER_MS)))
        signal.addEventListener('abort', () => {
            clearTimeout(timer)
            stopListening()
        })
        check()
    })
}

/**
 * Writes the result of the expectations.
 *
 * @param {import('./expectations.js').Verdict} verdict
 * @param {{ isTTY?: boolean }} stream
 * @returns {string}
 */
export function verdictText({ isMet, results, complaints }, stream) {
    const paint = painter(stream)
    const good = (text) => `${paint('green', '✔')} ${text}`
    const bad = (text) => `${paint('red', '✘')} ${text}`
    const lines = results.flatMap((result) => {
        const line = `${harmless(result.what)}  ${paint('dim', `${result.came} came, ${result.wanted} expected`)}`
        return [result.isMet ? good(line) : bad(line), ...result.hints.map((hint) => `    ${harmless(hint)}`)]
    })
    lines.push(...complaints.map((text) => bad(harmless(text))))
    const failed = results.filter((result) => !result.isMet).length + complaints.length
    lines.push(
        isMet ? paint('green', 'All that was expected came.') : paint('red', `${failed} of the expectations failed.`),
    )
    return `${lines.join('\n')}\n`
}
