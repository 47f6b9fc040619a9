import { announce, fill, h, svg } from './dom.js'
import { count, duration, timeText } from './format.js'

/** How many accounts of a client are kept to draw its queue. */
const SAMPLES = 60

/** An account is posted once a second; one older than this means that the client has ended. */
const STALE = 5000

const STATES = {
    agrees: ['good', 'Agrees with what came'], differs: ['problem', 'Disagrees with what came'],
    waiting: ['plain', 'Not compared yet'],
}

/** Who delivers the events of a client, in words. */
const DELIVERING = {
    here: 'delivers itself', elsewhere: 'another process delivers', waiting: 'waits to deliver',
}

/** The last account of each client, beside what came from it. */
export class Clients {
    /** Client to its last accounts, oldest first. @type {Map<string, object[]>} */
    #accounts = new Map()
    #place = h('div.clients')
    /** The button of each client with refused events: the same one, or a click on it would miss. @type {Map<string, HTMLElement>} */
    #buttons = new Map()

    get size() {
        return this.#accounts.size
    }

    /** How many clients' accounts do not agree with what came. */
    get disagreeing() {
        return [...this.#accounts.values()].filter(isDisagreeing).length
    }

    /** Whether some client has posted nothing for a while: the shown time must keep growing. */
    get isSilent() {
        return [...this.#accounts.values()].some((accounts) => Date.now() - accounts.at(-1).heard > STALE)
    }

    add(account) {
        const accounts = [
            ...(this.#accounts.get(account.client) ?? []), { ...account, heard: Date.now() },
        ].slice(-SAMPLES)
        this.#accounts.set(account.client, accounts)
    }

    clear() {
        this.#accounts.clear()
        this.#buttons.clear()
    }

    /** @returns {HTMLElement} */
    draw() {
        return this.refresh()
    }

    refresh() {
        if (this.#accounts.size === 0) return fill(this.#place, teach())
        // What is wrong stands first.
        const all = [...this.#accounts].sort(([, one], [, other]) => isDisagreeing(other) - isDisagreeing(one))
        if (this.#place.querySelector('button:active')) return this.#place
        const focused = this.#place.contains(document.activeElement) ? document.activeElement : null
        fill(this.#place, all.map(([client, accounts]) => drawClient(client, accounts, () => this.#buttonOf(client))))
        focused?.focus()
        return this.#place
    }

    #buttonOf(client) {
        if (!this.#buttons.has(client)) {
            this.#buttons.set(client, h('button', { type: 'button', onclick: () => askRetry(client) }, 'Retry'))
        }
        return this.#buttons.get(client)
    }
}

/** Has the client queue its refused events again: the answer to its next account tells it. */
async function askRetry(client) {
    try {
        const { ok } = await fetch('/accounts/retry', { method: 'POST', body: JSON.stringify({ client }) })
        if (ok) announce(`${client} queues its refused events again.`)
    } catch {
        // The connection is gone; the head of the page says so.
    }
}

function isDisagreeing(accounts) {
    return accounts.at(-1).comparison?.state === 'differs'
}

function teach() {
    return [
        h('p.none', {}, 'No client has posted its account.'),
        h(
            'p', {}, 'A Node client that is started with ', h('code', {}, 'collectorPanel: true'),
            ', or a Swift client with ', h('code', {}, 'DeliveryOptions(collectorPanel: true)'),
            ', posts its account once a second. Here you see its queue, its circuit breaker and its counts, and '
                + 'whether they agree with what came.',
        ),
        h(
            'pre.code', { tabindex: '0' },
            'const tracker = createTracker({ collectorPanel: true })\n'
                + `await tracker.init('925', { apiUrl: '${location.origin}', xApiKey: 'test-key' })`,
        ),
    ]
}

function drawClient(client, accounts, button) {
    const { debugInfo, comparison, heard, at, refused } = accounts.at(-1)
    const silence = Date.now() - heard
    const [style, words] = STATES[comparison?.state] ?? STATES.waiting
    const { account = {} } = debugInfo
    return h('article.client', { class: silence > STALE ? 'client stale' : 'client' },
        h('header', {}, h('h3', {}, client), h(`span.pill.${style}`, {}, words)),
        comparison && h(comparison.state === 'differs' ? 'p.problem' : 'p.dim', {}, comparison.text),
        silence > STALE && h(
            'p.warning', {},
            `It has posted nothing for ${duration(silence)}: it has ended, or its event loop is blocked.`,
        ),
        h('dl.gauges', {},
            gauge(
                'Queue', count(debugInfo.queueLength ?? 0),
                sparkline(accounts.map(({ debugInfo: info }) => info.queueLength ?? 0)),
            ),
            gauge('Breaker', breaker(debugInfo), null, debugInfo.circuitState === 'open' ? 'bad' : ''),
            gauge('Tracked', rate(accounts, 'accepted')),
            gauge('Delivered', rate(accounts, 'delivered'))),
        h('dl.facts', {}, [
            ['State', stateOf(debugInfo)], ['Session', debugInfo.sessionId],
            ['Account', termsOf(account)], ['Dropped', termsOf(account.dropped)], [
                'Refused', termsOf(debugInfo.refused),
            ],
            ['Halted', haltText(debugInfo.halted)],
            ['Last error', debugInfo.lastError?.message], ['Heard of', timeText(Date.parse(at))],
        ].filter(([, value]) => value).map(([name, value]) => [h('dt', {}, name), h('dd', {}, String(value))])),
        debugInfo.refusedEvents?.count > 0 && drawRefused(debugInfo.refusedEvents, refused, silence > STALE || refused.length === 0 ? null : button()))
}

/** What a server has refused for good: how much, why, and the last of it with the answers. */
function drawRefused({ count: all, reasons }, events, button) {
    return h('section.refused', {},
        h('header', {}, h('h4', {}, `Kept apart: ${termsOf(reasons)}`), button),
        h('ul', {}, events.toReversed().map(({ event, call, status, answer, messageId }) => h('li', {},
            h('b', {}, event ?? call), ` ${status ?? ''} `, h('code', {}, messageId), answer && h('p.dim', {}, answer)))),
        all > events.length && h('p.dim', {}, `and ${count(all - events.length)} before them`))
}

/** `127.0.0.1:8123 answered 401, since 09:30:00, next try in 4 min` */
function haltText(halted) {
    if (!halted) return null
    const { reason, since, nextTryInMs } = halted
    const next = nextTryInMs === null ? 'no try until it is initialised again' : `next try in ${duration(nextTryInMs)}`
    const at = Date.parse(since)
    return `${reason}, since ${Number.isNaN(at) ? since : timeText(at)}, ${next}`
}

function gauge(name, value, drawing, style = '') {
    return h('div', { class: `gauge ${style}` }, h('dt', {}, name), h('dd', {}, value), drawing)
}

/** `ready, consent granted, delivers here` */
function stateOf({ lifecycle, consent, delivering }) {
    return [lifecycle, consent && `consent ${consent}`, DELIVERING[delivering]].filter(Boolean).join(', ')
}

function breaker({ circuitState, circuitRemainingMs }) {
    if (!circuitState) return '–'
    return circuitState === 'open' && circuitRemainingMs > 0 ? `open, ${duration(circuitRemainingMs)}` : circuitState
}

/** How fast a term of the account grows, over the last accounts. */
function rate(accounts, term) {
    const recent = accounts.slice(-6)
    const [first, last] = [recent[0], recent.at(-1)]
    const seconds = (Date.parse(last.at) - Date.parse(first.at)) / 1000
    const grown = (last.debugInfo.account?.[term] ?? 0) - (first.debugInfo.account?.[term] ?? 0)
    if (!(seconds > 0) || grown < 0) return '–'
    const perSecond = grown / seconds
    return `${count(perSecond < 10 ? Math.round(perSecond * 10) / 10 : Math.round(perSecond))}/s`
}

/** The numbers of an object: `accepted 12, delivered 12`. */
function termsOf(terms) {
    const numbers = Object.entries(terms ?? {}).filter(([, value]) => typeof value === 'number' && value > 0)
    return numbers.map(([name, value]) => `${name} ${count(value)}`).join(', ')
}

function sparkline(values) {
    const highest = Math.max(1, ...values)
    const points = values.map(
        (value, i) => `${((SAMPLES - values.length + i) / (SAMPLES - 1)) * 100},${19 - (value / highest) * 18}`,
    )
    return svg(
        'svg', { viewBox: '0 0 100 20', class: 'sparkline', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
        svg('polyline', { points: points.join(' ') }),
    )
}
