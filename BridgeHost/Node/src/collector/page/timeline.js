import { h } from './dom.js'
import { duration, plural, short, timeText } from './format.js'
import { icon } from './icons.js'
import { deviceOf, neighboursOf, storyOf } from './story.js'

/** A shorter pause is not shown, in milliseconds. */
const PAUSE = 20_000

/** What happened in one session, in sentences. */
export class Timeline {
    #store
    #act

    /**
     * @param {import('./store.js').Store} store
     * @param {object} act
     * @param {(row: import('./event.js').Row) => void} act.open
     * @param {(thread: string) => void} act.timeline
     * @param {(field: string, value: string) => void} act.filter
     */
    constructor(store, act) {
        this.#store = store
        this.#act = act
    }

    /** @returns {HTMLElement[]} */
    draw(thread) {
        const { rows } = this.#store
        const steps = storyOf(rows, thread)
        if (steps.length === 0) return [h('p.none', {}, 'Nothing of this session is kept any more.')]
        const { before, after } = neighboursOf(rows, thread)
        const length = steps.at(-1).row.at - steps[0].row.at
        const users = [...new Set(steps.map(({ row }) => row.user).filter(Boolean))]
        return [
            h('p.dim', {}, `${plural(steps.length, 'step')} in ${duration(length)}`,
                users.length > 0 && ` · ${users.join(', ')}`, ' · ',
                h('button.link', { type: 'button', onclick: () => this.#act.filter('session', thread) },
                    'show only these events')),
            h('ol.story', {},
                before && this.#border(before, thread, before, 'before'),
                steps.map((step, i) => [i > 0 && pause(steps[i - 1], step), this.#step(step)]),
                after && this.#border(thread, after, after, 'after')),
        ]
    }

    #step({ row, sign, text, detail, attempts }) {
        const notes = [
            attempts > 1 && `sent ${attempts} times`,
            !row.record.accepted && 'not taken yet',
            row.problems.length > 0 && plural(row.problems.length, 'problem'),
        ].filter(Boolean)
        return h(`li.step.${sign}`, {}, h('button', { type: 'button', onclick: () => this.#act.open(row) },
            h('span.time', {}, timeText(row.at)), h('span.text', {}, text),
            notes.length > 0 && h('span.note', {}, notes.join(', ')), detail && h('span.detail', {}, detail)))
    }

    /** Where one session of the same client ends and another begins. Why it did is a guess: nothing on the wire says it. */
    #border(first, second, other, where) {
        const [one, two] = [deviceOf(this.#store.rows, first), deviceOf(this.#store.rows, second)]
        const isSameDevice = one !== null && one === two
        const [why, sign] = isSameDevice
            ? ['Probably expired: a new session began', 'The same client went on, on the same device, in another session.']
            : [
                'Probably a reset: everything about the person was forgotten',
                'The same client went on, as another device or person and in another session.',
            ]
        const which = `${where === 'before' ? 'Before it' : 'After it'}: session ${short(other)}`
        const attributes = {
            type: 'button', title: `${sign} No request says why.`, onclick: () => this.#act.timeline(other),
        }
        return h('li.step.end', {}, h('button', attributes,
            h('span.time', {}, icon('repeat')), h('span.text', {}, why), h('span.detail', {}, which)))
    }
}

function pause(earlier, later) {
    const length = later.row.at - earlier.row.at
    return length >= PAUSE && h('li.pause', {}, `${duration(length)} later`)
}
