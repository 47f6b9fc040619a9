import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startCollector } from '@mobiletracker/bridge/collector'
import { createTestTracker } from '@mobiletracker/bridge/testing'
import { Plan } from '../src/plan/plan.js'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { KEY, realTracker, withoutHost } from '../testsupport/real-host.js'

const FILE = fileURLToPath(new URL('../testsupport/plan/plan.json', import.meta.url))
const ITEM = { sku: 'A-1', price: 149.99 }

/** A client that checks against that plan. */
async function planned(t, onBroken) {
    const tracker = createTestTracker({ stderr: 'ignore', warnings: false })
    afterwards(t, () => tracker.shutdown())
    await tracker.init('925', { apiUrl: 'https://api.example.com', xApiKey: 'key', plan: { file: FILE, onBroken } })
    return tracker
}

/** What is wrong with the call that was dropped last, with its values: an outcome and a log have none. */
const lastAnswer = async (tracker) => (await tracker.refused.list({ reasons: ['plan'] })).at(-1).answer

suite('A client with a plan', { skip: withoutHost }, () => {
    test('judges as the collector does', async (t) => {
        const tracker = await planned(t, 'drop')
        const plan = new Plan(JSON.parse(readFileSync(FILE, 'utf8')))
        const events = [
            ['PURCHASE', { total: 1, currency: 'EUR', items: [ITEM] }], ['PURCHASE', { total: '1', currency: 'EUR', items: [ITEM] }],
            ['PURCHASE', { total: 1, currency: 'EURO', items: [ITEM] }], ['PURCHASE', { total: -1, currency: 'EUR', items: [] }],
            ['PURCHASE', { total: 1, currency: 'EUR', items: [{ ...ITEM, quantity: 0.5 }] }], ['PURCHASE', {}],
            ['PURCHASE', { total: 1, currency: 'EUR', items: [ITEM], paid_at: 'now' }],
            ['PURCHASE', { total: 1, currency: 'EUR', items: [ITEM], colour: 'red' }], ['LOGOUT', undefined], ['LOGOUT', { a: 1 }],
            ['SEARCH', { words: 'x' }], ['SEARC', {}], ['Signed Up', { plan: 'pro', invited_by: null, seats: 1.5 }],
        ]

        for (const [name, data] of events) {
            const { verdict, reasons } = plan.judge(name, data)
            const outcome = await tracker.track(name, data)

            assert.equal(outcome.reason ?? 'kept', verdict === 'kept' ? 'kept' : 'PLAN', `${name} ${JSON.stringify(data)}`)
            if (verdict === 'broken') assert.equal(await lastAnswer(tracker), reasons.join(' '))
        }
    })

    test('says what is wrong without the values of the call, which may be about a person', async (t) => {
        const tracker = await planned(t, 'drop')

        const { fault } = await tracker.track('PURCHASE', { total: 'ada@example.com', currency: 'EUR', items: [ITEM] })

        assert.equal(fault.detail, 'data.total must be a number.')
        assert.equal(await lastAnswer(tracker), 'data.total is "ada@example.com"; it must be a number.')
    })

    /** Calls of every client, each with its method and arguments. */
    const CALLS = {
        tracker: [
            ['screen', 'Product', { sku: 'A-1' }], ['screen', 'Product', { sku: 1 }], ['screen', 'Produkt', { sku: 'A-1' }],
            ['screenDidAppear', 'Home', 'app://home'], ['screenDidAppear', 'Home', 'app://other', { colour: 'red' }],
            ['identify', 'u1', { email: 'ada@example.com', plan: 'pro', birthday: null }],
            ['identify', 'u1', { email: 'ada', plan: 'pro', colour: 'red', extra: { size: 2 } }],
            ['set', { plan: 'free' }], ['set', { plan: 'gold', birthday: 'today' }], ['set', { metadata: {} }],
            ['track', 'VIEW_PAGE', { screen: 'Home' }], ['track', 'VIEW_PAGE', { screen: 1 }], ['track', 'LOGOUT'],
            ['setMetadata', { flow: 'v2' }], ['track', 'LOGOUT'], ['screen', 'Home'],
        ],
        analytics: [
            ['screen', 'Product', { sku: '' }], ['screen', 'Home'], ['screen', 'Hme'], ['page', 'Nowhere', { a: 1 }], ['alias', 'u2'],
            ['identify', 'u1', { email: 'ada@example.com', plan: 'pro' }], ['identify', 'u1'], ['identify', 'u1', { email: 'a@b', plan: 'pro', name: 1 }],
            ['group', 'g1', { seats: 3, name: 'Shop' }], ['group', 'g1', { seats: 0 }], ['group', 'g1'], ['track', 'LOGOUT', { a: 1 }],
        ],
        basic: [
            ['identify', 'u1', { email: 'ada@example.com', plan: 'pro' }], ['identify', 'u1', { plan: 'pro' }],
            ['screen', 'Product', { sku: 'A-1', from: 'mail' }], ['screen', 'Home'], ['track', 'LOGOUT'], ['track', 'LOGOUT', { a: 1 }],
        ],
    }
    const CONFIG = { apiUrl: 'https://api.example.com', xApiKey: KEY }

    /** What the host says of each call. */
    async function verdictsOfHost(t, client) {
        const plan = { file: FILE, onBroken: 'drop' }
        const tracker = createTestTracker({ stderr: 'ignore', warnings: false })
        afterwards(t, () => tracker.shutdown())
        await tracker.init('925', { ...CONFIG, plan })
        await tracker.analytics.initialize({ writeKey: KEY, ingestionHost: 'https://api.example.com', plan })
        await tracker.basic.initialize(KEY, 'https://api.example.com/events', '1.2.3', { plan })
        const verdicts = []
        for (const [method, ...given] of CALLS[client]) {
            const { reason } = await (client === 'tracker' ? tracker : tracker[client])[method](...given)
            verdicts.push(reason === 'PLAN' ? await lastAnswer(tracker) : reason ?? 'kept')
        }
        return verdicts
    }

    /** What the collector says of the same calls, made without a plan. */
    async function verdictsOfCollector(t, client) {
        const { tracker } = await realTracker(t)
        const collector = await startCollector({ plan: JSON.parse(readFileSync(FILE, 'utf8')) })
        afterwards(t, () => collector.close())
        const clients = { tracker, analytics: tracker.analytics, basic: tracker.basic }
        if (client === 'tracker') await tracker.init('925', { apiUrl: collector.url, xApiKey: KEY })
        if (client === 'analytics') await tracker.analytics.initialize({ writeKey: KEY, ingestionHost: collector.url })
        if (client === 'basic') await tracker.basic.initialize(KEY, `${collector.url}/events`, '1.2.3')
        for (const [method, ...given] of CALLS[client]) await clients[client][method](...given)
        await clients[client].flush()
        const taken = ({ kind, accepted, repeat }) => accepted && !repeat && ['event', 'profile', 'batch', 'basic'].includes(kind)
        return collector.received().filter(taken).flatMap(({ items, plan }) => items.map((_, index) => {
            return plan.find(({ item }) => item === index)?.reasons.join(' ') || 'kept'
        }))
    }

    for (const client of Object.keys(CALLS)) test(`judges every call of ${client} as the collector does`, async (t) => {
        const [host, collector] = await Promise.all([verdictsOfHost(t, client), verdictsOfCollector(t, client)])

        assert.deepEqual(host, collector)
        assert.ok(host.includes('kept') && host.some((verdict) => verdict.startsWith('traits.')) && host.some((verdict) => verdict.startsWith('data.')))
    })

    test('sees that an identify lacks a trait, which the collector cannot tell from a set', async (t) => {
        const tracker = await planned(t, 'drop')

        assert.equal((await tracker.identify('u1', { plan: 'pro' })).fault.detail, 'traits.email is missing.')
        assert.equal((await tracker.set({ plan: 'pro' })).status, 'queued')
    })

    test('explains a plan that it cannot use', async (t) => {
        const tracker = createTestTracker({ stderr: 'ignore', warnings: false })
        afterwards(t, () => tracker.shutdown())
        const file = join(freshFolder(t), 'plan.json')
        writeFileSync(file, '{"events":{"A":{"data":{"typ":1}}}}')
        const config = { apiUrl: 'https://api.example.com', xApiKey: 'key' }

        await assert.rejects(tracker.init('925', { ...config, plan: { file } }), {
            code: 'INVALID_CONFIGURATION', message: /'plan\.file' must be a plan.* events\.A\.data has "typ", which plans do not know/,
        })
        await assert.rejects(tracker.init('925', { ...config, plan: { file: '/nowhere.json' } }), /'plan\.file' must be a file that can be read/)
        await assert.rejects(tracker.init('925', { ...config, plan: { onBroken: 'ignore' } }), /'plan\.onBroken' must be 'warn' or 'drop' or 'tag'/)
    })
})
