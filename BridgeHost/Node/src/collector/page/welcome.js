import { copy, fill, h } from './dom.js'
import { FIRST_EVENT } from './first-event.js'
import { icon } from './icons.js'

/** What stands where nothing has come yet: how to make something come. */
export class Welcome {
    #place
    #chosen = 'Node'

    constructor(place) {
        this.#place = place
    }

    draw() {
        const text = FIRST_EVENT[this.#chosen](location.origin)
        const code = h(
            'pre.code', { id: 'lines', role: 'tabpanel', tabindex: '0', 'aria-labelledby': `lines-${this.#chosen}` },
            text,
        )
        const button = h(
            'button.quiet.copy', { type: 'button', onclick: () => copy(text, button) }, icon('copy'), 'Copy',
        )
        fill(this.#place, h('div.welcome', {},
            h('h2', {}, 'Nothing has come yet'),
            h(
                'p', {}, 'Point a client at ', h('code', {}, location.origin),
                ' and run it. Each event appears here the moment it arrives, checked against the protocol.',
            ),
            h(
                'div.lines', {},
                h(
                    'div.tabs', { role: 'tablist', 'aria-label': 'Language' },
                    Object.keys(FIRST_EVENT).map((name) => this.#tab(name)),
                ),
                button, code,
            ),
            h('ul.hints', {},
                h(
                    'li', {}, 'Give the address as ', h('code', {}, 'apiUrl'), ', ', h('code', {}, 'ingestionHost'),
                    ' or ', h('code', {}, 'endpoint'), ', with any key.',
                ),
                h(
                    'li', {}, 'Press ', h('kbd', {}, 'f'),
                    ' to make requests fail: an outage, a slow network, lost answers.',
                ),
                h('li', {}, 'Press ', h('kbd', {}, '?'), ' for every key.'))))
    }

    #tab(name) {
        const isChosen = name === this.#chosen
        return h('button', {
            type: 'button', role: 'tab', id: `lines-${name}`, 'aria-selected': String(isChosen),
            'aria-controls': 'lines', tabindex: isChosen ? '0' : '-1',
            onclick: () => this.#choose(name), onkeydown: (event) => this.#step(event),
        }, name)
    }

    #step({ key }) {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[key]
        const names = Object.keys(FIRST_EVENT)
        if (by) this.#choose(names[(names.indexOf(this.#chosen) + by + names.length) % names.length])
    }

    #choose(name) {
        this.#chosen = name
        this.draw()
        this.#place.querySelector('[aria-selected=true]').focus()
    }
}

/** What stands where nothing of what came fits the filters. */
export function drawNothingFits(place, clear) {
    fill(
        place,
        h(
            'div.nothing', {}, h('h2', {}, 'No event fits the filters'),
            h('button', { type: 'button', onclick: clear }, 'Clear filters'),
        ),
    )
}
