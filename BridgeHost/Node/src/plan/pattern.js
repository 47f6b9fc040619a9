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

/** A code point of more digits than the host reads, or half of a surrogate pair before what is not its other half. */
const UNREAD = /(?<!\\)(?:\\\\)*\\u(?:\{[^}]{9,}\}|[dD][89abAB]..\\u(?![dD][c-fC-F]))/u

/**
 * Whether a pattern has syntax that the host does not know: its automaton cannot look ahead or back, or remember a group.
 *
 * @param {string} pattern A regular expression without faults.
 */
export function hasUnknownSyntax(pattern) {
    return UNREAD.test(pattern) || (pattern.match(PIECES) ?? []).some((piece) => {
        if (piece.startsWith('[')) return /\\[pPc0]/.test(piece)
        return piece.startsWith('\\') ? /[pPkc0-9]/.test(piece[1]) : piece !== '(?:'
    })
}

/** How many steps the host's automaton has at most, and how deep it follows groups. */
const MOST_STEPS = 10_000
const DEEPEST = 64

/** What a pattern consists of: a character or a class of them, a quantifier, or what groups and divides. */
const TOKENS = /\[(?:\\[^]|[^\]\\])*\]|\\u\{[^}]*\}|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u....|\\x..|\\[^]|\(\?:|[*+?]\??|\{\d+(?:,\d*)?\}\??|[^]/gu

/**
 * Whether the host's automaton has room for a pattern.
 *
 * @param {string} pattern A regular expression without faults, and without syntax that the host does not know.
 */
export function hasRoom(pattern) {
    try {
        stepsAfter(choicesIn((pattern.match(TOKENS) ?? []).reverse(), 1), 0)
        return true
    } catch (error) {
        if (error instanceof TooLarge) return false
        throw error
    }
}

/** A pattern that the host's automaton has no room for. */
class TooLarge extends Error {}

/**
 * One piece of a pattern with its counts, or the sequences among which it chooses.
 *
 * @typedef {{ node: Choice | null, least: number, most: number }} Piece `node` is null for a character.
 * @typedef {Piece[][]} Choice
 */

/** @param {string[]} tokens Those that are left, the next one last. @returns {Choice} */
function choicesIn(tokens, depth) {
    if (depth > DEEPEST) throw new TooLarge()
    const choices = [[]]
    for (let token = tokens.pop(); token !== undefined && token !== ')'; token = tokens.pop()) {
        if (token === '|') choices.push([])
        else {
            const node = token === '(' || token === '(?:' ? choicesIn(tokens, depth + 1) : null
            const isCounted = /^(?:[*+?]\??|\{.+)$/.test(tokens.at(-1) ?? '')
            choices.at(-1).push({ node, ...isCounted ? countsOf(tokens.pop()) : { least: 1, most: 1 } })
        }
    }
    return choices
}

function countsOf(quantifier) {
    switch (quantifier[0]) {
        case '*': return { least: 0, most: Infinity }
        case '+': return { least: 1, most: Infinity }
        case '?': return { least: 0, most: 1 }
    }
    const [, least, comma, most] = /^\{(\d+)(,?)(\d*)/.exec(quantifier)
    return { least: Number(least), most: most ? Number(most) : comma ? Infinity : Number(least) }
}

/**
 * How many steps there are once the host has added these, in its way.
 *
 * @param {Choice | null} node
 * @param {number} steps How many there are before.
 * @throws {TooLarge}
 */
function stepsAfter(node, steps) {
    let count = within(steps)
    if (node === null) return count + 1
    for (const [i, sequence] of node.entries()) {
        // Every choice but the last begins with a fork and ends with a jump.
        const isLast = i === node.length - 1
        if (!isLast) count++
        count = within(count)
        for (const piece of sequence) count = repeated(piece, count)
        if (!isLast) count++
    }
    return count
}

function repeated({ node, least, most }, steps) {
    let count = within(steps)
    for (let i = 0; i < least; i++) {
        const next = stepsAfter(node, count)
        // Nothing, however often it is repeated.
        if (next === count) break
        count = next
    }
    if (most === Infinity) return stepsAfter(node, count + 1) + 1
    for (let i = least; i < most; i++) count = stepsAfter(node, count + 1)
    return count
}

function within(steps) {
    if (steps >= MOST_STEPS) throw new TooLarge()
    return steps
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
