/** The keys that lead to a value. @typedef {Array<string | number>} Path */

/**
 * What `JSON.parse` does not report about a text.
 *
 * @typedef {object} Inspection
 * @property {number} depth How deep the text nests: 0 for a bare value, 1 for `{}`.
 * @property {Path[]} duplicates Paths of member names that stand twice in one object: the first of them.
 * @property {Path[]} surrogates Paths of strings with half of a surrogate pair, which no UTF-8 can hold: the first.
 * @property {Map<string, string>} numbers The numbers directly inside a top-level object, spelled as they came.
 */

/** How many paths of a kind are kept: a request's sentences are fewer. */
const MOST_PATHS = 100

/** What of a path is written: a text of many levels, or of long names, would be as long as all bodies together. */
const MOST_LEVELS = 140
const MOST_NAME = 200

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d

/** One open object or array. */
class Frame {
    /** @param {boolean} isObject */
    constructor(isObject) {
        this.keys = isObject ? new Set() : null
        this.key = ''
        this.index = 0
    }
}

/**
 * Walks a text that `JSON.parse` has accepted, without recursion, so that no nesting is too deep for it.
 *
 * @param {string} text Valid JSON; for anything else the answer means nothing.
 * @returns {Inspection}
 */
export function inspect(text) {
    const found = { depth: 0, duplicates: [], surrogates: [], numbers: new Map() }
    /** @type {Frame[]} */
    const frames = []
    // V8 may move `includes` into the loop, which then takes as long as the text for each character.
    const hasEscapes = /\\u/.test(text)
    let frame = null
    let atKey = false

    for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i)
        if (code === QUOTE) {
            const end = endOfString(text, i)
            if (atKey) {
                atKey = false
                frame.key = unescape(text.slice(i, end + 1))
                if (frame.keys.has(frame.key)) keep(found.duplicates, frames)
                frame.keys.add(frame.key)
            }
            if (hasEscapes && isHalved(text.slice(i, end + 1))) keep(found.surrogates, frames)
            i = end
        } else if (code === COMMA) {
            if (frame.keys) atKey = true
            else frame.index++
        } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
            frame = new Frame(code === OPEN_OBJECT)
            frames.push(frame)
            atKey = code === OPEN_OBJECT
            if (frames.length > found.depth) found.depth = frames.length
        } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
            frames.pop()
            frame = frames.at(-1) ?? null
            atKey = false
        } else if (frames.length === 1 && frame.keys && startsNumber(code)) {
            const end = endOfNumber(text, i)
            found.numbers.set(frame.key, text.slice(i, end))
            i = end - 1
        }
    }
    return found
}

/**
 * Replaces the strings and the numbers of a text.
 *
 * @param {string} text Valid JSON.
 * @param {(token: string) => string} change Gets each as it is spelled, a string with its quotes.
 * @returns {string}
 */
export function replaceTokens(text, change) {
    const pieces = []
    let start = 0
    for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i)
        if (code !== QUOTE && !startsNumber(code)) continue
        const end = code === QUOTE ? endOfString(text, i) + 1 : endOfNumber(text, i)
        const token = text.slice(i, end)
        const changed = change(token)
        if (changed !== token) {
            pieces.push(text.slice(start, i), changed)
            start = end
        }
        i = end - 1
    }
    return pieces.join('') + text.slice(start)
}

/**
 * Replaces the values of members that are strings. A string that has no end ends with the text.
 *
 * @param {string} text JSON, or what was meant to be.
 * @param {string[]} names
 * @param {(literal: string) => string} change Gets each as it is spelled, without its quotes.
 * @returns {string}
 */
export function replaceMembers(text, names, change) {
    const words = names.map((name) => name.replace('$', '\\$')).join('|')
    // A pattern for the value too would need stack for each of its escapes.
    const beginning = new RegExp(`"(?:${words})"\\s*:\\s*"`, 'g')
    const pieces = []
    let start = 0
    while (beginning.test(text)) {
        const { lastIndex } = beginning
        const end = endOfString(text, lastIndex - 1)
        pieces.push(text.slice(start, lastIndex), change(text.slice(lastIndex, end)))
        start = end
        beginning.lastIndex = end
    }
    return pieces.join('') + text.slice(start)
}

function endOfString(text, start) {
    let i = start + 1
    for (;;) {
        const code = text.charCodeAt(i)
        if (code === QUOTE || i >= text.length) return i
        i += code === BACKSLASH ? 2 : 1
    }
}

function startsNumber(code) {
    return code === 0x2d || (code >= 0x30 && code <= 0x39)
}

function endOfNumber(text, start) {
    let i = start
    while (i < text.length && /[-+.0-9eE]/.test(text[i])) i++
    return i
}

/** What a string of JSON holds. @param {string} literal With its quotes. */
export function unescape(literal) {
    return literal.includes('\\') ? JSON.parse(literal) : literal.slice(1, -1)
}

function isHalved(literal) {
    return literal.includes('\\u') && !JSON.parse(literal).isWellFormed()
}

function keep(paths, frames) {
    if (paths.length < MOST_PATHS) paths.push(pathOf(frames))
}

function pathOf(frames) {
    const path = frames.slice(0, MOST_LEVELS).map(({ keys, key, index }) => {
        return keys ? (key.length > MOST_NAME ? `${key.slice(0, MOST_NAME)}…` : key) : index
    })
    return frames.length > MOST_LEVELS ? [...path, '…'] : path
}
