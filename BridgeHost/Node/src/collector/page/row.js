import { fill, h } from './dom.js'
import { timeText } from './format.js'
import { verdictPill } from './verdict.js'

/** An element that shows one row after another, so that scrolling makes none. */
export class RowElement {
    /** @type {import('./event.js').Row | null} */
    row = null
    #time = h('span.time', { role: 'gridcell' })
    #kind = h('span.kind', { role: 'gridcell' })
    #name = h('span.name')
    #preview = h('span.preview')
    #user = h('span.user', { role: 'gridcell' })
    #session = h('span.session', { role: 'gridcell' })
    #verdict = h('span.verdict', { role: 'gridcell' })
    #attempt = h('span.attempt', { role: 'gridcell' })
    #top = -1

    constructor() {
        const what = h('span.what', { role: 'gridcell' }, this.#name, this.#preview)
        this.element = h(
            'div.row', { role: 'row' }, this.#time, this.#kind, what, this.#user, this.#session, this.#verdict,
            this.#attempt,
        )
    }

    /** @param {{ top: number, index: number, isSelected: boolean, isNew: boolean }} place */
    show(row, { top, index, isSelected, isNew }) {
        if (this.row !== row) this.#write(row)
        if (this.#top !== top) this.element.style.transform = `translateY(${top}px)`
        this.#top = top
        this.element.setAttribute('aria-rowindex', index + 2)
        this.element.setAttribute('aria-selected', isSelected)
        this.element.classList.toggle('new', isNew)
    }

    #write(row) {
        this.row = row
        const { element } = this
        element.id = `row-${row.key}`
        element.dataset.verdict = row.verdict
        const { kind, record, preview, title, user, session } = row
        this.#time.textContent = timeText(row.at)
        fill(this.#kind, h(`span.tag`, { 'data-kind': kind }, kind))
        this.#name.textContent = title
        fill(this.#preview, preview.map(([name, value]) => [h('span.property', {}, h('b', {}, name), ' ', value), ' ']))
        this.#user.textContent = user ?? ''
        this.#session.textContent = session ?? ''
        fill(
            this.#verdict, verdictPill(row),
            notesOf(row).map(({ word, text }) => h(`span.pill.note.${word}`, { title: text }, word)),
        )
        this.#attempt.textContent = record.attempt > 1 ? `${record.attempt}×` : ''
        this.#attempt.title = record.attempt > 1 ? `Its key has come ${record.attempt} times` : ''
    }
}

/** What stands beside the verdict: each word once. */
function notesOf({ record, personal, plan }) {
    const flags = record.flags.filter(
        ({ kind }) => kind === 'gap' || kind === 'order',
    ).map(({ kind, text }) => ({ word: kind, text }))
    if (plan?.verdict === 'kept') flags.push({ word: 'kept', text: 'It is as the plan says' })
    if (personal.length > 0) flags.push({ word: 'personal', text: personal.join(' ') })
    return [...new Map(flags.map((flag) => [flag.word, flag])).values()]
}
