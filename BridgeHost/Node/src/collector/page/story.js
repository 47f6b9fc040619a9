import { line, plural } from './format.js'
import { payloadOf, propertiesOf } from './payload.js'

/**
 * One step of what a person did, in words.
 *
 * @typedef {object} Step
 * @property {import('./event.js').Row} row
 * @property {string} sign What it is, for its colour: start, end, screen, identity, event.
 * @property {string} text
 * @property {string} detail
 * @property {number} attempts How often it was sent.
 */

/**
 * Tells what happened in one session, oldest first; each thing once, however often it was sent.
 *
 * @param {import('./event.js').Row[]} rows All that is kept.
 * @param {string} thread A session, or the anonymous id of an analytics client.
 * @returns {Step[]}
 */
export function storyOf(rows, thread) {
    const steps = new Map()
    for (const row of rows) {
        if (row.thread !== thread) continue
        const key = `${row.record.headers['idempotency-key'] ?? row.record.seq} ${row.index}`
        const known = steps.get(key)
        if (known) {
            known.attempts++
            if (!known.row.record.accepted) known.row = row
        } else steps.set(key, { row, attempts: 1, ...tell(row) })
    }
    return [...steps.values()]
}

/** What came before and after a session on the same device or client: another session, parted from it by a reset. */
export function neighboursOf(rows, thread) {
    const client = rows.find((row) => row.thread === thread && row.record.stream !== null)?.record.stream
    const order = []
    const first = new Map()
    for (const row of rows) {
        if (client === undefined || row.record.stream !== client || row.thread === null) continue
        if (!first.has(row.thread)) order.push(row.thread)
        first.set(row.thread, true)
    }
    const at = order.indexOf(thread)
    return { before: order[at - 1] ?? null, after: at === -1 ? null : (order[at + 1] ?? null) }
}

/** The device that made a session, where the request that made it is kept. */
export function deviceOf(rows, session) {
    const made = rows.find((row) => row.kind === 'session' && row.session === session)
    return made ? payloadOf(made)?.device_id ?? null : null
}

function tell(row) {
    const properties = propertiesOf(row)
    switch (row.kind) {
        case 'session':
            return { sign: 'start', text: 'A session began', detail: list(properties) }
        case 'identify':
            return { sign: 'identity', text: `Was recognised as ${row.user ?? 'somebody'}`, detail: list(properties) }
        case 'alias':
            return { sign: 'identity', text: `Is also known as ${row.user ?? 'somebody'}`, detail: '' }
        case 'group':
            return {
                sign: 'identity', text: `Joined the group ${line(payloadOf(row)?.groupId ?? '')}`,
                detail: list(properties),
            }
        case 'profile':
            return { sign: 'identity', text: tellProfile(row, properties), detail: list(properties) }
        case 'email':
            return { sign: 'identity', text: `Gave the email ${line(payloadOf(row)?.email ?? '')}`, detail: '' }
        case 'location':
            return { sign: 'event', text: 'Was located', detail: list(properties) }
        case 'link':
            return { sign: 'identity', text: 'Came from another session', detail: list(properties) }
        case 'screen':
        case 'page':
            return { sign: 'screen', text: `Looked at ${row.title}`, detail: list(properties) }
        default:
            return tellEvent(row, properties)
    }
}

function tellEvent(row, properties) {
    if (row.name !== 'VIEW_PAGE') return { sign: 'event', text: row.title, detail: list(properties) }
    const { screen, url, ...rest } = properties
    return {
        sign: 'screen', text: `Looked at ${line(screen ?? url ?? 'a page')}`,
        detail: list(url === screen ? rest : { url, ...rest }),
    }
}

function tellProfile(row, properties) {
    const names = Object.keys(properties)
    if (names.length === 1 && names[0] === 'metadata') return 'Session metadata was set'
    return row.user ? `The profile of ${row.user} was set` : `The profile was set: ${plural(names.length, 'member')}`
}

function list(properties) {
    const given = Object.entries(properties).filter(([, value]) => value !== undefined).slice(0, 5)
    return given.map(([name, value]) => `${line(name, 32)} ${line(value, 40)}`).join(' · ')
}
