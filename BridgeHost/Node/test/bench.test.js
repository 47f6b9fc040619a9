import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startCollector } from '@mobiletracker/bridge/collector'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { run } from '../testsupport/programs.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const BUILT = join(ROOT, '.build/debug')
const isBuilt = ['BridgeHost', 'NativeBenchmark'].every((name) => existsSync(join(BUILT, name)))
const withoutBuild = isBuilt ? false : 'the host or the native benchmark is not built'

/** Runs the benchmark with little work; what it measures means nothing. */
const bench = (t, ...words) => run(
    t, 'python3', [join(ROOT, 'Benchmarks/bench.py'), '--smoke', ...words],
    { cwd: ROOT, env: { ...process.env, BENCH_BUILD: BUILT } })

suite('the benchmark', { skip: withoutBuild }, () => {
    test('measures both sides of every row', async (t) => {
        const json = join(freshFolder(t), 'bench.json')
        const made = await run(t, 'make', ['-s', 'floor'], { cwd: ROOT })
        assert.equal(made.code, 0, made.stderr)

        const { code, stdout, stderr } = await bench(t, '--json', json)

        assert.equal(code, 0, stderr)
        const rows = JSON.parse(readFileSync(json, 'utf8'))
        const kept = JSON.parse(readFileSync(join(ROOT, 'Benchmarks/ratios.json'), 'utf8'))
        assert.deepEqual(Object.keys(rows), Object.keys(kept))
        for (const [name, row] of Object.entries(rows)) {
            assert.ok(stdout.includes(row.title), stdout)
            assert.deepEqual(Object.keys(row.ratios), Object.keys(kept[name]))
            for (const ratio of Object.values(row.ratios)) assert.ok(ratio > 0, `${name}: ${ratio}`)
        }
    })

    test('alternates with another build of the host', async (t) => {
        const folder = freshFolder(t)
        const [other, starts, json] = ['BridgeHost', 'starts', 'bench.json'].map((name) => join(folder, name))
        writeFileSync(other, `#!/bin/sh\necho >> '${starts}'\nexec '${join(BUILT, 'BridgeHost')}' "$@"\n`, { mode: 0o755 })

        const { code, stdout, stderr } = await bench(t, '--only', 'burst,drain,spawn', '--beside', other, '--json', json)
        const kept = await bench(t, '--beside', other, '--keep', join(folder, 'ratios.json'))
        const native = await bench(t, '--beside', other, '--only', 'native')

        assert.equal(code, 0, stderr)
        const rows = JSON.parse(readFileSync(json, 'utf8'))
        assert.deepEqual(Object.entries(rows).map(([name, { ratios }]) => [name, Object.keys(ratios)]), [
            ['burst', ['resident', 'rate', 'cpu']], ['drain', ['bytes', 'rate', 'cpu']], ['spawn', ['milliseconds']],
        ])
        assert.match(stdout, /^work +figure +this host +that host +ratio +that host is\n/)
        assert.ok(stdout.includes(other), stdout)
        // One for each row of one round, and two of `spawn`.
        assert.equal(readFileSync(starts, 'utf8').length, 4)
        assert.deepEqual([kept.code, native.code], [2, 2])
        assert.match(kept.stderr, /the kept ratios are those to the floors/)
        assert.match(native.stderr, /no row is named native/)
    })

    test('gives the processor time of Python and of the host together', async (t) => {
        const collector = await startCollector()
        afterwards(t, () => collector.close())
        const words = [join(ROOT, 'Benchmarks/peer.py'), 'product', collector.url, '200']
        const { code, stdout, stderr } = await run(
            t, 'python3', words, { cwd: ROOT, env: { ...process.env, BENCH_BUILD: BUILT } })

        assert.equal(code, 0, stderr)
        // The host alone has more memory than Python: it is counted.
        const { cpu, resident } = JSON.parse(stdout)
        assert.ok(cpu > 0 && resident > 30, stdout)
        assert.equal(collector.totals().events, 200)
    })

    test('measures what grows with the queue and with time', async (t) => {
        const words = [join(ROOT, 'Benchmarks/growth.py'), '--smoke']
        const { code, stdout, stderr } = await run(
            t, 'python3', words, { cwd: ROOT, env: { ...process.env, BENCH_BUILD: BUILT } })

        assert.equal(code, 0, stderr)
        assert.match(stdout, /1,000 queued: .+ µs to take an event.+\naccept: .+\ndeliver: .+\n2,000 in and out: .+\nidle: woken \d+ times.+\n2,000 in a tight loop: 2,000 delivered, 0 evicted, 0 refused/)
    })

    test('fails when a ratio is far worse than the kept one, and only then', async (t) => {
        const ratios = join(freshFolder(t), 'ratios.json')
        const check = async (each) => {
            writeFileSync(ratios, JSON.stringify({ each }))
            return bench(t, '--only', 'each', '--check', ratios)
        }

        const better = await check({ rate: 1e-9, cpu: 1e9 })
        const slower = await check({ rate: 1e9 })
        const dearer = await check({ cpu: 1e-9 })

        assert.equal(better.code, 0, better.stderr)
        assert.equal(slower.code, 1)
        assert.match(slower.stderr, /bench: each: the ratio of rate to the floor is .+, and was 1e\+09/)
        assert.equal(dearer.code, 1)
    })
})
