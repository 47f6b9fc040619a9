import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { afterwards } from '../testsupport/hosts.js'
import { ask, send } from '../testsupport/http.js'
import { realTracker, withoutHost } from '../testsupport/real-host.js'
import { sample } from '../testsupport/samples.js'

async function fresh(t) {
    const collector = await startCollector()
    afterwards(t, () => collector.close())
    const inRun = (test, changes = {}) => send(collector.url, { ...sample('event'), headers: { ...sample('event').headers, 'X-Test-Id': test, ...changes } })
    return { collector, inRun }
}

suite('runs of tests', () => {
    test('are distinguished by X-Test-Id, in requests and in queries', async (t) => {
        const { collector, inRun } = await fresh(t)
        await inRun('one')
        await inRun('two')
        await send(collector.url, sample('event'))

        assert.deepEqual(collector.received({ test: 'two' }).map(({ test }) => test), ['two'])
        const asked = await ask(collector.url, '/received', { headers: { 'X-Test-Id': 'one' } })
        assert.deepEqual([asked.json.total, asked.json.requests[0].test], [1, 'one'])
        assert.equal((await ask(collector.url, '/wait?test=one&test=two&count=2&timeout=0')).status, 200)
        assert.equal((await ask(collector.url, '/wait?count=2&timeout=0', { headers: { 'X-Test-Id': 'one' } })).status, 408)
    })

    test('share neither keys nor numbers', async (t) => {
        const { collector, inRun } = await fresh(t)
        await inRun('one')
        await inRun('two')
        await inRun('two')

        assert.deepEqual(collector.received().map(({ repeat }) => repeat), [false, false, true])
    })

    test('have a base path for clients that cannot send the header', { skip: withoutHost }, async (t) => {
        const { tracker, collector, config } = await realTracker(t)
        await tracker.init('925', config({ apiUrl: `${collector.url}/test/run-7` }))
        await tracker.track('PURCHASE')

        const [{ test, problems }] = await collector.wait({ kind: 'event', test: 'run-7' })
        assert.deepEqual([test, problems], ['run-7', []])
        assert.deepEqual(collector.received({ kind: 'session' }).map((record) => record.test), ['run-7'])
    })
})
