import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mock } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startCollector } from '../src/collector/index.js'
import { Browser } from '../testsupport/browser.js'
import { ask, send } from '../testsupport/http.js'
import { batchHeaders, analyticsEvent, sample } from '../testsupport/samples.js'
import { playShop, Visitor } from '../testsupport/shop.js'

/** Makes the pictures of the collector's page that the documentation shows, in Docs/images. */

const IMAGES = fileURLToPath(new URL('../../../Docs/images/', import.meta.url))
const LARGEST = 200_000
const MINUTE = 60_000

/** A day of a shop, as far as the last half hour of it goes: the chart shows it. */
async function playHistory(collector, until) {
    const visitor = await new Visitor(collector.url, 'max').begin()
    for (let minute = 28; minute > 0; minute--) {
        mock.timers.setTime(until - minute * MINUTE)
        const events = 6 + ((minute * 7) % 11)
        for (let i = 0; i < events; i++) {
            const isBad = minute % 6 === 2 && i < 3
            await visitor.track(
                i % 3 === 0 ? 'VIEW_PAGE' : 'PRODUCT_VIEWED', { product: 'Linen shirt', price: 29.9 },
                isBad ? { step: i } : {},
            )
        }
    }
    mock.timers.setTime(until)
}

/** How long the story of the two clients is, in seconds. */
const STORY = 30

/** The account of a client in one second of its story. */
async function postAccount(url, { client, sessionId, second, delivered, queueLength, ...rest }) {
    const debugInfo = {
        lifecycle: 'ready', consent: 'granted', delivering: 'here', sessionId, queueLength, circuitState: 'closed',
        config: { apiUrl: url, xApiKey: '********5678' },
        account: { accepted: delivered + queueLength, delivered, queued: queueLength }, ...rest,
    }
    const at = new Date(Date.now() - (STORY - second) * 1000).toISOString()
    await ask(url, '/accounts', { method: 'POST', body: { client, at, debugInfo } })
}

/** Two clients from their start: one waits out an outage, the other counts what never came here. */
async function playClients(url) {
    const ada = await new Visitor(url, 'ann').begin()
    const ben = await new Visitor(url, 'bob').begin()
    let delivered = 0
    for (let second = 0; second <= STORY; second++) {
        const isOut = second > 14
        if (second > 2 && second % 3 === 0 && !isOut) {
            await ada.track('ADDED_TO_CART', { quantity: second })
            delivered++
        }
        if (second > 2 && second < 8) await ben.track('SEARCHED', { results: second })
        await postAccount(url, {
            client: 'MobileTracker 925, process 4711', sessionId: ada.session, second, delivered,
            queueLength: isOut ? second - 14 : 0,
            ...(isOut && {
                circuitState: 'open', circuitRemainingMs: 4000, lastError: { message: 'The server answered 503.' },
            }),
        })
        const others = Math.max(0, Math.min(second, 7) - 2)
        await postAccount(url, {
            client: 'MobileTracker 925, process 4712', sessionId: ben.session, second, queueLength: 0,
            delivered: others + (second > 20 ? 4 : 0),
        })
    }
}

async function sendBatch(url) {
    const events = ['identify', 'screen', 'track'].map(analyticsEvent)
    await send(
        url,
        {
            ...sample('batch'), headers: { ...sample('batch').headers, ...batchHeaders(events) },
            body: { batch: events },
        },
    )
}

/** Fonts that look the same on every machine; the page itself takes the system's. */
function fonts(folder) {
    const path = join(folder, 'fonts.conf')
    const prefer = (family, font) => `<match target="pattern"><test name="family"><string>${family}</string></test><edit name="family" mode="prepend" binding="strong"><string>${font}</string></edit></match>`
    const families = [
        ['system-ui', 'Inter'], ['sans-serif', 'Inter'], ['ui-monospace', 'JetBrains Mono'],
        ['monospace', 'JetBrains Mono'],
    ]
    writeFileSync(
        path,
        `<?xml version="1.0"?><fontconfig><include>/etc/fonts/fonts.conf</include>${families.map((pair) => prefer(...pair)).join('')}</fontconfig>`,
    )
    return { FONTCONFIG_FILE: path }
}

async function main() {
    for (const font of ['Inter', 'JetBrains Mono']) {
        const found = execFileSync('fc-list', [font], { encoding: 'utf8' })
        if (found === '') throw new Error(`The font ${font} is missing: apt-get install fonts-inter fonts-jetbrains-mono`)
    }
    mkdirSync(IMAGES, { recursive: true })
    const folder = mkdtempSync(join(tmpdir(), 'screenshots-'))
    const collector = await startCollector({ port: 8123 })
    const browser = new Browser(fonts(folder))
    try {
        await takeAll(browser, collector)
    } finally {
        await browser.close()
        await collector.close()
        rmSync(folder, { recursive: true, force: true })
    }
}

async function takeAll(browser, collector) {
    const { url } = collector
    const page = await browser.open(url, { width: 1200, height: 680 })
    const take = async (name) => {
        await page.value('Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})))')
        await page.value('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
        const path = join(IMAGES, `${name}.png`)
        writeFileSync(path, await page.picture())
        const { size } = statSync(path)
        if (size > LARGEST) throw new Error(`${path} has ${size} bytes; ${LARGEST} at most.`)
        process.stdout.write(`${name}.png ${Math.round(size / 1000)} KB\n`)
    }
    /** Opens an event by its name: the newest, the second newest and so on. */
    const open = (name, place = 1) => page.value(
        `[...document.querySelectorAll('.rows .name')].filter(({ textContent }) => textContent === '${name}')[${place - 1}].closest('.row').click()`,
    )

    await page.until("document.querySelector('.welcome')")
    await take('collector-empty')
    const now = Date.now()
    const start = now - 75_000
    mock.timers.enable({ apis: ['Date'], now: start })
    await playHistory(collector, start)
    // A moment passes with each request.
    let played = 0
    const stop = collector.listen(() => mock.timers.setTime(start + ++played * 1730))
    await playShop(collector, { sendBatch: () => sendBatch(url) })
    stop()
    mock.timers.reset()
    await page.until("document.querySelector('.counter.gap b').textContent === '1'")
    await open('CHECKOUT_STARTED')
    await take('collector')
    await page.press('Escape')
    await open('ADDED_TO_CART', 2)
    await page.press('s')
    await take('collector-timeline')
    await page.go(url)
    await page.until("document.querySelector('.counter.gap b').textContent === '1'")
    await page.press('f')
    collector.faults('503×3:retry-after=2, delay=300×always:for=60s')
    await page.until("document.querySelector('#faults-left code')")
    await take('collector-faults')
    await page.press('Escape')
    collector.faults([])
    await page.resize(400, 760)
    await page.scheme(true)
    await take('collector-narrow')
    await page.scheme(false)
    await page.resize(1200, 906)
    collector.clear()
    await page.until("document.querySelector('.welcome')")
    await playClients(url)
    await page.press('c')
    await page.until("document.querySelectorAll('.client').length === 2")
    await take('collector-clients')
}

await main()
