import { copy, fill, h } from './dom.js'
import { bytes, plural, timeText } from './format.js'
import { icon } from './icons.js'
import { changesBetween } from './changes.js'
import { payloadOf, pretty } from './payload.js'
import { curlCommand, headerName } from './request.js'
import { drawTree } from './tree.js'
import { verdictPill } from './verdict.js'

const TABS = { payload: 'Payload', request: 'Request', changes: 'Changes', attempts: 'Attempts' }

/** One event, opened. */
export class Detail {
    #store
    #act
    #tab = 'payload'
    #row = null

    /**
     * @param {import('./store.js').Store} store
     * @param {object} act
     * @param {(row: import('./event.js').Row) => void} act.open
     * @param {(field: string, value: string) => void} act.filter
     * @param {(thread: string) => void} act.timeline
     */
    constructor(store, act) {
        this.#store = store
        this.#act = act
    }

    /** @param {import('./event.js').Row} row @returns {HTMLElement[]} */
    draw(row) {
        this.#row = row
        const body = h(
            'div.tab-body', { role: 'tabpanel', id: 'tab-body', tabindex: '0', 'aria-labelledby': `tab-${this.#tab}` },
        )
        const tabs = h('div.tabs', { role: 'tablist', 'aria-label': 'Parts of the event' })
        this.#drawTabs(tabs, body)
        this.#drawBody(body)
        if (row.record.isCut) this.#complete(row, body)
        return [this.#drawFacts(row), h('div.bar', {}, tabs, this.#drawCopy(row)), body]
    }

    #drawCopy(row) {
        const button = h('button.quiet', {
            type: 'button', title: 'Copy the payload', onclick: () => {
                const value = payloadOf(row)
                copy(value === undefined ? row.record.raw : pretty(value), button)
            },
        }, icon('copy'), 'Copy')
        return button
    }

    #drawTabs(tabs, body) {
        const attempts = this.#store.attemptsOf(this.#row).length
        fill(tabs, Object.entries(TABS).map(([name, label]) => {
            const isChosen = name === this.#tab
            const number = name === 'attempts' && attempts > 1 ? h('span.badge', {}, attempts) : null
            return h('button', {
                type: 'button', role: 'tab', id: `tab-${name}`, 'aria-selected': String(isChosen),
                'aria-controls': 'tab-body', tabindex: isChosen ? '0' : '-1',
                onclick: () => this.#choose(name, tabs, body), onkeydown: (event) => this.#step(event, tabs, body),
            }, label, number)
        }))
    }

    #step(event, tabs, body) {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
        if (!by) return
        const names = Object.keys(TABS)
        this.#choose(names[(names.indexOf(this.#tab) + by + names.length) % names.length], tabs, body)
        tabs.querySelector('[aria-selected=true]').focus()
    }

    #choose(name, tabs, body) {
        this.#tab = name
        body.setAttribute('aria-labelledby', `tab-${name}`)
        this.#drawTabs(tabs, body)
        this.#drawBody(body)
    }

    #drawBody(body) {
        const draw = {
            payload: drawPayload, request: drawRequest, changes: (row) => this.#drawChanges(row),
            attempts: (row) => this.#drawAttempts(row),
        }
        fill(body, draw[this.#tab](this.#row))
    }

    #drawFacts(row) {
        const { record, user, thread } = row
        const { headers } = record
        const notes = record.flags.filter(({ kind }) => kind !== 'personal')
        const fact = (name, ...values) => [h('dt', {}, name), h('dd', {}, values)]
        const narrow = (field, value) => h(
            'button.value',
            { type: 'button', title: `Show only this ${field === 'test' ? 'test run' : field}`, onclick: () => this.#act.filter(field, value) }, value,
            icon('filter'),
        )
        return h('dl.facts', {},
            fact(
                'Came', timeText(row.at),
                record.items.length > 1 ? h(
                    'span.dim', {}, ` · ${row.index + 1} of ${record.items.length} in its request`,
                ) : null,
            ),
            user && fact('User', narrow('user', user)),
            thread && fact(row.session ? 'Session' : 'Installation', narrow('session', thread),
                h('button.value',
                    { type: 'button', title: 'Tell its story', onclick: () => this.#act.timeline(thread) },
                    'Timeline', icon('timeline'))),
            headers['x-sequence'] && fact(
                'Sequence', headers['x-sequence'],
                record.stream ? h('span.dim', {}, ` · client ${record.stream}`) : null,
            ),
            record.api && record.api !== 'metaRouter' && fact('API', record.api),
            record.attempt > 1 && fact('Attempt', String(record.attempt)),
            record.fault && fact('Fault', h('code', {}, record.fault)),
            row.plan && fact(
                'Plan',
                row.plan.verdict === 'kept' ? 'kept' : h(
                    'span.problem', {}, 'broken: ', plural(row.plan.reasons.length, 'reason'),
                ),
            ),
            record.test && fact('Test run', narrow('test', record.test)),
            notes.length > 0 && fact('Order', notes.map(({ text }) => h('p.warning', {}, text))),
        )
    }

    #drawChanges(row) {
        const before = this.#store.previousOf(row)
        if (!before) return h('p.none', {}, `No other ${row.title} came before this one.`)
        const changes = changesBetween(before, row)
        const since = h(
            'p.dim', {}, 'Compared with the one at ',
            h('button.link', { type: 'button', onclick: () => this.#act.open(before) }, timeText(before.at)),
            `: ${changes.length === 0 ? 'nothing differs.' : `${plural(changes.length, 'difference')}.`}`,
        )
        return [since, h('ul.changes', {}, changes.map(({ place, before: old, after }) => h('li', {},
            h('span.key', {}, place || 'the whole'),
            old !== null && h('del', {}, old), after !== null && h('ins', {}, after))))]
    }

    #drawAttempts(row) {
        const attempts = this.#store.attemptsOf(row)
        const key = row.record.headers['idempotency-key']
        if (!key) return h(
            'p.none', {}, 'It has no Idempotency-Key, so it is unknown which other requests repeat it.',
        )
        return [
            h('p.dim', {}, 'Idempotency-Key ', h('code', {}, key)),
            h('ol.attempts', {}, attempts.map((other) => this.#drawAttempt(other, other === row))),
        ]
    }

    #drawAttempt(other, isThis) {
        const { fault } = other.record
        const attributes = { type: 'button', disabled: isThis, onclick: () => this.#act.open(other) }
        return h('li', { 'aria-current': isThis ? 'true' : null }, h('button.attempt-line', attributes,
            h('span.time', {}, timeText(other.at)), verdictPill(other), fault && h('code', {}, fault)))
    }

    /** A long body was sent cut short: the rest is requested when the body is shown. */
    async #complete(row, body) {
        const response = await fetch(`/record?seq=${row.record.seq}`)
        if (!response.ok) return
        const { requests } = await response.json()
        row.record = requests[0]
        if (this.#row === row) this.#drawBody(body)
    }
}

function drawPayload(row) {
    const value = payloadOf(row)
    const { record } = row
    if (record.isCut) return h('p.none', {}, 'The body is long; the rest of it is on its way.')
    const { tree, others } = drawTree(value, [...row.problems, ...row.reasons, ...row.personal])
    const problems = others.length > 0 && h(
        'ul.problems', { 'aria-label': 'Problems' }, others.map(({ sentence }) => h('li', {}, sentence)),
    )
    if (record.raw === '') return [problems, h('p.none', {}, 'The request has no body.')]
    if (value === undefined) return [problems, h('pre.raw', { tabindex: '0' }, record.raw)]
    return [problems, tree]
}

function drawRequest({ record }) {
    const curl = h(
        'button.quiet', { type: 'button', onclick: () => copy(curlCommand(record, location.origin), curl) },
        icon('copy'), 'Copy as curl',
    )
    const body = h(
        'button.quiet', { type: 'button', onclick: () => copy(record.raw, body) }, icon('copy'), 'Copy the body',
    )
    const plain = record.plainSize === record.size ? '' : ` on the wire, ${bytes(record.plainSize)} decompressed`
    const sizes = bytes(record.size) + plain
    return [
        h(
            'p.request-line', {}, h('b', {}, record.method), ' ', record.path,
            h('span.answer', {}, record.status === null ? 'no answer' : `answered ${record.status}`),
        ),
        h(
            'dl.headers', {},
            Object.entries(record.headers).map(([name, value]) => [h('dt', {}, headerName(name)), h('dd', {}, value)]),
        ),
        h('div.buttons', {}, record.raw !== '' && body, curl, h('span.dim', {}, record.raw === '' ? 'no body' : sizes)),
        record.raw !== '' && h('pre.raw', { tabindex: '0', 'aria-label': 'Body' }, record.raw),
    ]
}
