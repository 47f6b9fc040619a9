import { announce, fill, h } from './dom.js'
import { duration } from './format.js'

const PRESETS = [
    {
        label: 'Outage of a minute', script: 'drop-before×always:for=60s',
        help: 'Every connection is cut for 60 s, as if the server were gone.',
    },
    { label: 'Every fifth fails', script: '500×always:every=5', help: 'Each fifth request is answered 500.' },
    {
        label: 'Too many requests', script: '429×3:retry-after=5',
        help: 'The next three are answered 429, with Retry-After: 5.',
    },
    { label: 'Slow network', script: 'delay=300×always', help: 'Every answer takes 300 ms longer.' },
    {
        label: 'No answer', script: 'stall×2',
        help: 'The next two are taken and never answered, until the client gives up.',
    },
    {
        label: 'Answers lost', script: 'drop-after×3',
        help: 'The next three are taken, but their answers never arrive: the client sends them again.',
    },
]

/** Makes requests fail on demand, and shows what is left of it. */
export class Faults {
    #state = { faults: [], faultEnds: [] }
    #help = null
    #left = h('div.left', { id: 'faults-left', 'aria-live': 'polite' })
    #said = h('p.problem', { role: 'alert', hidden: true })
    #script = h(
        'textarea',
        { id: 'fault-script', rows: '3', spellcheck: 'false', placeholder: '500×3, 429:retry-after=2, drop-after' },
    )
    #timer = null
    /** What was asked for last: one thing after another, in the order in which the reader asked. */
    #sending = Promise.resolve()

    /** @param {object} facts What the collector says of its instructions. */
    know({ faultHelp }) {
        this.#help = faultHelp
    }

    /** @param {{ faults: string[], faultEnds: Array<number | null> }} state What is left, and when each of it ends. */
    show(state) {
        this.#state = state
        this.#drawLeft()
    }

    /** @returns {HTMLElement[]} */
    draw() {
        this.#drawLeft()
        return [
            h(
                'p', {},
                'Each request to the backend uses up one time of the first instruction that applies to it. '
                    + 'All others are answered as usual.',
            ),
            h('h3', {}, 'In force'), this.#left,
            h('h3', {}, 'Presets'),
            h('ul.presets', {}, PRESETS.map(({ label, script, help }) => h('li', {},
                h('button', { type: 'button', onclick: () => this.#set(script) },
                    h('b', {}, label), h('code', {}, partsOf(script)), h('span', {}, help))))),
            h('h3', {}, h('label', { for: 'fault-script' }, 'Your own script')),
            this.#script, this.#said,
            h('div.buttons', {},
                h(
                    'button.primary',
                    { type: 'button', id: 'set-faults', onclick: () => this.#set(this.#script.value) }, 'Set',
                ),
                h('button', {
                    type: 'button', id: 'add-faults', onclick: () => this.#set(this.#script.value, '?append=true'),
                }, 'Add to what is left')),
            this.#drawHelp(),
        ]
    }

    #drawHelp() {
        if (!this.#help) return null
        const rows = (pairs, form) => pairs.map(
            ([word, meaning]) => h(
                'tr', {}, h('th', { scope: 'row' }, h('code', {}, form(word))), h('td', {}, meaning),
            ),
        )
        return h('details.reference', {}, h('summary', {}, 'Every instruction'),
            h(
                'p', {}, 'A script is a list, separated by commas or new lines. An instruction is a status such as ',
                h('code', {}, '503'), ' or a word, how often (', h('code', {}, '×3'), ', ', h('code', {}, '×always'),
                '; once if left out), and options. ', h('code', {}, 'delay=200'), ' alone delays a usual answer.',
            ),
            h('table', {}, h('tbody', {},
                rows(this.#help.actions, (word) => word), rows(this.#help.options, (word) => `:${word}=`))))
    }

    #drawLeft() {
        const { faults, faultEnds } = this.#state
        const now = Date.now()
        clearTimeout(this.#timer)
        const next = Math.min(...faultEnds.filter((end) => end !== null))
        if (next !== Infinity) this.#timer = setTimeout(
            () => (Date.now() < next ? this.#drawLeft() : this.#ask()), Math.min(1000, Math.max(100, next - now)),
        )
        if (faults.length === 0) return fill(
            this.#left, h('p.none', {}, 'Nothing fails: every request is answered as usual.'),
        )
        fill(this.#left,
            h('ol.script', {}, faults.map((text, i) => h('li', {}, h('code', {}, text), drawEnd(faultEnds[i], now)))),
            h('button', { type: 'button', id: 'clear-faults', onclick: () => this.#send('DELETE', '') }, faults.length > 1 ? 'End them all' : 'End it'))
    }

    #set(script, query = '') {
        this.#send('POST', query, script)
    }

    async #ask() {
        const response = await fetch('/faults')
        this.show(await response.json())
    }

    #send(method, query, body) {
        this.#sending = this.#sending.then(() => this.#exchange(method, query, body)).catch(() => {
            // The connection is gone; the head of the page says so.
        })
    }

    async #exchange(method, query, body) {
        const response = await fetch(`/faults${query}`, { method, body })
        const answer = await response.json()
        this.#said.hidden = response.ok
        this.#said.textContent = response.ok ? '' : answer.error
        if (!response.ok) return
        announce(answer.faults.length > 0 ? `In force: ${answer.faults.join(', ')}` : 'Nothing fails any more.')
    }
}

/** When an instruction ends by itself. Who listens to the page does not hear each second of it. */
function drawEnd(end, now) {
    if (!end || end <= now) return null
    return h('span.dim', { 'aria-live': 'off' }, `ends by itself in ${duration(Math.ceil((end - now) / 1000) * 1000)}`)
}

/** A script that breaks before its options, if it must. */
function partsOf(script) {
    return script.split(/(?=:)/).map((part) => h('span', {}, part))
}
