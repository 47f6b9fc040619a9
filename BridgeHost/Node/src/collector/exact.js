import { randomUUID } from 'node:crypto'

/** Numbers of JSON that JavaScript would write otherwise than they came: with more digits than a double, as `149.90`. */

/** Stands for a number's spelling inside a text, and is in no text that anybody sends. */
const MARK = `exact-${randomUUID()}`

const TOKENS = /"(?:[^"\\]+|\\.)*"|-?\d[-+.\deE]*/gs
const MARKED = new RegExp(`"${MARK}([^"]*)"`, 'g')

/** A number as it is spelled. */
export class Exact {
    /** @param {string} spelling */
    constructor(spelling) {
        this.spelling = spelling
    }
}

/** Whether JavaScript would write this number otherwise. @param {string} spelling */
export function isRespelled(spelling) {
    return String(Number(spelling)) !== spelling
}

/** Whether this number is another one in JavaScript. @param {string} spelling */
export function losesDigits(spelling) {
    return isRespelled(spelling) && decimalOf(spelling) !== decimalOf(String(Number(spelling)))
}

/** Whether two numbers are the same one, each a number or an `Exact`. */
export function isSameNumber(one, other) {
    return decimalOf(spelled(one)) === decimalOf(spelled(other))
}

/**
 * Parses JSON.
 *
 * @param {string} text Valid JSON.
 * @param {(spelling: string) => boolean} isKept Which numbers become an `Exact`.
 * @returns {any}
 */
export function parseExactly(text, isKept) {
    try {
        const marked = text.replace(TOKENS, (token) => {
            return token.startsWith('"') || !isKept(token) ? token : `"${MARK}${token}"`
        })
        return marked === text ? JSON.parse(text) : JSON.parse(marked, unmark)
    } catch (error) {
        // What nests too deep to be walked is parsed as usual.
        if (error instanceof RangeError) return JSON.parse(text)
        throw error
    }
}

/** A value as JSON text, each `Exact` as it is spelled. @param {any} value @param {number} [indent] */
export function exactText(value, indent) {
    const mark = (_, member) => (member instanceof Exact ? MARK + member.spelling : member)
    return JSON.stringify(value, mark, indent).replaceAll(MARKED, '$1')
}

function unmark(_, value) {
    return typeof value === 'string' && value.startsWith(MARK) ? new Exact(value.slice(MARK.length)) : value
}

function spelled(number) {
    return number instanceof Exact ? number.spelling : String(number)
}

/** The same text for every spelling of a number: its sign, its digits without zeros around them, and its exponent. */
function decimalOf(spelling) {
    const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(spelling) ?? []
    if (whole === undefined) return spelling // `Infinity`, which 1e999 is to JavaScript.
    const digits = (whole + fraction).replace(/^0+/, '')
    const short = digits.replace(/0+$/, '')
    return short === '' ? '0' : `${sign}${short}e${BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - short.length)}`
}
