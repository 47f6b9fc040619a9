import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createTestTracker } from '@mobiletracker/bridge/testing'
import { Plan } from '../src/plan/plan.js'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { withoutHost } from '../testsupport/real-host.js'

const FILE = fileURLToPath(new URL('../testsupport/plan/plan.json', import.meta.url))
const ITEM = { sku: 'A-1', price: 149.99 }

/** A client that checks against that plan. */
async function planned(t, onBroken) {
    const tracker = createTestTracker({ stderr: 'ignore', warnings: false })
    afterwards(t, () => tracker.shutdown())
    await tracker.init('925', { apiUrl: 'https://api.example.com', xApiKey: 'key', plan: { file: FILE, onBroken } })
    return tracker
}

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
            if (verdict === 'broken') assert.equal(outcome.fault.detail, reasons.join(' '))
        }
        const kept = await tracker.refused.list({ reasons: ['plan'] })
        assert.deepEqual(kept[0].answer, 'data.total is "1"; it must be a number.')
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
