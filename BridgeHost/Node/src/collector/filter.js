import { inspect } from 'node:util'
import { KINDS } from './routes.js'

/**
 * Which records to find. A member that is left out matches everything; a list matches any of its values.
 *
 * @typedef {object} Filter
 * @property {string | string[]} [kind]
 * @property {string | string[]} [type] An event's type in a batch or array (`track`, `identify`…), or the kind.
 * @property {string | string[]} [name] An event's name.
 * @property {string | string[]} [user]
 * @property {string | string[]} [session]
 * @property {string | string[]} [test] The run it belongs to: its `X-Test-Id`, or `/test/<id>` in its base path.
 * @property {number | number[]} [status]
 * @property {boolean | 'any'} [accepted] Only those that the backend has taken, or only those it has not.
 * @property {boolean | 'any'} [repeats] Only those that had been accepted before, or only those that had not.
 * @property {boolean | 'any'} [problems] Only those with problems, or only those without.
 * @property {number} [since] Only records after this number.
 */

/** A filter that cannot be understood. The message says what to change. */
export class FilterError extends Error {
    name = 'FilterError'
}

/** What a filter says of a request's items. */
export const ITEM_FIELDS = ['type', 'name', 'user', 'session']
const LISTS = [...ITEM_FIELDS, 'kind', 'test', 'status']
const FLAGS = ['accepted', 'repeats', 'problems']

/** The names a filter may use. */
const FILTER_FIELDS = [...LISTS, ...FLAGS, 'since']

/**
 * Makes a filter ready for use.
 *
 * @param {Filter} [filter]
 * @returns {(record: import('./record.js').ReceivedRequest) => number} How many of a record's items match: 0 if it does not.
 * @throws {FilterError} For an unknown name or an impossible value.
 */
export function matcher(filter = {}) {
    for (const name of Object.keys(filter)) {
        if (!FILTER_FIELDS.includes(name)) throw new FilterError(`There is no filter "${name}"; ${known()}.`)
    }
    const lists = Object.fromEntries(LISTS.map((name) => [name, checkedList(name, filter[name])]))
    for (const name of FLAGS) {
        if (![undefined, true, false, 'any'].includes(filter[name])) throw new FilterError(notAFlag(name, filter[name]))
    }
    for (const kind of lists.kind ?? []) {
        if (!KINDS.includes(kind)) throw new FilterError(`There is no kind "${kind}"; the kinds are ${KINDS.join(', ')}.`)
    }
    const fields = ITEM_FIELDS.filter((name) => lists[name])
    const since = filter.since ?? 0
    checkNumber('since', since)

    return (record) => {
        if (record.seq <= since) return 0
        if (lists.kind && !lists.kind.includes(record.kind)) return 0
        if (lists.test && !lists.test.includes(record.test)) return 0
        if (lists.status && !lists.status.includes(record.status)) return 0
        if (!agrees(filter.accepted, record.accepted)) return 0
        if (!agrees(filter.repeats, record.repeat)) return 0
        if (!agrees(filter.problems, record.problems.length > 0)) return 0
        if (fields.length === 0) return record.items.length
        let count = 0
        for (const item of record.items) if (fields.every((name) => lists[name].includes(item[name]))) count++
        return count
    }
}

/**
 * Reads a filter from a URL's query.
 *
 * @param {URLSearchParams} query
 * @param {string[]} others Further names that the caller reads by itself.
 * @returns {Filter}
 * @throws {FilterError}
 */
export function filterFrom(query, others) {
    const filter = {}
    for (const name of new Set(query.keys())) {
        if (others.includes(name)) continue
        if (LISTS.includes(name)) filter[name] = name === 'status' ? query.getAll(name).map(wholeNumber) : query.getAll(name)
        else if (FLAGS.includes(name)) filter[name] = yesOrNo(name, query.get(name))
        else if (name === 'since') filter.since = wholeNumber(query.get(name))
        else throw new FilterError(`There is no parameter "${name}"; ${known(others)}.`)
    }
    return filter
}

/**
 * @param {string} text
 * @returns {number}
 * @throws {FilterError} If it is not a whole number.
 */
export function wholeNumber(text) {
    if (!/^\d{1,15}$/.test(text)) throw new FilterError(`"${text}" is not a whole number.`)
    return Number(text)
}

function yesOrNo(name, text) {
    if (text === 'any') return text
    if (text !== 'true' && text !== 'false') throw new FilterError(notAFlag(name, text))
    return text === 'true'
}

function notAFlag(name, value) {
    return `"${name}" is ${JSON.stringify(value)}; it must be true, false or any.`
}

/** Whether a flag is as a filter wants it. */
export function agrees(wanted = 'any', is) {
    return wanted === 'any' || wanted === is
}

/**
 * @param {string} name
 * @param {unknown} value
 * @throws {FilterError} If it is no whole number from 0 on.
 */
export function checkNumber(name, value) {
    if (!Number.isInteger(value) || value < 0) throw new FilterError(`"${name}" is ${inspect(value)}; it must be a whole number from 0 on.`)
}

/** What a filter allows in one place. A value of another type matches nothing, so that nothing would seem to have come. */
function checkedList(name, value) {
    const list = listOf(value)
    const type = name === 'status' ? 'number' : 'string'
    for (const allowed of list ?? []) {
        // What has no name or no user has null there.
        if (allowed !== null && typeof allowed !== type) throw new FilterError(`"${name}" is ${inspect(allowed)}; it must be a ${type}, or a list of them.`)
    }
    return list
}

/** What a filter allows in one place; null for anything. */
export function listOf(value) {
    if (value === undefined) return null
    return Array.isArray(value) ? value : [value]
}

function known(others = []) {
    return `known are ${[...FILTER_FIELDS, ...others].join(', ')}`
}
