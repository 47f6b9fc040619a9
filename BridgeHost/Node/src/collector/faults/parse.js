import { show } from '../checks/findings.js'
import { FaultError, faultItem } from './item.js'

/** @typedef {import('./item.js').FaultItem} FaultItem */

/**
 * Reads a fault script.
 *
 * As text: instructions separated by commas or line breaks, such as `500×3, 429:retry-after=2, drop-after, 200`. An
 * instruction is a status or a word, how often (`×3`, `x3`, `*3`, `×always`), and options (`:kind=batch`); a value
 * with a comma or a colon in it needs quotes: single ones keep it as it is, double ones need `\"` for `"`.
 * `delay=200` alone delays a usual answer, and `413-above=1000` refuses every body above so many bytes from then on.
 * As JSON: an array of such texts, or of objects such as `{"status": 429, "retryAfter": 2, "times": 3}`.
 *
 * @param {string | Array<string | object> | object} script
 * @returns {FaultItem[]}
 * @throws {FaultError} With a sentence that names the instruction.
 */
export function parseFaults(script) {
    return typeof script === 'string' ? parseText(script) : parseList(script)
}

function parseList(script) {
    const list = Array.isArray(script) ? script : [script]
    return list.flatMap((entry) => {
        if (typeof entry === 'string') return parseText(entry)
        if (typeof entry === 'number') return [faultItem({ status: entry })]
        if (typeof entry === 'object' && entry !== null && !Array.isArray(entry)) return [faultItem(entry)]
        throw new FaultError(`${show(entry)} is no instruction; it must be a text or an object.`)
    })
}

function parseText(text) {
    return split(text, /[,;\n]/)
        .map((part) => part.trim())
        .filter((part) => part !== '')
        .map(parseInstruction)
}

/** Names of options that JSON writes otherwise. */
const CAMEL = { 'retry-after': 'retryAfter', 'unless-key': 'unlessKey' }

const HEAD = /^(413-above|\d+|[a-z]+(?:-[a-z]+)*)(?:=(\d+))?(?:\s*[×x*]\s*(\d+|always|∞))?$/i

function parseInstruction(text) {
    const [head, ...options] = split(text, /:/).map((part) => part.trim())
    const match = HEAD.exec(head)
    if (!match) throw new FaultError(`"${text}" is no instruction; an example is 500×3, 429:retry-after=2, drop-after.`)
    const [, word, amount, count] = match
    const parts = { ...partsOf(word.toLowerCase(), amount, text) }
    if (count !== undefined) parts.times = /^\d+$/.test(count) ? Number(count) : 'always'
    for (const option of options) addOption(parts, option, text)
    return faultItem(parts)
}

function partsOf(word, amount, text) {
    if (amount !== undefined) {
        if (word === 'delay') return { delay: amount }
        if (word === '413-above') return { status: 413, above: amount, times: 'always' }
        throw new FaultError(`"${text}" is no instruction: only delay and 413-above take a number.`)
    }
    if (/^\d+$/.test(word)) return { status: word }
    return { action: word }
}

function addOption(parts, option, text) {
    const mark = option.indexOf('=')
    if (mark === -1) throw new FaultError(`"${option}" in "${text}" is no option; an example is kind=batch.`)
    const name = option.slice(0, mark).trim()
    const value = unquote(option.slice(mark + 1).trim(), text)
    if (name === 'header') {
        const colon = value.indexOf(':')
        if (colon < 1) throw new FaultError(`"${value}" is no header; an example is header="X-Reason: test".`)
        parts.headers = { ...parts.headers, [value.slice(0, colon).trim()]: value.slice(colon + 1).trim() }
    } else if (name === 'times' || name === 'status' || name === 'action') {
        throw new FaultError(`"${name}" is no option here; write it first, as in 500×3:delay=100.`)
    } else parts[CAMEL[name] ?? name] = value
}

function unquote(value, text) {
    const quote = value[0]
    if (quote !== '"' && quote !== "'") return value
    if (value.length < 2 || value.at(-1) !== quote) throw new FaultError(`A quotation mark is missing in "${text}".`)
    const inner = value.slice(1, -1)
    return quote === '"' ? inner.replace(/\\(["\\])/g, '$1') : inner
}

/** Splits at a separator outside quotes. */
function split(text, separator) {
    const parts = []
    let quote = ''
    let start = 0
    for (let i = 0; i < text.length; i++) {
        const character = text[i]
        if (quote) {
            if (character === '\\' && quote === '"') i++
            else if (character === quote) quote = ''
        } else if ((character === '"' || character === "'") && text[i - 1] === '=') quote = character
        else if (separator.test(character)) {
            parts.push(text.slice(start, i))
            start = i + 1
        }
    }
    if (quote) throw new FaultError(`A quotation mark is missing in "${text}".`)
    parts.push(text.slice(start))
    return parts
}
