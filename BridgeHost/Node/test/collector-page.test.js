import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { promisify } from 'node:util'
import { NAMES, openRow, PageTests, rowOf, SLOWNESS, untilShows, untilShowsAll } from '../testsupport/collector-page.js'
import { PATIENCE } from '../testsupport/browser.js'
import { freshFolder } from '../testsupport/hosts.js'
import { send } from '../testsupport/http.js'
import { analyticsEvent, batchHeaders, sample } from '../testsupport/samples.js'
import { playShop, Visitor } from '../testsupport/shop.js'
import { checkSwift, withoutModules } from '../testsupport/swift.js'

let tests
before(() => (tests = new PageTests()))
after(() => tests.close())

suite('the page', () => {
    test('shows an event the moment it comes', async (t) => {
        const { page, url } = await tests.openCollector(t)
        const delays = []
        const limit = 200 * SLOWNESS
        // A machine that others use as well may be late now and then, but not always.
        const end = performance.now() + PATIENCE
        do {
            const name = `PURCHASE_${delays.length}`
            await page.value(`void (window.seen = new Promise((resolve) => new MutationObserver(() => {
                if (${rowOf(name)}) requestAnimationFrame(() => resolve(Date.now()))
            }).observe(document.getElementById('rows'), { childList: true, subtree: true, characterData: true })))`)
            const sent = Date.now()
            await tests.event(url, name)
            delays.push(await page.value('window.seen') - sent)
        } while (delays.at(-1) > limit && performance.now() < end)

        t.diagnostic(`An event is on the screen ${delays.at(-1)} ms after it was sent; before it: ${delays.slice(0, -1)}`)
        assert.ok(delays.at(-1) <= limit, `${delays} ms`)
        assert.equal((await page.value(NAMES))[0], `PURCHASE_${delays.length - 1}`)
        assert.deepEqual(page.complaints, [])
    })

    test('shows what came', async (t) => {
        const { page, url } = await tests.openCollector(t, { width: 1600 })
        await tests.event(url, 'PURCHASE', { data: { total: 149.99, currency: 'EUR' } })
        await page.until(`Boolean(${rowOf('PURCHASE')})`)

        const cells = await page.value(
            `[...${rowOf('PURCHASE')}.children].map((cell) => cell.innerText.replace(/\\s+/g, ' ').trim())`,
        )
        assert.match(cells[0], /^\d\d:\d\d:\d\d\.\d{3}$/)
        assert.deepEqual(
            cells.slice(1),
            ['event', 'PURCHASE total 149.99 currency EUR', '', sample('event').body.session_id, '200', ''],
        )
    })

    test('shows the user of an event, and how often it was tried', async (t) => {
        const { page, url, collector } = await tests.openCollector(t, { width: 1600 })
        collector.faults('503')
        for (let i = 0; i < 2; i++) await send(url, sample('profile'))
        // The first attempt may be on the page before the second.
        await page.until(`${rowOf('Profile')}?.querySelector('.attempt').innerText.trim() === '2×'`)

        const cells = await page.value(`['user', 'verdict', 'attempt'].map((part) => ${rowOf('Profile')}.querySelector('.' + part).innerText.trim())`)
        assert.deepEqual(cells, [sample('profile').body.user_id, '200', '2×'])
    })

    test('draws good and bad by minute', async (t) => {
        const { page, url } = await tests.openCollector(t)
        await tests.event(url, 'A')
        await tests.event(url, 'B', { brand_id: '925' })
        await page.until("document.querySelector('#chart svg').getAttribute('aria-label').includes('1 good, 1 bad')")

        const bars = await page.value(
            "[...document.querySelectorAll('#chart g')].map((bar) => [...bar.querySelectorAll('rect')].map((part) => [part.getAttribute('class'), Number(part.getAttribute('height')) > 0]))",
        )
        // Both came in the same minute, or the clock went on between them.
        assert.ok(bars.length >= 1 && bars.flat().some(([part, isDrawn]) => part === 'bad' && isDrawn))
        assert.equal(await page.value("document.querySelectorAll('#chart g, #chart svg > rect').length"), 30)
    })

    test('shows each event of a batch, with its own problems', async (t) => {
        const { page, url } = await tests.openCollector(t)
        const events = ['track', 'screen'].map(analyticsEvent)
        delete events[1].timestamp
        await send(
            url,
            {
                ...sample('batch'), headers: { ...sample('batch').headers, ...batchHeaders(events) },
                body: { batch: events },
            },
        )

        await untilShows(page, 'Home', 'Signed Up')
        const verdicts = await page.value(
            "[...document.querySelectorAll('.rows .verdict')].map((cell) => cell.textContent)",
        )
        assert.deepEqual(verdicts.sort(), ['1 problem', '200'])
    })

    test('opens an event to its payload, each problem at its member', async (t) => {
        const { page, url } = await tests.openCollector(t)
        await tests.event(url, 'CHECKOUT', { brand_id: '925', data: { big: 1 }, step: { name: 'pay' } })
        await openRow(page, 'CHECKOUT')

        const at = "[...document.querySelectorAll('.tree li.bad')].map((line) => line.innerText.replace(/\\s+/g, ' '))"
        assert.deepEqual(
            await page.value(at),
            [
                'brand_id: "925" is "925"; it must be a number without quotes.',
                'step {1} does not belong here. name: "pay"',
            ],
        )
    })

    test('shows which events keep to a plan and which break it, at the member', async (t) => {
        const data = { properties: { plan: { enum: ['free', 'pro'] } }, required: ['plan'] }
        const { page, url } = await tests.openCollector(
            t, { collector: { plan: { events: { SIGN_UP: { data }, 'Signed Up': { data } } } } },
        )
        await tests.event(url, 'SIGN_UP', { data: { plan: 'pro' } })
        await tests.event(url, 'SIGN_UP', { data: { plan: 'gold' } })
        const batch = ['pro', 'gold'].map((plan, i) => ({ ...analyticsEvent('track', i), properties: { plan } }))
        await send(
            url,
            { ...sample('batch'), headers: { ...sample('batch').headers, ...batchHeaders(batch) }, body: { batch } },
        )
        await untilShows(page, 'Signed Up', 'Signed Up', 'SIGN_UP', 'SIGN_UP')

        assert.deepEqual(
            await page.value(
                "[...document.querySelectorAll('.rows .verdict')].map((cell) => cell.innerText.replace(/\\s+/g, ' '))",
            ),
            ['breaks the plan', '200 kept', 'breaks the plan', '200 kept'],
        )
        for (const name of ['Signed Up', 'SIGN_UP']) {
            await openRow(page, name)
            await page.until(`document.querySelector('.panel h2 .name').textContent === '${name}'`)
            assert.match(await page.text('.tree li.bad .note'), /gold/)
        }
        await page.click('.counter.kept')
        await untilShows(page, 'Signed Up', 'SIGN_UP')
    })

    test('keeps the spelling of numbers', async (t) => {
        const { page, url } = await tests.openCollector(t)
        const { body, ...request } = sample('event')
        await send(url, { ...request, body: JSON.stringify(body).replace('149.99', '12345678901234567890') })
        await openRow(page, 'PURCHASE')

        assert.match(await page.text('.tree'), /total: 12345678901234567890/)
    })

    test('shows the request with its headers, the key masked', async (t) => {
        const { page, url } = await tests.openCollector(t)
        await tests.event(url, 'PURCHASE')
        await openRow(page, 'PURCHASE')
        await page.click('#tab-request')

        const text = await page.text('#tab-body')
        assert.match(text, /POST \/v2\/tracking-session-data\s*answered 200/)
        assert.match(text, /X-Api-Key\s+\*{12}5678/)
        assert.match(text, /"event_name":"PURCHASE"/)
    })

    test('shows what differs from the last event of the same name', async (t) => {
        const { page, url } = await tests.openCollector(t)
        await tests.event(url, 'A', { data: { same: 1, gone: true, total: 5 } })
        await tests.event(url, 'B', { data: { total: 7 } })
        await tests.event(url, 'A', { data: { same: 1, total: 6, added: [1] } })
        await untilShows(page, 'A', 'B', 'A')
        await openRow(page, 'A')
        await page.click('#tab-changes')

        const changes = await page.value(
            "[...document.querySelectorAll('.changes li')].map((line) => [...line.children].map((part) => `${part.tagName} ${part.textContent}`).join(' '))",
        )
        assert.deepEqual(
            changes.sort(), ['SPAN data.added[0] INS 1', 'SPAN data.gone DEL true', 'SPAN data.total DEL 5 INS 6'],
        )
    })

    test('shows the earlier attempts under the same key', async (t) => {
        const { page, url, collector } = await tests.openCollector(t)
        collector.faults('503,drop-after')
        for (let i = 0; i < 3; i++) await tests.event(
            url, 'A', {}, { 'Idempotency-Key': 'order-1', 'X-Sequence': '1' },
        ).catch(() => {})
        await untilShows(page, 'A', 'A', 'A')
        await page.click('.rows .row[aria-rowindex="2"]')
        await page.click('#tab-attempts')

        assert.deepEqual(
            await page.value("[...document.querySelectorAll('.attempts .pill')].map((pill) => pill.textContent)"),
            ['refused 503', 'answer lost', 'repeat'],
        )
    })

    test('asks for the rest of a long body once it is shown', async (t) => {
        const { page, url } = await tests.openCollector(t)
        await tests.event(url, 'LONG', { data: { text: 'x'.repeat(100_000), last: 'here' } })
        await openRow(page, 'LONG')

        await page.until("document.querySelector('.tree')?.innerText.includes('last: \"here\"')")
    })

    test('counts, flags gaps and repeats, and shows only those on demand', async (t) => {
        const { page, url } = await tests.openCollector(t)
        const visitor = await new Visitor(url, 'ada').begin()
        await visitor.track('A', {})
        await visitor.again()
        visitor.skip()
        await visitor.track('B', {})
        await page.until(
            "document.querySelector('.counter.gap b').textContent === '1' && document.querySelector('.counter.repeat b').textContent === '1'",
        )
        await page.click('.counter.gap')

        await untilShows(page, 'B')
        assert.match(await page.text('.rows .row .verdict'), /gap/)
        assert.equal(await page.value('location.search'), '?verdict=gap')
    })

    test('shows the timeline of a session', async (t) => {
        const { page, url, collector } = await tests.openCollector(t)
        await playShop(collector, { sendBatch: () => send(url, sample('batch')) })
        await untilShowsAll(page, collector)
        await page.click('.rows .row[aria-rowindex="4"]')
        await page.press('s')
        await page.until("document.querySelector('.story')")

        const steps = await page.value("[...document.querySelectorAll('.story .text')].map((text) => text.textContent)")
        assert.deepEqual(steps, [
            'A session began', 'Looked at Home', 'PRODUCT_VIEWED', 'Looked at Cart', 'PRODUCT_VIEWED', 'Was recognised as customer-17',
            'The profile of customer-17 was set', 'ADDED_TO_CART', 'Looked at Checkout', 'PURCHASE',
        ])
        assert.equal(await page.text('.story li:last-child .note'), 'sent 2 times')
    })

    test('shows a reset between two sessions of a client', async (t) => {
        const { page, url } = await tests.openCollector(t)
        const visitor = await new Visitor(url, 'ada').begin()
        await visitor.track('BEFORE', {})
        await visitor.renew('bob')
        await visitor.track('AFTER', {})
        await untilShows(page, 'AFTER', 'Session', 'BEFORE', 'Session')
        await openRow(page, 'AFTER')
        await page.press('s')
        await page.until("document.querySelector('.step.end')")

        assert.match(await page.text('.step.end'), /Probably a reset: everything about the person was forgotten/)
        const guess = await page.value("document.querySelector('.step.end button').title")
        assert.equal(guess, 'The same client went on, as another device or person and in another session. No request says why.')
        await page.click('.step.end button')
        await page.until("document.querySelector('.story').innerText.includes('BEFORE')")
    })

    test('teaches when nothing has come, with its own address', async (t) => {
        const { page, url } = await tests.openCollector(t)

        for (const name of ['Node', 'Swift', 'Python', 'curl']) {
            await page.click(`#lines-${name}`)
            assert.ok((await page.text('#lines')).includes(url), name)
        }
        await promisify(execFile)('sh', ['-c', await page.text('#lines')])
        await untilShows(page, 'PURCHASE')
    })
})

suite('the lines that the empty page teaches', () => {
    test('compile in Swift', { skip: withoutModules }, async (t) => {
        const { page } = await tests.openCollector(t)
        await page.click('#lines-Swift')
        const text = await page.text('#lines')
        const program = join(freshFolder(t), 'main.swift')
        writeFileSync(program, text)

        assert.equal(checkSwift(program), '')
    })
})

suite('filters', () => {
    test('are in the URL, so that a view is a link', async (t) => {
        const { page, url } = await tests.openCollector(t)
        for (const [name, session] of [['A', 's1'], ['B', 's1'], ['A', 's2']]) await tests.event(
            url, name, { session_id: session, data: { colour: `${name}-blue` } },
        )
        await untilShows(page, 'A', 'B', 'A')
        await page.press('/')
        await page.write('b-blue')
        await untilShows(page, 'B')
        assert.equal(await page.value('location.search'), '?q=b-blue')

        await page.go(`${url}/?name=A&session=s2`)
        await untilShows(page, 'A')
        assert.deepEqual(
            await page.value("['name', 'session'].map((field) => document.getElementById(`filter-${field}`).value)"),
            ['A', 's2'],
        )
        assert.equal(await page.text('#shown'), '1 of 3 events')
        await page.click('#clear-filters')
        await untilShows(page, 'A', 'B', 'A')
        assert.equal(await page.value('location.search'), '')
    })

    test('by kind, user and verdict', async (t) => {
        const { page, url, collector } = await tests.openCollector(t)
        for (const kind of ['event', 'profile', 'batch', 'basic']) await send(url, sample(kind))
        collector.faults('500')
        await tests.event(url, 'FAILED')
        await page.until(`Boolean(${rowOf('FAILED')})`)

        for (const [query, names] of [
            ['kind=profile', ['Profile']], [
                'user=u1&kind=identify', ['Identify', 'Identify'],
            ], ['verdict=refused', ['FAILED']],
            ['verdict=refused&kind=profile', []], ['q=signed+up', ['Signed Up']],
        ]) {
            await page.go(`${url}/?${query}`)
            await untilShows(page, ...names)
        }
        await page.until("document.querySelector('.nothing') === null || document.querySelector('.empty').hidden")
    })

    test('by test run, which is offered once there is one', async (t) => {
        const { page, url } = await tests.openCollector(t)
        await tests.event(url, 'A')
        await untilShows(page, 'A')
        assert.ok(await page.value("document.getElementById('filter-test').hidden"))
        for (const run of ['one', 'two']) await tests.event(url, `OF_${run}`, {}, { 'X-Test-Id': run })
        await page.until("!document.getElementById('filter-test').hidden")
        await openRow(page, 'OF_two')
        await page.click('.facts [title="Show only this test run"]')

        await untilShows(page, 'OF_two')
        assert.equal(await page.value("new URLSearchParams(location.search).get('test')"), 'two')
        await page.go(`${url}/?test=one`)
        await untilShows(page, 'OF_one')
        assert.equal(await page.value("document.getElementById('filter-test').value"), 'one')
    })

    test('an opened event is in the URL too', async (t) => {
        const { page, url } = await tests.openCollector(t)
        await tests.event(url, 'A')
        await tests.event(url, 'B')
        await openRow(page, 'A')
        const address = await page.value('location.href')

        const other = await tests.open(t, address)
        await other.until("document.querySelector('.panel h2')?.innerText.includes('A')")
    })

    test('of the search apply to what comes later as well', async (t) => {
        const { page, url } = await tests.openCollector(t, { query: '?name=A' })
        await tests.event(url, 'B')
        await tests.event(url, 'A')

        await untilShows(page, 'A')
    })
})
