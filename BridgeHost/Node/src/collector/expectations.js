import { nearest } from '../nearest.js'
import { show } from './checks/findings.js'
import { Exact, exactText, isSameNumber, losesDigits, parseExactly } from './exact.js'
import { KINDS } from './routes.js'
import { dataOf } from './properties.js'

const FIELDS = ['kind', 'type', 'name', 'user', 'session']
const KNOWN = [...FIELDS, 'data', 'count', 'test']
const TOP = ['expect', 'inOrder', 'nothingElse', 'allowProblems']

/** Expectations that cannot be understood. The message says what to change. */
export class ExpectationError extends Error {
    name = 'ExpectationError'
}

/**
 * One event or update that came.
 *
 * @typedef {{ seq: number, at: string, kind: string, type: string, name: string | null, user: string | null,
 *     session: string | null, test: string | null, data: any }} Entry
 *
 * @typedef {object} Result
 * @property {string} what The expectation in a few words.
 * @property {boolean} isMet
 * @property {number} came
 * @property {string} wanted Such as `1` or `at least 2`.
 * @property {string[]} hints What comes nearest, and how it differs.
 *
 * @typedef {object} Verdict
 * @property {boolean} isMet
 * @property {Result[]} results
 * @property {string[]} complaints What is wrong besides.
 */

/** What a run is expected to send. */
export class Expectations {
    #expected
    #settings

    /**
     * @param {any} value The file's JSON: an array of expectations, or an object with `expect`.
     * @throws {ExpectationError}
     */
    constructor(value) {
        const { expect, inOrder = false, nothingElse = false, allowProblems = false } = Array.isArray(value)
            ? { expect: value }
            : checkedTop(value)
        if (!Array.isArray(expect)) throw new ExpectationError('"expect" must be an array.')
        this.#expected = expect.map(checked)
        this.#settings = { inOrder, nothingElse, allowProblems }
    }

    /** Whether what comes later can still change a verdict that is met. */
    get canStillFail() {
        return this.#settings.nothingElse || this.#expected.some(({ most }) => most === 0)
    }

    /**
     * Judges what came.
     *
     * @param {Iterable<import('./record.js').ReceivedRequest>} records
     * @param {number} [forgotten] How many came besides, and are not known any more.
     * @returns {Verdict}
     */
    judge(records, forgotten = 0) {
        const all = [...records]
        const entries = all.filter(({ accepted, repeat }) => accepted && !repeat).flatMap(entriesOf)
        const results = this.#expected.map((expected) => resultOf(expected, entries))
        const complaints = [
            ...(forgotten > 0 ? [forgottenText(forgotten)] : []),
            ...(this.#settings.inOrder ? orderBreaks(this.#expected, entries) : []),
            ...(this.#settings.nothingElse ? unexpected(this.#expected, entries) : []),
            ...(this.#settings.allowProblems ? [] : problemsOf(all)),
        ]
        return { isMet: complaints.length === 0 && results.every(({ isMet }) => isMet), results, complaints }
    }
}

function checkedTop(value) {
    if (typeof value !== 'object' || value === null) {
        throw new ExpectationError('Expectations are an array, or an object with "expect".')
    }
    checkNames(value, TOP, 'There is no setting')
    return value
}

function checkNames(value, known, what) {
    for (const name of Object.keys(value)) {
        if (known.includes(name)) continue
        const near = nearest(name, known)
        throw new ExpectationError(`${what} "${name}"; ${near ? `did you mean "${near}"?` : `known are ${known.join(', ')}.`}`)
    }
}

function checked(value, index) {
    const place = `expect[${index}]`
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        throw new ExpectationError(`${place} must be an object.`)
    }
    checkNames(value, KNOWN, `${place} has`)
    if (value.kind !== undefined && !KINDS.includes(value.kind)) {
        throw new ExpectationError(`${place}.kind is ${show(value.kind)}; the kinds are ${KINDS.join(', ')}.`)
    }
    for (const name of [...FIELDS, 'test']) {
        // What has no name or no user has null there. A value of another type matches nothing.
        if (typeof (value[name] ?? '') === 'string') continue
        throw new ExpectationError(`${place}.${name} is ${show(value[name])}; it must be a text.`)
    }
    return { ...value, ...boundsOf(value.count ?? 1, place), what: wordsFor(value) }
}

function boundsOf(count, place) {
    if (Number.isSafeInteger(count) && count >= 0) return { least: count, most: count }
    const { least = 0, most = Infinity } = count ?? {}
    const isRange = typeof count === 'object' && count !== null && Object.keys(count).every(
        (name) => ['least', 'most'].includes(name),
    )
    if (!isRange || !(least >= 0) || !(most >= least)) {
        throw new ExpectationError(
            `${place}.count is ${show(count)}; it must be a whole number or {"least": 1, "most": 3}.`,
        )
    }
    return { least, most }
}

function wordsFor({ data, count: _, ...fields }) {
    const words = [fields.name ?? fields.type ?? fields.kind ?? 'any event']
    for (const name of FIELDS.slice(3)) if (fields[name] !== undefined) words.push(`${name}=${fields[name]}`)
    if (data !== undefined) words.push(exactText(data))
    const text = words.join(' ')
    return text.length > 100 ? `${text.slice(0, 99)}…` : text
}

/** @returns {Entry[]} */
function entriesOf(record) {
    const { seq, at, kind, api, items, test } = record
    const body = record.isJSON ? parseExactly(record.raw, losesDigits) : undefined
    return items.map(({ type, name, user, session }, i) => {
        return { seq, at, kind, type, name, user, session, test, data: dataOf(kind, api, body, i) }
    })
}

function fits(expected, entry) {
    return [...FIELDS, 'test'].every((name) => expected[name] === undefined || expected[name] === entry[name])
}

function matches(expected, entry) {
    return fits(expected, entry) && (
        expected.data === undefined || differences(expected.data, entry.data, '').length === 0
    )
}

function resultOf(expected, entries) {
    const came = entries.filter((entry) => matches(expected, entry)).length
    const isMet = came >= expected.least && came <= expected.most
    const hints = came < expected.least ? hintsFor(expected, entries) : []
    return { what: expected.what, isMet, came, wanted: wantedText(expected), hints }
}

function wantedText({ least, most }) {
    if (least === most) return String(least)
    return most === Infinity ? `at least ${least}` : `${least} to ${most}`
}

/** The most similar event of the same name; else the name that was probably meant. */
function hintsFor(expected, entries) {
    let best = null
    for (const entry of entries) {
        if (!fits(expected, entry)) continue
        const found = differences(expected.data, entry.data, '')
        if (found.length > 0 && (!best || found.length < best.found.length)) best = { entry, found }
    }
    if (best) return [`The most similar came at ${best.entry.at.slice(11, 23)}:`, ...best.found.map((text) => `  ${text}`)]
    const others = new Set(entries.map(({ name }) => name).filter((name) => name !== null && name !== expected.name))
    const near = expected.name === undefined ? undefined : nearest(expected.name, others)
    return near === undefined ? [] : [`${near} came; is that the one?`]
}

/** Where a value differs from what is expected. Members that the expectation does not name do not matter. */
function differences(expected, actual, path) {
    if (isObject(expected) && isObject(actual)) {
        return Object.keys(expected).flatMap((name) => {
            const own = Object.hasOwn(actual, name) ? actual[name] : undefined
            return differences(expected[name], own, path ? `${path}.${name}` : name)
        })
    }
    if (Array.isArray(expected) && Array.isArray(actual) && expected.length === actual.length) {
        return expected.flatMap((element, i) => differences(element, actual[i], `${path}[${i}]`))
    }
    if (expected === undefined || expected === actual) return []
    if (isNumber(expected) && isNumber(actual) && isSameNumber(expected, actual)) return []
    return [`${path || 'data'} is ${brief(actual)}; expected is ${brief(expected)}.`]
}

function brief(value) {
    if (value === undefined) return 'missing'
    const text = exactText(value)
    return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

/** What comes in another order than that of the list. Of each expectation as many count as it asks for at least. */
function orderBreaks(expected, entries) {
    let position = 0
    let before = null
    for (const one of expected.filter(({ least }) => least > 0)) {
        let left = one.least
        for (; left > 0 && position < entries.length; position++) if (matches(one, entries[position])) left--
        if (left > 0) {
            const came = entries.filter((entry) => matches(one, entry)).length
            return before && came >= one.least ? [`${one.what} came before ${before.what}.`] : []
        }
        before = one
    }
    return []
}

function unexpected(expected, entries) {
    // Sessions are made by the client itself.
    const others = entries.filter((entry) => entry.kind !== 'session' && !expected.some((one) => matches(one, entry)))
    return others.map(
        ({ kind, type, name, at }) => `${name ?? type ?? kind} came at ${at.slice(11, 23)}, and nobody expected it.`,
    )
}

function forgottenText(count) {
    const requests = count === 1 ? '1 request was' : `${count} requests were`
    return `${requests} forgotten to keep within --max-bytes, so what they held is not judged: give it more.`
}

function problemsOf(records) {
    return records.flatMap(({ seq, problems }) => problems.map((problem) => `Request ${seq}: ${problem}`))
}

function isNumber(value) {
    return typeof value === 'number' || value instanceof Exact
}

function isObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Exact)
}
