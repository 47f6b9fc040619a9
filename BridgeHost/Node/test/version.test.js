import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { findHost } from '../src/client/finder.js'
import { runCommand } from '../testsupport/commands.js'
import { realTracker, withoutHost } from '../testsupport/real-host.js'

const ROOT = new URL('../../../', import.meta.url)
const read = (path) => readFileSync(new URL(path, ROOT), 'utf8')

/** The one place where the version is written by hand. */
const [, VERSION] = /current = "(\d+\.\d+\.\d+)"/.exec(read('Modules/TrackerModels/ProductVersion.swift'))

suite('the version', () => {
    test('is the same in every package and in the changelog', () => {
        assert.equal(JSON.parse(read('BridgeHost/Node/package.json')).version, VERSION)
        const [, newest] = /^## \[(\d[^\]]*)\]/m.exec(read('CHANGELOG.md'))
        assert.equal(newest, VERSION)
    })

    test('is printed the same by every program', { skip: withoutHost }, async (t) => {
        const line = `mobile-tracker ${VERSION}`

        assert.equal((await runCommand(t, '--version')).out, line)
        const python = new URL('BridgeHost/Python/src', ROOT).pathname
        const env = { ...process.env, PYTHONPATH: python, PYTHONDONTWRITEBYTECODE: '1' }
        const { stdout } = spawnSync('python3', ['-m', 'mobiletracker', '--version'], { encoding: 'utf8', env })
        assert.equal(stdout, `${line}\n`)
        const host = spawnSync(findHost(), ['--version'], { encoding: 'utf8' }).stdout
        assert.match(host, new RegExp(`^${line}\nlibcurl \\d`))
    })

    test('goes over the wire in the User-Agent and in the context of analytics events', { skip: withoutHost }, async (t) => {
        const { tracker, collector, config } = await realTracker(t)

        await tracker.init('925', config())
        await tracker.track('A')
        await tracker.analytics.initialize({ writeKey: 'write-key-1234', ingestionHost: collector.url })
        await tracker.analytics.track('B')
        await tracker.analytics.flush()
        await tracker.flush()

        const [{ headers }] = collector.received({ kind: 'event' })
        assert.equal(headers['user-agent'], `mobile-tracker/${VERSION} (Linux)`)
        const [{ body: { batch: [event] } }] = collector.received({ kind: 'batch' })
        assert.deepEqual(event.context.library, { name: 'mobile-tracker', version: VERSION })
    })
})
