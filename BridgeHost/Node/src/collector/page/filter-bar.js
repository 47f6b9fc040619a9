import { fill, h } from './dom.js'
import { icon } from './icons.js'

/** How many values a list offers. */
const MOST_OFFERED = 200

const FIELDS = [
    { field: 'kind', label: 'Kind', any: 'Every kind' },
    { field: 'name', label: 'Name', any: 'Every name' },
]
const TEXTS = [
    { field: 'user', label: 'User' },
    { field: 'session', label: 'Session' },
    // Shown only if there are test runs.
    { field: 'test', label: 'Test run', isRare: true },
]

/** The fields above the list. */
export class FilterBar {
    #view
    #search
    #inputs = {}
    #clear
    #written = new Map()

    /**
     * @param {HTMLElement} place
     * @param {(view: import('./filters.js').View) => void} onChange
     */
    constructor(place, onChange) {
        const change = (field, value) => onChange({ ...this.#view, [field]: value })
        this.#search = h('input', {
            type: 'search', id: 'search', 'aria-label': 'Search', placeholder: 'Search names, values, problems',
            'aria-keyshortcuts': '/',
            autocomplete: 'off', spellcheck: 'false', oninput: () => change('text', this.#search.value),
        })
        const selects = FIELDS.map(({ field, label }) => {
            this.#inputs[field] = h(
                'select',
                { id: `filter-${field}`, 'aria-label': label, onchange: (event) => change(field, event.target.value) },
            )
            return this.#inputs[field]
        })
        const texts = TEXTS.map(({ field, label }) => {
            const list = h('datalist', { id: `${field}-list` })
            this.#inputs[field] = h('input', {
                id: `filter-${field}`, type: 'text', placeholder: label, 'aria-label': label, list: list.id,
                autocomplete: 'off', spellcheck: 'false',
                onchange: (event) => change(field, event.target.value.trim()),
            })
            return [this.#inputs[field], list]
        })
        this.#clear = h(
            'button.quiet', { id: 'clear-filters', type: 'button', onclick: () => onChange(null) }, icon('close'),
            'Clear filters',
        )
        fill(
            place, h('label.search', {}, icon('search'), this.#search, h('kbd', { 'aria-hidden': 'true' }, '/')),
            selects, texts, this.#clear,
        )
    }

    focus() {
        this.#search.focus()
        this.#search.select()
    }

    /** Shows a view, and what there is to choose from. */
    show(view, seen, isEmpty) {
        this.#view = view
        if (this.#search.value !== view.text) this.#search.value = view.text
        for (const { field, any } of FIELDS) this.#offer(field, seen[field], any)
        for (const { field, isRare } of TEXTS) {
            this.#inputs[field].hidden = isRare && view[field] === '' && seen[field].size === 0
            this.#suggest(field, seen[field])
            const input = this.#inputs[field]
            if (document.activeElement !== input) input.value = view[field]
            input.classList.toggle('set', view[field] !== '')
        }
        this.#clear.hidden = isEmpty
    }

    #offer(field, values, any) {
        const select = this.#inputs[field]
        const chosen = this.#view[field]
        const offered = mostOf(values, chosen)
        const content = JSON.stringify([offered, chosen])
        select.classList.toggle('set', chosen !== '')
        if (select.value !== chosen && offered.includes(chosen)) select.value = chosen
        // An open list closes when its options change, so it is written only when it must be.
        const isOpen = document.activeElement === select && chosen === select.value
        if (this.#written.get(field) === content || isOpen) return
        this.#written.set(field, content)
        fill(select, h('option', { value: '' }, any), offered.map((value) => h('option', { value }, value)))
        select.value = chosen
    }

    #suggest(field, values) {
        const offered = mostOf(values, '')
        const content = JSON.stringify(offered)
        if (this.#written.get(field) === content) return
        this.#written.set(field, content)
        fill(document.getElementById(`${field}-list`), offered.map((value) => h('option', { value })))
    }
}

/** The values that were seen, in alphabetical order, and the one that is chosen. */
function mostOf(values, chosen) {
    const offered = [...values.keys()].slice(-MOST_OFFERED)
    if (chosen && !offered.includes(chosen)) offered.push(chosen)
    return offered.sort((one, other) => one.localeCompare(other))
}
