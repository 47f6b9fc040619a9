import { startCollector } from '@mobiletracker/bridge/collector'
import { Browser, PATIENCE } from './browser.js'
import { afterwards } from './hosts.js'
import { send } from './http.js'
import { sample } from './samples.js'

/** The names in the list, newest first, as an expression in the page. */
export const NAMES = "[...document.querySelectorAll('.rows .row .name')].map((name) => name.textContent)"

/** How much longer than usual a page may take to draw, as `PATIENCE` says. */
export const SLOWNESS = PATIENCE / 30_000

/** One browser, and what every test of the collector's page does with it. */
export class PageTests {
    #browser = new Browser()
    #number = 0

    /** Opens a page that is closed when the test is over. */
    async open(t, url, size) {
        const page = await this.#browser.open(url, size)
        afterwards(t, () => page.close())
        return page
    }

    /** A collector, and its page in the browser, without an event. */
    async openCollector(t, { collector: options, query = '', ...size } = {}) {
        const collector = await startCollector(options)
        afterwards(t, () => collector.close())
        const page = await this.open(t, `${collector.url}/${query}`, size)
        await page.until("document.getElementById('status').textContent === 'Live'")
        return { collector, page, url: collector.url }
    }

    /** Sends an event of a name, as a record of its own. */
    event(url, name, changes = {}, headers = {}) {
        this.#number++
        const request = sample('event')
        const own = { 'Idempotency-Key': `page-${this.#number}`, 'X-Sequence': String(this.#number) }
        return send(
            url,
            {
                ...request, headers: { ...request.headers, ...own, ...headers },
                body: { ...request.body, event_name: name, ...changes },
            },
        )
    }

    close() {
        return this.#browser.close()
    }
}

/** The newest row of that name, as an expression in the page. */
export function rowOf(name) {
    return `[...document.querySelectorAll('.rows .row')].find((row) => row.querySelector('.name').textContent === ${JSON.stringify(name)})`
}

/** Waits until the list shows exactly these, newest first. */
export function untilShows(page, ...names) {
    return page.until(`JSON.stringify(${NAMES}) === ${JSON.stringify(JSON.stringify(names))}`)
}

/** Waits until the list shows all that has come to a collector, and no row moves any more. */
export async function untilShowsAll(page, collector) {
    const { length } = collector.received().flatMap(({ items }) => items)
    await page.until(`document.getElementById('shown').textContent === '${length} events'`)
    // The rows are drawn in the frame after their number.
    await page.value('new Promise(requestAnimationFrame)')
}

/** Opens the newest event of that name. */
export async function openRow(page, name) {
    await page.until(`Boolean(${rowOf(name)})`)
    await page.value(`${rowOf(name)}.click()`)
    await page.until("!document.getElementById('panel').hidden")
}
