import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openRow, PageTests, untilShowsAll } from '../testsupport/collector-page.js'
import { send } from '../testsupport/http.js'
import { sample } from '../testsupport/samples.js'
import { playShop } from '../testsupport/shop.js'

let tests
before(() => (tests = new PageTests()))
after(() => tests.close())

const AXE = fileURLToPath(new URL('../../../.build/python/', import.meta.url))

/** The accessibility checker of the tests' Python packages. */
function axe() {
    const lib = existsSync(join(AXE, 'lib')) ? readdirSync(join(AXE, 'lib')) : []
    const path = lib.map(
        (version) => join(AXE, 'lib', version, 'site-packages', 'axe_core_python', 'axe.min.js'),
    ).find((file) => existsSync(file))
    assert.ok(path, 'axe-core is not there; .ci/setup tests installs it')
    return readFileSync(path, 'utf8')
}

suite('accessibility', () => {
    for (const [scheme, dark] of [['light', false], ['dark', true]]) {
        for (const width of [400, 1440]) {
            test(`axe finds nothing, ${scheme}, ${width} px wide`, async (t) => {
                const { page, url, collector } = await tests.openCollector(t, { width, height: 900, dark })
                await page.call('Page.setBypassCSP', { enabled: true })
                await page.go(url)
                await page.until("document.querySelector('.welcome')")
                await page.value(`${axe()}; undefined`)
                const violations = async (what) => {
                    // A row that has just come fades from another colour.
                    await page.value(
                        'Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {})))',
                    )
                    const found = await page.value(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
                        violations.map(({ id, nodes }) => id + ': ' + nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 160) + ' ' + failureSummary).join(' | ')))`)
                    assert.deepEqual(found, [], what)
                }
                await violations('nothing has come')
                await playShop(collector, { sendBatch: () => send(url, sample('batch')) })
                await untilShowsAll(page, collector)
                await violations('the list')
                await openRow(page, 'CHECKOUT_STARTED')
                for (const tab of ['payload', 'request', 'changes', 'attempts']) {
                    await page.click(`#tab-${tab}`)
                    await violations(tab)
                }
                await page.press('s')
                await violations('the timeline')
                await page.press('Escape')
                collector.faults('503×2:for=60s')
                for (const key of ['f', 'c']) {
                    await page.press(key)
                    await violations(`the panel under ${key}`)
                    await page.press('Escape')
                }
                await page.press('?')
                await violations('the keys')
            })
        }
    }

    for (const width of [400, 768, 1024, 1440, 2560]) {
        test(`nothing runs over the edge at ${width} px`, async (t) => {
            const { page, url, collector } = await tests.openCollector(t, { width, height: 900 })
            await playShop(collector, { sendBatch: () => send(url, sample('batch')) })
            await untilShowsAll(page, collector)
            const widest = "Math.max(document.documentElement.scrollWidth, ...[...document.querySelectorAll('.top, .summary, .counters, .chart, .filters, .events, .panel:not([hidden])')].map((part) => Math.round(part.getBoundingClientRect().right)))"
            assert.equal(await page.value(widest), width)
            await openRow(page, 'CHECKOUT_STARTED')
            assert.equal(await page.value(widest), width)
            for (const key of ['s', 'f', 'c']) {
                await page.press(key)
                assert.ok(
                    await page.value(
                        "(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)(document.querySelector('.panel-body'))",
                    ),
                    key,
                )
            }
        })
    }
})
