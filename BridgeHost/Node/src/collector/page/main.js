import { Chart } from './chart.js'
import { Clients } from './clients.js'
import { Counters } from './counters.js'
import { Detail } from './detail.js'
import { announce, h } from './dom.js'
import { save } from './export.js'
import { Faults } from './faults.js'
import { FilterBar } from './filter-bar.js'
import { emptyView, isEmptyView, matcherOf, matching, viewFrom, writeView } from './filters.js'
import { count, plural, short } from './format.js'
import { icon } from './icons.js'
import { Panel } from './panel.js'
import { RowList } from './rows.js'
import { Store } from './store.js'
import { listen } from './stream.js'
import { Timeline } from './timeline.js'
import { Toolbar } from './toolbar.js'
import { verdictPill } from './verdict.js'
import { drawNothingFits, Welcome } from './welcome.js'

const at = (id) => document.getElementById(id)

/** How often what need not be drawn at once is drawn, in milliseconds. */
const SLOW = 250

/** The page: what came, which part of it is shown, and what lies beside it. */
class Page {
    store = new Store()
    view = viewFrom(new URLSearchParams(location.search))
    /** The rows that fit the view, oldest first. While the list is paused, those that did when it was. */
    shown = []
    isPaused = false
    connection = 'connecting'
    #waiting = 0
    #unseen = 0
    #search = new AbortController()
    #isStale = true
    /** An event that the URL names and that has not come yet. */
    #wanted = new URLSearchParams(location.search).get('event')
    #thread = new URLSearchParams(location.search).get('timeline')
    #opened = null

    constructor() {
        const act = {
            open: (row) => this.open(row),
            filter: (field, value) => this.look({ ...this.view, [field]: value }),
            timeline: (thread) => this.openTimeline(thread),
        }
        this.list = new RowList(at('grid'), at('rows'), { open: act.open, scroll: () => this.#scrolled() })
        this.panel = new Panel(at('panel'), () => this.#closed())
        this.detail = new Detail(this.store, act)
        this.timeline = new Timeline(this.store, act)
        this.faults = new Faults()
        this.clients = new Clients()
        this.chart = new Chart(at('chart'))
        this.counters = new Counters(at('counters'), (verdicts) => this.look({ ...this.view, verdicts }))
        this.filters = new FilterBar(at('filters'), (view) => this.look(view ?? emptyView()))
        this.welcome = new Welcome(at('empty'))
        this.toolbar = new Toolbar({
            pause: () => this.#pause(),
            faults: () => this.#openTool('faults', 'Faults', () => this.faults.draw()),
            clients: () => this.#openTool('clients', 'Clients', () => [this.clients.draw()]),
            export: async () => announce(`${plural(await save(this.shown), 'request')} saved.`),
            clear: () => fetch('/clear', { method: 'POST' }),
        })
    }

    start() {
        this.#listenForKeys()
        this.#drawSlow()
        setInterval(() => this.#drawSlow(), SLOW)
        this.list.show(this.shown)
        this.#drawShown()
        listen({
            connection: (state) => this.#connected(state),
            hello: (facts) => this.faults.know(facts),
            restart: () => this.#restart(),
            records: (records) => this.#take(records),
            state: (state) => this.#stateCame(state),
            account: (account) => this.#accountCame(account),
        })
    }

    /** Shows another part of what came, and says so in the URL. */
    look(view) {
        this.view = view
        this.#writeURL()
        this.#refilter()
    }

    open(row) {
        this.#opened = row
        this.#thread = null
        this.list.selected = row
        const older = h(
            'button.tool.bare',
            {
                type: 'button', 'aria-label': 'The next older event', title: 'The next older event (j)',
                onclick: () => this.#step(1),
            },
            icon('down'),
        )
        const newer = h(
            'button.tool.bare',
            {
                type: 'button', 'aria-label': 'The next newer event', title: 'The next newer event (k)',
                onclick: () => this.#step(-1),
            },
            icon('up'),
        )
        this.panel.show(
            'event',
            [
                h('span.name', { title: row.title }, row.title),
                h('span.what', {}, h('span.tag', { 'data-kind': row.kind }, row.kind), verdictPill(row)),
            ],
            this.detail.draw(row), [newer, older],
        )
        this.#writeURL()
    }

    openTimeline(thread) {
        this.#opened = null
        this.#thread = thread
        this.panel.show(
            'timeline', ['Timeline ', h('code', { title: thread }, short(thread))], this.timeline.draw(thread),
        )
        this.#writeURL()
    }

    #openTool(what, title, draw) {
        if (this.panel.shows === what) return this.panel.close()
        this.#opened = null
        this.#thread = null
        this.panel.show(what, title, draw())
        this.#writeURL()
    }

    #listenForKeys() {
        this.toolbar.listenForKeys({
            j: () => this.#step(1), k: () => this.#step(-1),
            Enter: () => this.list.selected && this.open(this.list.selected),
            Escape: () => this.panel.close(), '/': () => this.filters.focus(), x: () => this.look(emptyView()),
            s: () => this.list.selected?.thread && this.openTimeline(this.list.selected.thread),
        })
        at('newer').addEventListener('click', () => this.list.toTop())
        at('grid').addEventListener('keydown', (event) => {
            const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
            if (!by) return
            event.preventDefault()
            this.#step(by)
        })
    }

    #step(by) {
        const row = this.list.move(by)
        if (row && this.panel.shows === 'event') this.open(row)
    }

    #take(records) {
        const { added, dropped } = this.store.add(records)
        this.#isStale = true
        this.#openWanted()
        if (dropped && !this.isPaused) return this.#refilter()
        const matches = matcherOf(this.view)
        const fitting = added.filter(matches)
        if (this.isPaused) {
            this.#waiting += fitting.length
            return this.#drawStatus()
        }
        this.shown.push(...fitting)
        if (!this.list.isAtTop) this.#unseen += fitting.length
        this.list.grown(fitting.length)
        this.#drawShown()
    }

    async #refilter() {
        this.#search.abort()
        this.#search = new AbortController()
        this.#isStale = true
        this.#drawSlow()
        const found = await matching(this.store.rows, this.view, this.#search.signal)
        if (!found) return
        this.#waiting = 0
        this.#unseen = 0
        this.shown = found
        this.list.show(found)
        this.#drawShown()
        this.#drawStatus()
    }

    #restart() {
        this.store.clear()
        this.clients.clear()
        this.list.selected = null
        if (['event', 'timeline'].includes(this.panel.shows)) this.panel.close()
        this.#refilter()
    }

    #pause() {
        this.isPaused = !this.isPaused
        this.#drawStatus()
        if (!this.isPaused) this.#refilter()
    }

    #connected(state) {
        this.connection = state
        this.#drawStatus()
    }

    #stateCame(state) {
        this.faults.show(state)
        const { length } = state.faults
        this.toolbar.mark('faults', length, length > 0 ? 'active' : '', `${plural(length, 'instruction')} in force`)
    }

    #accountCame(account) {
        this.clients.add(account)
        const { size, disagreeing } = this.clients
        if (disagreeing > 0) this.toolbar.mark('clients', disagreeing, 'bad', `${disagreeing} of ${size} disagree`)
        else this.toolbar.mark('clients', size, '', `${plural(size, 'client')} heard of`)
        if (this.panel.shows === 'clients') this.clients.refresh()
    }

    #scrolled() {
        if (this.list.isAtTop) this.#unseen = 0
        this.#drawShown()
    }

    /** Opens what the URL names once it has come. */
    #openWanted() {
        const row = this.#wanted && this.store.find(this.#wanted)
        if (row) {
            this.#wanted = null
            this.open(row)
        } else if (this.#thread && this.panel.shows === null) {
            if (this.store.rows.some(({ thread }) => thread === this.#thread)) this.openTimeline(this.#thread)
        }
    }

    #closed() {
        this.#opened = null
        this.#thread = null
        this.#writeURL()
    }

    #writeURL() {
        const query = new URLSearchParams()
        writeView(this.view, query)
        if (this.#opened ?? this.#wanted) query.set('event', this.#opened?.key ?? this.#wanted)
        if (this.#thread) query.set('timeline', this.#thread)
        const text = query.size > 0 ? `?${query}` : ''
        if (text !== location.search) history.replaceState(null, '', location.pathname + text)
    }

    /** What changes with everything that comes, but is not worth a frame each time. */
    #drawSlow() {
        this.chart.show(this.store.minutes)
        if (this.panel.shows === 'clients' && this.clients.isSilent) this.clients.refresh()
        if (!this.#isStale) return
        this.#isStale = false
        this.counters.show(this.store.counts, this.view.verdicts)
        this.filters.show(this.view, this.store.seen, isEmptyView(this.view))
        if (this.panel.shows === 'timeline') this.panel.refresh(this.timeline.draw(this.#thread))
    }

    #drawStatus() {
        this.toolbar.showStatus(this.connection, this.isPaused, this.#waiting)
    }

    #drawShown() {
        const { length } = this.store.rows
        const isEmpty = this.shown.length === 0
        at('newer').hidden = this.#unseen === 0
        at('newer').textContent = `↑ ${plural(this.#unseen, 'new event')}`
        const forgotten = this.store.forgotten > 0 ? `; ${count(this.store.forgotten)} older are forgotten` : ''
        const part = isEmptyView(this.view) ? '' : `${count(this.shown.length)} of `
        at('shown').textContent = part + plural(length, 'event') + forgotten
        const kind = !isEmpty ? '' : length === 0 ? 'welcome' : 'nothing'
        if (at('empty').dataset.kind === kind) return
        at('empty').dataset.kind = kind
        at('empty').hidden = kind === ''
        at('grid').hidden = kind !== ''
        if (kind === 'welcome') this.welcome.draw()
        else if (kind === 'nothing') drawNothingFits(at('empty'), () => this.look(emptyView()))
    }
}

const page = new Page()
page.start()
