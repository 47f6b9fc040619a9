import { fill, h } from './dom.js'
import { count } from './format.js'
import { icon } from './icons.js'
import { WORDS } from './verdict.js'

/** What there is under a plan only. */
const OF_PLAN = ['kept', 'broken']

/** How many came under each verdict; each is a button that shows only those. */
export class Counters {
    #numbers = {}
    #buttons = {}
    #chosen = []

    /** @param {(verdicts: string[]) => void} onChange */
    constructor(place, onChange) {
        const buttons = Object.entries(WORDS).map(([name, { label, sign, help }]) => {
            this.#numbers[name] = h('b', {}, '0')
            const act = () => onChange(name === 'all' ? [] : toggled(this.#chosen, name))
            const attributes = { type: 'button', title: help, 'aria-pressed': 'false', onclick: act }
            this.#buttons[name] = h(`button.counter.${name}`, attributes,
                this.#numbers[name], h('span', {}, sign && icon(sign), label))
            return this.#buttons[name]
        })
        fill(place, buttons)
    }

    show(counts, chosen) {
        this.#chosen = chosen
        const hasPlan = counts.kept + counts.broken > 0 || chosen.some((name) => OF_PLAN.includes(name))
        for (const name of OF_PLAN) this.#buttons[name].hidden = !hasPlan
        for (const [name, number] of Object.entries(this.#numbers)) {
            const text = count(counts[name])
            if (number.textContent !== text) number.textContent = text
            const button = this.#buttons[name]
            button.setAttribute('aria-pressed', name === 'all' ? chosen.length === 0 : chosen.includes(name))
            button.classList.toggle('none', counts[name] === 0)
        }
    }
}

function toggled(list, name) {
    return list.includes(name) ? list.filter((other) => other !== name) : [...list, name]
}
