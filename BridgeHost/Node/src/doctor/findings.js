import { harmless, painter, wrap } from '../terminal.js'

/**
 * One thing that was checked.
 *
 * @typedef {object} Finding
 * @property {'good' | 'warning' | 'bad'} level
 * @property {string} what
 * @property {string} [todo] What to do about it.
 *
 * @typedef {object} Section
 * @property {string} title
 * @property {string} [of] What it is about, such as a path.
 * @property {Finding[]} findings
 */

export const good = (what) => ({ level: 'good', what })
export const warning = (what, todo) => ({ level: 'warning', what, todo })
export const bad = (what, todo) => ({ level: 'bad', what, todo })

const MARKS = { good: ['green', '✔'], warning: ['yellow', '!'], bad: ['red', '✘'] }

/** Writes a section for a person. @param {Section} section */
export function sectionText({ title, of, findings }, stream) {
    const paint = painter(stream)
    const width = stream.columns ?? Infinity
    const lines = [`${paint('bold', title)}${of ? `  ${paint('dim', harmless(of))}` : ''}`]
    for (const { level, what, todo } of findings) {
        lines.push(`  ${paint(...MARKS[level])} ${wrap(harmless(what), width, 4)}`)
        if (todo) lines.push(`      ${wrap(harmless(todo), width, 6)}`)
    }
    return `${lines.join('\n')}\n\n`
}

/** @param {Finding[]} findings */
export function summaryText(findings, stream) {
    const count = (level) => findings.filter((finding) => finding.level === level).length
    const parts = [`${count('good')} good`, `${count('warning')} to check`, `${count('bad')} wrong`]
    const style = count('bad') > 0 ? 'red' : count('warning') > 0 ? 'yellow' : 'green'
    return `${painter(stream)(style, parts.join(', '))}.\n`
}
