import { exactText } from '../collector/exact.js'
import { harmless, painter, wrap } from '../terminal.js'

const HEADS = ['TIME', 'CLIENT', 'EVENT', 'WHY', 'TRIES', 'MESSAGE ID']

/** The column that is cut where a line would be too long. */
const EVENT = 2
const LEAST = 8

const GAP = '  '

/**
 * Writes refused events as a table. Where the stream is too narrow for it, the message id has a line of its own, since
 * it is what one copies.
 *
 * @param {any[]} events
 * @param {{ isTTY?: boolean, columns?: number }} stream
 * @returns {string}
 */
export function tableText(events, stream) {
    const paint = painter(stream)
    const width = stream.columns ?? Infinity
    const rows = [HEADS, ...events.map(cellsOf)]
    const widths = HEADS.map((_, i) => Math.max(...rows.map((cells) => lengthOf(cells[i]))))
    const isNarrow = lineLength(widths) > width
    const before = isNarrow ? widths.slice(0, -1) : widths
    const excess = lineLength(before) - width
    if (excess > 0) before[EVENT] = Math.max(LEAST, before[EVENT] - excess)
    return rows.map((cells, i) => {
        const style = (text) => (i === 0 ? paint('bold', text) : text)
        const line = style(before.map((room, j) => padded(cells[j], room, HEADS[j] === 'TRIES')).join(GAP).trimEnd())
        return isNarrow ? `${line}\n${GAP}${i === 0 ? style(cells.at(-1)) : paint('dim', cells.at(-1))}\n` : `${line}\n`
    }).join('')
}

/** Writes one event whole. */
export function eventText(event, stream) {
    const paint = painter(stream)
    const facts = [
        ['Message id', event.messageId], ['Client', `${event.client} → ${event.origin}`], ['Call', event.call],
        ['Event', event.event], ['Session', event.sessionId], ['Tracked', event.occurredAt], ['Refused', event.refusedAt],
        ['Why', whyText(event)], ['Tries', String(event.attempts)],
    ].filter(([, text]) => text !== null && text !== undefined)
    const lines = facts.map(([name, text]) => `${paint('bold', name.padEnd(12))}${harmless(text)}`)
    const answer = event.answer ? harmless(event.answer) : 'none'
    lines.push(`${paint('bold', 'Answer'.padEnd(12))}${wrap(answer, stream.columns ?? Infinity, 12)}`)
    lines.push('', paint('bold', 'Body'), exactText(event.body, 2).split('\n').map(harmless).join('\n'))
    return `${lines.join('\n')}\n`
}

/** `rejected 422` */
function whyText({ reason, status }) {
    return status === null || status === undefined ? reason : `${reason} ${status}`
}

function cellsOf(event) {
    return [
        event.refusedAt.replace(/\.\d+Z$/, 'Z'), event.client, harmless(event.event ?? `(${event.call})`), whyText(event),
        String(event.attempts), event.messageId,
    ]
}

/** A cell of a column; a text that is too long for it is cut. */
function padded(text, room, isRight) {
    const letters = [...text]
    const shown = letters.length > room ? `${letters.slice(0, room - 1).join('')}…` : text
    const space = ' '.repeat(room - lengthOf(shown))
    return isRight ? space + shown : shown + space
}

function lengthOf(text) {
    return [...text].length
}

/** How long a line of such columns is. */
function lineLength(widths) {
    return widths.reduce((all, width) => all + width, (widths.length - 1) * GAP.length)
}
