import assert from 'node:assert/strict'
import { createServer, connect } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { NAMES, PageTests, rowOf, SLOWNESS, untilShows } from '../testsupport/collector-page.js'
import { afterwards } from '../testsupport/hosts.js'
import { send } from '../testsupport/http.js'
import { analyticsEvent, batchHeaders, sample } from '../testsupport/samples.js'

let tests
before(() => (tests = new PageTests()))
after(() => tests.close())

suite('the stream', () => {
    test('pauses, counts what waits, and goes on', async (t) => {
        const { page, url } = await tests.openCollector(t)
        await tests.event(url, 'A')
        await untilShows(page, 'A')
        await page.press('p')
        await tests.event(url, 'B')
        await tests.event(url, 'C')

        await page.until("document.getElementById('status').textContent === 'Paused, 2 waiting'")
        assert.deepEqual(await page.value(NAMES), ['A'])
        await page.press('p')
        await untilShows(page, 'C', 'B', 'A')
    })

    test('stands still while one reads further down, and says what is new', async (t) => {
        const { page, url } = await tests.openCollector(t)
        for (let i = 0; i < 60; i++) await tests.event(url, `E${i}`)
        await page.until("document.getElementById('shown').textContent === '60 events'")
        await page.value("document.getElementById('grid').scrollTop = 600")
        await page.until("Boolean(document.getElementById('rows').querySelector('[aria-rowindex=\"25\"]'))")
        const top = (name) => page.value(`${rowOf(name)}?.getBoundingClientRect().top`)
        const before = await top('E40')
        await tests.event(url, 'NEW')

        await page.until("document.getElementById('newer').textContent === '↑ 1 new event'")
        await page.until(`${rowOf('E40')}?.getBoundingClientRect().top === ${before}`)
        await page.click('#newer')
        await page.until(`Boolean(${rowOf('NEW')}) && document.getElementById('newer').hidden`)
    })

    test('misses nothing over a reconnect, and shows nothing twice', async (t) => {
        const collector = await startCollector()
        afterwards(t, () => collector.close())
        const gate = await openGate(t, collector.port)
        const page = await tests.open(t, gate.url)
        await tests.event(collector.url, 'A')
        await untilShows(page, 'A')
        gate.refuse()
        gate.cut()
        await page.until("document.getElementById('status').dataset.state === 'reconnecting'")
        await tests.event(collector.url, 'B')
        await tests.event(collector.url, 'C')
        gate.open(collector.port)

        await untilShows(page, 'C', 'B', 'A')
        assert.equal(await page.text('#status'), 'Live')
    })

    test('begins anew with a collector that was started anew', async (t) => {
        const first = await startCollector()
        // The port of the first may be another program's by the time that the second starts.
        const gate = await openGate(t, first.port)
        const page = await tests.open(t, gate.url)
        await tests.event(first.url, 'OLD')
        await untilShows(page, 'OLD')
        first.clear()
        await page.until("document.querySelector('.welcome')")
        await tests.event(first.url, 'NEW')
        await untilShows(page, 'NEW')
        gate.refuse()
        await first.close()
        await page.until("document.getElementById('status').dataset.state === 'reconnecting'")

        const second = await startCollector()
        afterwards(t, () => second.close())
        gate.open(second.port)
        await tests.event(second.url, 'NEXT')
        await page.until(`${NAMES}.includes('NEXT')`)
    })
})

/**
 * A way to a collector that can be shut, and opened again to another. Connections over it can be cut, so that they break
 * as they do when a network goes away.
 */
async function openGate(t, first) {
    const sockets = new Set()
    let port = first
    const server = createServer((socket) => {
        if (port === null) return socket.destroy()
        const onward = connect(port, '127.0.0.1')
        for (const one of [socket, onward]) {
            sockets.add(one)
            one.on('error', () => {}).on('close', () => sockets.delete(one))
        }
        socket.pipe(onward).pipe(socket)
    })
    const refuse = () => (port = null)
    const cut = () => sockets.forEach((socket) => socket.destroy())
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    afterwards(t, () => {
        server.close()
        cut()
    })
    return { url: `http://127.0.0.1:${server.address().port}`, refuse, cut, open: (next) => (port = next) }
}

/**
 * Scrolls from the top to the bottom of the list, from slow steps to leaps over hundreds of rows.
 *
 * @returns {Promise<number[]>} How long each frame was on the screen, in milliseconds.
 */
function scrollThrough(page) {
    return page.value(`new Promise((resolve) => {
        const grid = document.getElementById('grid')
        const frames = []
        let last
        let step = 0
        const draw = (now) => {
            if (step > 1) frames.push(now - last)
            last = now
            grid.scrollTop += step < 120 ? 20 : step < 200 ? 900 : 9000
            if (++step < 240) requestAnimationFrame(draw)
            else resolve(frames)
        }
        grid.scrollTop = 0
        requestAnimationFrame(draw)
    })`)
}

const longest = (list) => Math.round(Math.max(0, ...list))
const median = (list) => Math.round([...list].sort((one, other) => one - other)[list.length >> 1])

suite('ten thousand events', () => {
    test('are drawn as a window of few rows, whatever one does', async (t) => {
        const { collector, url, page: empty } = await tests.openCollector(t)
        await empty.go('about:blank')
        const events = Array.from(
            { length: 50 },
            (_, i) => ({
                ...analyticsEvent('track', i), event: `Event ${i % 7}`,
                properties: { number: i, text: 'some words of text' },
            }),
        )
        for (let batch = 0; batch < 200; batch++) {
            const own = events.map(
                (one, i) => ({
                    ...one,
                    messageId: `17383158${String(batch * 50 + i).padStart(5, '0')}-0b8f6f3e-6a0c-4a5e-9a53-0f3f3a3b6a01`,
                }),
            )
            await send(
                url,
                {
                    ...sample('batch'),
                    headers: { ...sample('batch').headers, ...batchHeaders(own, String(1 + batch * 50)) },
                    body: { batch: own },
                },
            )
        }
        assert.equal(collector.totals().events, 10_000)
        const page = await tests.open(t, 'about:blank', { width: 1440, height: 900 })
        await page.call('Page.addScriptToEvaluateOnNewDocument', { source: `
            window.long = []
            new PerformanceObserver((list) => window.long.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask', buffered: true })` })
        await page.go(url)
        await page.until("document.getElementById('shown').textContent === '10,000 events'")
        const loading = await page.value('window.long.splice(0)')
        const rows = "document.querySelectorAll('.rows .row').length"
        assert.ok(await page.value(rows) < 60)

        // What the page's own thread works, not how long it waits for a processor that others use as well.
        await page.call('Performance.enable', { timeDomain: 'threadTicks' })
        const work = async () => (await page.call('Performance.getMetrics')).metrics.find(
            ({ name }) => name === 'TaskDuration',
        ).value * 1000
        const workBefore = await work()
        const first = await scrollThrough(page)
        const workPerFrame = (await work() - workBefore) / (first.length + 1)
        const limit = 50 * SLOWNESS
        assert.ok(workPerFrame < limit, `${workPerFrame} ms of work a frame`)
        assert.ok(await page.value(rows) < 60)
        assert.ok(await page.value("document.getElementById('grid').scrollTop") > 300_000)
        // By the clock on the wall. A machine that others use as well holds up some frame of each pass, but not the
        // same one each time: what the page itself is slow at, it is slow at in every pass.
        let best = first
        let passes = 1
        for (; longest(best) > limit && passes < 20; passes++) {
            const next = await scrollThrough(page)
            best = best.map((time, i) => Math.min(time, next[i]))
        }
        assert.ok(longest(best) <= limit, `a frame takes ${longest(best)} ms in each of ${passes} passes`)
        const scrolling = await page.value('window.long.splice(0)')
        await page.press('/')
        await page.write('event 3')
        await page.until("document.getElementById('shown').textContent.startsWith('1,4')")
        const searching = await page.value('window.long.splice(0)')

        t.diagnostic(
            `A frame of scrolling through 10,000 events takes ${workPerFrame.toFixed(1)} ms of work on average. `
                + `By the clock ${first.length} frames took ${median(first)} ms in the middle and ${longest(first)} ms at most; `
                + `the best of ${passes} passes, frame by frame, ${longest(best)} ms at most.`,
        )
        t.diagnostic(
            `Tasks over 50 ms: while loading ${loading.length} (longest ${longest(loading)} ms), while scrolling ${scrolling.length} (${longest(scrolling)} ms), while searching ${searching.length} (${longest(searching)} ms).`,
        )
        assert.deepEqual(page.complaints, [])
    })

    test('are kept up to a bound, the oldest are forgotten and it is said', async (t) => {
        const { url, page } = await tests.openCollector(t)
        const events = Array.from(
            { length: 500 },
            (_, i) => ({
                ...analyticsEvent('track', i), event: `E${i % 5}`, context: { library: { name: 'x', version: '1' } },
            }),
        )
        for (let batch = 0; batch < 42; batch++) {
            const own = events.map((one, i) => ({ ...one, messageId: `m-${batch}-${i}` }))
            await send(
                url,
                {
                    ...sample('batch'),
                    headers: { ...sample('batch').headers, ...batchHeaders(own, String(1 + batch * 500)) },
                    body: { batch: own },
                },
            )
        }
        await page.until(
            "/^(19|20),\\d\\d\\d events; [12],\\d\\d\\d older are forgotten$/.test(document.getElementById('shown').textContent)",
        )
    })
})
