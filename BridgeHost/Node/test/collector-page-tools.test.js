import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { ACTIONS, OPTION_HELP } from '../src/collector/faults/item.js'
import { PageTests, untilShows } from '../testsupport/collector-page.js'
import { freshFolder } from '../testsupport/hosts.js'
import { ask, send } from '../testsupport/http.js'
import { realTracker, withoutHost } from '../testsupport/real-host.js'
import { analyticsEvent, sample } from '../testsupport/samples.js'

let tests
before(() => (tests = new PageTests()))
after(() => tests.close())

suite('tools', () => {
    test('make requests fail by a preset, and show what is left', async (t) => {
        const { page, url, collector } = await tests.openCollector(t)
        await page.press('f')
        await page.click('.presets li:nth-child(3) button')
        await page.until("document.querySelector('#faults-left code')?.textContent === '429×3:retry-after=5'")

        const { status, headers } = await tests.event(url, 'A')
        assert.deepEqual([status, headers['retry-after']], [429, '5'])
        await page.until("document.querySelector('#faults-left code')?.textContent === '429×2:retry-after=5'")
        await page.click('#clear-faults')
        await page.until("document.querySelector('#faults-left .none')")
        assert.deepEqual(collector.faultsLeft(), [])
    })

    test('offer presets that the collector understands', async (t) => {
        const { page, collector } = await tests.openCollector(t)
        await page.press('f')
        const scripts = await page.value(
            "[...document.querySelectorAll('.presets code')].map((code) => code.textContent)",
        )

        assert.deepEqual(
            scripts,
            [
                'drop-before×always:for=60s', '500×always:every=5', '429×3:retry-after=5', 'delay=300×always',
                'stall×2', 'drop-after×3',
            ],
        )
        for (const script of scripts) collector.faults(script)
    })

    test('say of each instruction when it ends by itself, and show it ended', async (t) => {
        const { page, collector } = await tests.openCollector(t)
        collector.faults('503×3, delay=300×always:for=60s')
        await page.press('f')
        await page.until("document.querySelectorAll('#faults-left li').length === 2")
        const lines = await page.value(
            "[...document.querySelectorAll('#faults-left li')].map((line) => [...line.children].map((part) => part.textContent))",
        )
        assert.deepEqual(lines[0], ['503×3'])
        assert.equal(lines[1][0], 'ok×always:delay=300:for=60s')
        assert.match(lines[1][1], /^ends by itself in (1 min|[1-5]?\d s)$/)

        collector.faults('429×2, 503×always:for=60s')
        await page.until("document.getElementById('faults-left').textContent.startsWith('429×2503×always:for=60s')")
        collector.faults('429×2, 503×always:for=1s')
        await page.until("document.getElementById('faults-left').textContent === '429×2End it'")
        assert.deepEqual(collector.faultsLeft(), ['429×2'])
    })

    test('explain every instruction of a script', async (t) => {
        const { page } = await tests.openCollector(t)
        await page.press('f')
        await page.click('.reference summary')
        const rows = await page.value(
            "[...document.querySelectorAll('.reference tr')].map((row) => [...row.children].map((cell) => cell.innerText))",
        )

        assert.deepEqual(rows.map(([word]) => word), [
            ...Object.keys(ACTIONS), ...OPTION_HELP.map(([word]) => `:${word}=`),
        ])
        for (const [word, meaning] of rows) assert.ok(meaning.length > 10, word)
    })

    test('take a script of one\'s own, and say what is wrong with it', async (t) => {
        const { page, collector } = await tests.openCollector(t)
        await page.press('f')
        await page.click('#fault-script')
        await page.write('oops')
        await page.click('#set-faults')
        await page.until(
            "document.querySelector('.panel [role=alert]').textContent.startsWith('There is no fault \"oops\"')",
        )
        await page.value("document.getElementById('fault-script').value = '500×2'")
        // One right after the other: they are done in this order.
        await page.value("for (const id of ['set-faults', 'add-faults']) document.getElementById(id).click()")

        await page.until("document.querySelectorAll('#faults-left code').length === 2")
        assert.deepEqual(collector.faultsLeft(), ['500×2', '500×2'])
    })

    test('show the account of a client, and mark where it and what came do not agree', async (t) => {
        const { page, url } = await tests.openCollector(t)
        const debugInfo = (delivered, queueLength) => ({
            lifecycle: 'ready', circuitState: 'open', circuitRemainingMs: 4000, queueLength, config: {
                apiUrl: url, xApiKey: 'secret-key-1234',
            },
            sessionId: sample('event').body.session_id, account: { accepted: delivered + queueLength, delivered },
        })
        const post = (delivered, queueLength) => ask(url, '/accounts', {
            method: 'POST', body: {
                client: 'Shop <b>', at: new Date().toISOString(), debugInfo: debugInfo(delivered, queueLength),
            },
        })
        await tests.event(url, 'A')
        for (let i = 0; i < 2; i++) await post(1, 0)
        await page.press('c')
        await page.until("document.querySelector('.client')?.innerText.includes('Agrees with what came')")
        await post(9, 3)

        await page.until("document.querySelector('.client')?.innerText.includes('Disagrees with what came')")
        const text = await page.text('.client')
        assert.match(text, /Shop <b>/)
        assert.match(text, /Queue\s+3\s/)
        assert.match(text, /Breaker\s+open, 4 s/)
        assert.match(text, /Account\s+accepted 12, delivered 9/)
        assert.match(text, /Tracked\s+[\d,.]+\/s\s+Delivered\s+[\d,.]+\/s/)
        assert.ok(!text.includes('secret-key'))
        assert.ok(await page.value("document.getElementById('tool-clients').classList.contains('bad')"))
        await ask(url, '/accounts', {
            method: 'POST', body: { client: 'Quiet', at: new Date().toISOString(), debugInfo: debugInfo(9, 0) },
        })
        await page.until("document.querySelectorAll('.client').length === 2")
        assert.deepEqual(
            await page.value("[...document.querySelectorAll('.client h3')].map((title) => title.textContent)"),
            ['Shop <b>', 'Quiet'],
        )
        const label = await page.value("document.getElementById('tool-clients').getAttribute('aria-label')")
        assert.equal(label, 'Clients: 1 of 2 disagree')
    })

    test('have a real client send its refused events again', { skip: withoutHost }, async (t) => {
        const { tracker, collector, config } = await realTracker(t, { options: { collectorPanel: true } })
        const page = await tests.open(t, `${collector.url}/`)
        await tracker.init('925', config())
        collector.faults([{ status: 422, body: { error: 'no currency' }, name: 'PURCHASE' }])
        const { messageId } = await tracker.track('PURCHASE')
        await page.press('c')
        await page.until("document.querySelector('.client')?.innerText.includes('no currency')")
        await page.value("[...document.querySelectorAll('.client button')].find((one) => one.textContent === 'Retry').click()")
        const [{ headers }] = await collector.wait({ name: 'PURCHASE' })

        assert.equal(headers['idempotency-key'], messageId)
        await page.until("!document.querySelector('.client').innerText.includes('no currency')")
    })

    test('show what was refused and why a client has halted, and have it sent again', async (t) => {
        const { page, url } = await tests.openCollector(t)
        const debugInfo = {
            lifecycle: 'halted', config: { apiUrl: url }, refusedEvents: { count: 3, reasons: { 'rejected(422)': 3 } },
            halted: { reason: 'api answered 401', since: new Date().toISOString(), nextTryInMs: 240_000 },
        }
        const refused = [{ event: 'PURCHASE', call: 'track', status: 422, messageId: 'order-1', answer: 'no <b>currency' }]
        const post = async () => {
            const body = { client: 'Shop', at: new Date().toISOString(), debugInfo, refused }
            return (await ask(url, '/accounts', { method: 'POST', body })).json.retryRefused
        }
        await post()
        await page.press('c')
        await page.until("document.querySelector('.client .refused button')")
        const text = await page.text('.client')
        await page.value("document.querySelector('.refused button').focus()")
        await post()
        await page.until("document.querySelectorAll('.client').length === 1 && document.activeElement.textContent === 'Retry'")
        await page.click('.refused button')
        await page.until("document.getElementById('said').textContent === 'Shop queues its refused events again.'")

        assert.match(text, /Halted\s+api answered 401, since [\d:.]+, next try in 4 min/)
        assert.match(text, /Kept apart: rejected\(422\) 3\s+Retry\s+PURCHASE 422 order-1\s+no <b>currency\s+and 2 before them/)
        assert.equal(await post(), true)
    })

    test('forget what came', async (t) => {
        const { page, url } = await tests.openCollector(t)
        await tests.event(url, 'A')
        await untilShows(page, 'A')
        await page.click('#tool-clear')
        await page.until("document.querySelector('.welcome')")

        await tests.event(url, 'B')
        await untilShows(page, 'B')
        await page.until("document.querySelector('.counter.all b').textContent === '1'")
    })

    test('save what is shown as JSON lines, keys masked, long bodies whole', async (t) => {
        const { page, url } = await tests.openCollector(t)
        const folder = freshFolder(t)
        await tests.event(url, 'A', { data: { key: 'api-key-12345678', text: 'x'.repeat(50_000) } })
        await send(url, sample('batch'))
        await tests.event(url, 'B')
        await page.until("document.getElementById('shown').textContent === '8 events'")
        await page.call(
            'Browser.setDownloadBehavior', { behavior: 'allow', downloadPath: folder, browserContextId: page.context },
        )
        await page.click('#tool-export')
        await page.until("document.getElementById('said').textContent === '3 requests saved.'")

        const saved = await new Promise((resolve) => {
            const look = () => {
                const name = readdirSync(folder).find((file) => file.endsWith('.jsonl'))
                const text = name ? readFileSync(join(folder, name), 'utf8') : ''
                if (text.endsWith('\n')) resolve(text)
                else setImmediate(look)
            }
            look()
        })
        const lines = saved.trimEnd().split('\n').map((line) => JSON.parse(line))
        assert.deepEqual(
            lines.map(({ path, status }) => `${path} ${status}`),
            ['/v2/tracking-session-data 200', '/v1/batch 200', '/v2/tracking-session-data 200'],
        )
        assert.equal(JSON.parse(lines[0].body).data.text.length, 50_000)
        assert.ok(!saved.includes('api-key-1') && !saved.includes('write-key'))
    })

    test('change the theme, and keep it', async (t) => {
        const { page, url } = await tests.openCollector(t)
        const ground = () => page.value('getComputedStyle(document.body).backgroundColor')
        const light = await ground()
        await page.scheme(true)
        const dark = await ground()
        assert.notEqual(dark, light)

        await page.press('t')
        await page.press('t')
        assert.equal(await ground(), light)
        await page.go(url)
        assert.equal(await ground(), light)
    })
})

suite('the keyboard', () => {
    test('moves, opens, closes, searches and helps', async (t) => {
        const { page, url } = await tests.openCollector(t)
        for (const name of ['A', 'B', 'C']) await tests.event(url, name)
        await untilShows(page, 'C', 'B', 'A')
        const title = () => page.text('.panel h2 .name')

        for (const key of ['j', 'j', 'Enter']) await page.press(key)
        await page.until("!document.getElementById('panel').hidden")
        assert.equal(await title(), 'B')
        await page.press('j')
        assert.equal(await title(), 'A')
        await page.press('k')
        await page.press('ArrowUp')
        assert.equal(await title(), 'B')
        await page.press('Escape')
        assert.ok(await page.value("document.getElementById('panel').hidden"))
        await page.press('/')
        await page.write('j')
        assert.equal(await page.value('document.activeElement.id + document.activeElement.value'), 'searchj')
        await page.press('Escape')
        await page.press('x')
        await untilShows(page, 'C', 'B', 'A')
        await page.press('?')
        assert.ok(await page.value("document.getElementById('help').open"))
        for (const key of ['j', 'k', 'Enter', '/', 'p', '?']) assert.ok(
            (await page.value(
                "[...document.querySelectorAll('#help kbd')].map((kbd) => kbd.textContent)",
            )).includes(key),
            key,
        )
    })

    test('reaches the list and its rows by Tab and arrows', async (t) => {
        const { page, url } = await tests.openCollector(t)
        await tests.event(url, 'A')
        await untilShows(page, 'A')
        await page.value("document.getElementById('grid').focus()")
        await page.press('ArrowDown')

        assert.equal(
            await page.value(
                "document.getElementById(document.getElementById('grid').getAttribute('aria-activedescendant')).querySelector('.name').textContent",
            ),
            'A',
        )
        await page.press('Enter')
        await page.until("!document.getElementById('panel').hidden")
    })
})

const HOSTILE = [
    '<img src=x onerror="window.hurt=1">', '</script><script>window.hurt=1</script>', '"><svg onload=window.hurt=1>', "' onmouseover='window.hurt=1",
    'javascript:window.hurt=1', '{{constructor.constructor("window.hurt=1")()}}', '\u202eevil\u0000\u001b[31m', '__proto__', '&lt;b&gt;',
]

suite('hostile names and values', () => {
    test('become text wherever they are shown', async (t) => {
        const { page, url, collector } = await tests.openCollector(t, { width: 1600 })
        for (const [i, text] of HOSTILE.entries()) {
            const hostile = { [text]: text, nested: { [text]: [text] } }
            await tests.event(
                url, text, { session_id: text, data: hostile, [text]: text },
                { 'Idempotency-Key': 'k'.repeat(i + 1), 'User-Agent': '<b>x</b>' },
            )
            const batch = [
                {
                    ...analyticsEvent('track', i), event: text, userId: text, anonymousId: text, type: text,
                    properties: hostile,
                },
            ]
            await send(url, { ...sample('batch'), body: { batch } })
            await send(
                url,
                {
                    ...sample('basic'), path: `/${encodeURIComponent(text)}?<b>`,
                    body: [{ type: 'identify', userId: text, traits: hostile }],
                },
            )
            await ask(
                url, '/accounts',
                {
                    method: 'POST',
                    body: {
                        client: text, at: new Date().toISOString(),
                        debugInfo: { lifecycle: text, lastError: { message: text }, account: { [text]: 1 } },
                    },
                },
            )
        }
        const count = HOSTILE.length * 3
        await page.until(`document.getElementById('shown').textContent === '${count} events'`)
        await page.value("document.getElementById('grid').focus()")
        for (let i = 0; i < count; i++) {
            for (const key of ['j', 'Enter']) await page.press(key)
            for (const tab of ['request', 'changes', 'attempts', 'payload']) await page.value(`document.getElementById('tab-${tab}')?.click()`)
            await page.press('s')
        }
        await page.press('c')
        await page.until("document.querySelectorAll('.client').length > 5")

        assert.equal(await page.value('window.hurt'), undefined)
        const foreign = "document.querySelectorAll('main script, main img, main svg[onload], main iframe, main b b, main [onerror], main [onmouseover], main a').length"
        assert.equal(await page.value(foreign), 0)
        assert.equal(await page.value('({}).polluted ?? Object.keys(Object.prototype).length'), 0)
        assert.deepEqual(page.complaints, [])
        assert.equal(collector.received().length, count)
    })

    test('cannot become markup by a mistake in the page either: the browser refuses', async (t) => {
        const { page } = await tests.openCollector(t)
        const refused = await page.value(
            "try { document.body.innerHTML = '<b>x</b>'; 'taken' } catch ({ name }) { name }",
        )

        assert.equal(refused, 'TypeError')
    })
})
