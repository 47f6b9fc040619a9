import { fill, h, svg } from './dom.js'
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
    }

    /** @returns {HTMLElement} */
    draw() {
        return this.refresh()
    }

    refresh() {
        if (this.#accounts.size === 0) return fill(this.#place, teach())
        // What is wrong stands first.
        const all = [...this.#accounts].sort(([, one], [, other]) => isDisagreeing(other) - isDisagreeing(one))
        return fill(this.#place, all.map(([client, accounts]) => drawClient(client, accounts)))
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

function drawClient(client, accounts) {
    const { debugInfo, comparison, heard, at } = accounts.at(-1)
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
            ['Last error', debugInfo.lastError?.message], ['Heard of', timeText(Date.parse(at))],
        ].filter(([, value]) => value).map(([name, value]) => [h('dt', {}, name), h('dd', {}, String(value))])))
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
