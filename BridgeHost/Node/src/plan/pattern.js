import { createContext, Script } from 'node:vm'

/** How long one text may be compared with one pattern, in milliseconds. */
const PATIENCE_MS = 100

/** Up to this length a text takes no time if a pattern repeats one thing at most. */
const SHORT = 1000

/** Whatever repeats in a pattern. Two of these can try ever more ways to share a text among them. */
const QUANTIFIER = /[*+?]|\{\d/g

const CONTEXT = createContext({})
const TEST = new Script('regex.test(text)')

/** What has a meaning only together with what comes before it in a pattern: a class of characters, an escape, a group. */
const PIECES = /\[(?:\\[^]|[^\]\\])*\]|\\[^]|\(\?.?/gu

/**
 * Whether a pattern has syntax that the host does not know: its automaton cannot look ahead or back, or remember a group.
 *
 * @param {string} pattern A regular expression without faults.
 */
export function hasUnknownSyntax(pattern) {
    return (pattern.match(PIECES) ?? []).some((piece) => {
        if (piece.startsWith('[')) return /\\[pPc0]/.test(piece)
        return piece.startsWith('\\') ? /[pPkc0-9]/.test(piece[1]) : piece !== '(?:'
    })
}

/** Pattern to its expression; null for one that has taken too long once. @type {Map<string, RegExp | null>} */
const known = new Map()

/**
 * Whether a text matches a pattern.
 *
 * @param {string} pattern A regular expression without faults.
 * @param {string} text
 * @returns {boolean | null} Null if it takes too long to say.
 */
export function matchesPattern(pattern, text) {
    if (!known.has(pattern)) known.set(pattern, new RegExp(pattern, 'u'))
    const regex = known.get(pattern)
    if (regex === null) return null
    if (text.length <= SHORT && (pattern.match(QUANTIFIER) ?? []).length <= 1) return regex.test(text)
    Object.assign(CONTEXT, { regex, text })
    try {
        return TEST.runInContext(CONTEXT, { timeout: PATIENCE_MS })
    } catch (error) {
        if (error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
        known.set(pattern, null)
        return null
    } finally {
        CONTEXT.text = ''
    }
}
