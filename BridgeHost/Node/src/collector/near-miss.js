import { nearest } from '../nearest.js'
import { agrees, ITEM_FIELDS, listOf } from './filter.js'

/** @typedef {import('./record.js').ReceivedRequest} ReceivedRequest */

/** What another name costs that nobody would take for the one that was meant. */
const ANOTHER_NAME = 3

/** The most that may differ in what is told as near. */
const NEAR = 2

/** How many names are listed where nothing is near. */
const MOST_NAMES = 5

/**
 * Says what came instead of what was waited for.
 *
 * @param {Iterable<ReceivedRequest>} records
 * @param {import('./filter.js').Filter} filter
 * @returns {string} A sentence with a space before it; empty if all that came matches.
 */
export function nearMiss(records, filter) {
    const since = filter.since ?? 0
    let best = null
    let isEmpty = true
    const others = new Map()
    for (const record of records) {
        if (record.seq <= since) continue
        isEmpty = false
        const ofRequest = requestDifferences(record, filter)
        for (const item of record.items) {
            const found = [...itemDifferences(item, filter), ...ofRequest]
            if (found.length === 0) continue
            const cost = found.reduce((sum, each) => sum + each.cost, 0)
            const name = item.name ?? item.type
            others.set(name, (others.get(name) ?? 0) + 1)
            if (cost <= NEAR && (!best || cost <= best.cost)) best = { cost, found, record, name }
        }
    }
    if (isEmpty) return ' Nothing came at all.'
    if (best) return ` The nearest is request ${best.record.seq}, ${best.name}: ${best.found.map(({ text }) => text).join('; ').replace(/\.$/, '')}.`
    if (others.size === 0) return ''
    const names = [...others].slice(0, MOST_NAMES).map(([name, count]) => (count > 1 ? `${name} ×${count}` : name))
    if (others.size > MOST_NAMES) names.push(`and ${others.size - MOST_NAMES} more`)
    return ` Others came: ${names.join(', ')}.`
}

function requestDifferences(record, filter) {
    const found = []
    const differs = (text, cost = 1) => found.push({ text, cost })
    const isListed = (name) => listOf(filter[name])?.includes(record[name]) ?? true
    if (!isListed('kind')) differs(`its kind is ${record.kind}`)
    if (!isListed('test')) differs(record.test === null ? 'it belongs to no test' : `its test is ${JSON.stringify(record.test)}`)
    if (!isListed('status') || !agrees(filter.accepted, record.accepted)) differs(answerOf(record))
    if (!agrees(filter.repeats, record.repeat)) {
        differs(record.repeat ? 'it repeats one that was taken before' : 'it repeats none')
    }
    const hasProblems = record.problems.length > 0
    if (!agrees(filter.problems, hasProblems)) differs(hasProblems ? `it has problems: ${record.problems[0]}` : 'it has no problems')
    return found
}

function answerOf({ status, accepted, problems, fault }) {
    if (status === null) return `its connection was cut${fault ? ` (${fault})` : ''}`
    const reason = !accepted && !fault && problems.length > 0 ? `, since ${problems[0]}` : ''
    return `it was answered ${status}${reason}`
}

function itemDifferences(item, filter) {
    return ITEM_FIELDS.flatMap((name) => {
        const wanted = listOf(filter[name])
        if (!wanted || wanted.includes(item[name])) return []
        const isFar = name === 'name' && (item.name === null || wanted.every((one) => nearest(one, [item.name]) === undefined))
        return [{ text: `its ${name} is ${JSON.stringify(item[name])}`, cost: isFar ? ANOTHER_NAME : 1 }]
    })
}
