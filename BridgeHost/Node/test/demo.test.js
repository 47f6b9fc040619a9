import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readDay } from '../demo/day.js'
import { Player } from '../demo/player.js'
import { judge } from '../demo/verdict.js'
import { METHODS } from '../src/client/methods.js'
import { freshFolder } from '../testsupport/hosts.js'
import { runFile } from '../testsupport/programs.js'
import { withoutHost } from '../testsupport/real-host.js'

const DEMO = fileURLToPath(new URL('../demo/demo.js', import.meta.url))
const DAY = readDay(new URL('../demo/shop-day.jsonl', import.meta.url))

suite('the demo', () => {
    test('brings a whole day through a kill and leaves nothing behind', { skip: withoutHost }, async (t) => {
        const folder = freshFolder(t)

        const { code, stdout, stderr } = await runFile(t, DEMO, { env: { TMPDIR: folder } })

        assert.equal(code, 0, stderr)
        assert.match(stdout, /kill -9 \d+: [1-9]\d* accepted calls wait on disk/)
        assert.match(stdout, /^ +[1-9]\d* requests? that it refused with 503$/m)
        const [, count] = /^All (\d+) accepted calls arrived, each once under its Idempotency-Key/m.exec(stdout)
        const accepted = DAY.filter(({ method, dropped }) => METHODS[method]?.gives === 'outcome' && !dropped)
        assert.equal(Number(count), accepted.length)
        assert.deepEqual(readdirSync(folder), [])
    })

    test('says that it failed when it did', async (t) => {
        const env = { TMPDIR: freshFolder(t), MOBILE_TRACKER_HOST: '/nowhere' }

        const { code, stderr } = await runFile(t, DEMO, { env })

        assert.equal(code, 1)
        assert.match(stderr, /^The demo could not be played: The host program was not found/m)
    })

    test('has a day of some 200 calls, of every method', () => {
        const methods = DAY.map(({ method }) => method).filter(Boolean)

        assert.deepEqual(new Set(methods), new Set(Object.keys(METHODS).filter((method) => !method.includes('.'))))
        assert.ok(methods.length >= 200)
        assert.deepEqual(DAY.map(({ at }) => at), DAY.map(({ at }) => at).sort())
    })
})

suite('the demo\'s player', () => {
    const config = { apiUrl: 'http://127.0.0.1:1' }

    test('makes the calls of a minute without waiting, then waits', async () => {
        const made = []
        let release
        const first = new Promise((resolve) => (release = resolve))
        const tracker = { track: (name) => (made.push(name), name === 'A' ? first : {}) }
        const player = new Player(tracker, { config, incidents: { release: () => release({}) } })
        const day = [
            { at: '09:00', method: 'track', params: ['A'] }, { at: '09:00', method: 'track', params: ['B'] },
            { at: '09:00', incident: 'release' }, { at: '09:01', method: 'track', params: ['C'] },
        ]

        await player.play(day, (at) => made.push(at))

        assert.deepEqual(made, ['A', 'B', '09:00', 'C', '09:01'])
    })

    test('gives up if an init fails', async () => {
        const tracker = { init: async () => { throw new Error('no backend') } }
        const player = new Player(tracker, { config, incidents: {} })

        await assert.rejects(player.play([{ at: '09:00', method: 'init', params: ['925'] }], () => {}), /no backend/)
    })
})

suite('the demo\'s verdict', () => {
    const call = (name, messageId) => ({
        entry: { at: '09:00', method: 'track', params: [name] },
        result: { status: 'queued', messageId },
    })
    const request = (key, changes = {}) => ({
        kind: 'event', method: 'POST', path: '/v2/tracking-session-data', accepted: true, repeat: false,
        problems: [], flags: [], headers: { 'idempotency-key': key }, raw: `{"key":"${key}"}`, ...changes,
    })
    const calls = [call('A', 'a'), call('B', 'b')]
    const faultsOf = (...received) => judge(calls, received).faults

    test('is good when all came in order, also if one came again', () => {
        const received = [
            request('s', { kind: 'session' }), request('a'), request('a', { repeat: true }), request('b'),
        ]

        assert.deepEqual(judge(calls, received), { faults: [], accepted: 2, repeats: 1 })
    })

    const cases = [
        ['one is missing', [request('a')], /09:00 track B was answered "queued" and never came/],
        ['one was refused for good', [request('a'), request('b', { accepted: false })], /track B .* never came/],
        ['the order is another', [request('b'), request('a')], /track A did not come in its turn, as number 1/],
        ['one was never called', [request('a'), request('b'), request('c')], /c came, and nobody had called it/],
        ['one came as another', [request('a'), request('b', { kind: 'profile' })], /came as profile instead of event/],
        ['one came again changed', [request('a'), request('a', { raw: '{}' }), request('b')], /a came twice/],
        ['it has problems', [request('a'), request('b', { problems: ['no data'] })], /The collector says .* no data/],
        ['one is missed', [request('a'), request('b', { flags: [{ kind: 'gap', text: '2 is missing' }] })], /2 is missing/],
    ]
    for (const [what, received, fault] of cases) {
        test(`is bad when ${what}`, () => {
            const faults = faultsOf(...received)

            assert.equal(faults.length, 1)
            assert.match(faults[0], fault)
        })
    }

    test('is bad when a call was not answered as the day says', () => {
        const entry = { at: '09:00', method: 'track', params: ['A'] }
        const dropped = { status: 'dropped', reason: 'STORAGE_ERROR' }

        const left = { remaining: 2, stoppedBy: 'halted' }
        const faultsOfOne = (call) => judge([{ entry, ...call }], []).faults.join()

        assert.match(faultsOfOne({ result: dropped }), /dropped \(STORAGE_ERROR\), and should have been accepted/)
        assert.match(faultsOfOne({ error: new Error('gone') }), /track A failed: gone/)
        assert.equal(faultsOfOne({ entry: { ...entry, dropped: 'STORAGE_ERROR' }, result: dropped }), '')
        assert.match(faultsOfOne({ entry: { ...entry, method: 'flush' }, result: left }), /left 2 behind \(halted\)/)
    })
})
