import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createContext, Script } from 'node:vm'
import MobileTracker from '@mobiletracker/bridge'
import * as collector from '@mobiletracker/bridge/collector'
import { findHost } from '../src/client/finder.js'
import { freshFolder } from '../testsupport/hosts.js'
import { run } from '../testsupport/programs.js'
import { KEY, withoutHost, WAIT_MS } from '../testsupport/real-host.js'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))

/** Where `.ci/setup tests` has unpacked Jest, and Babel with it. */
const MODULES = fileURLToPath(new URL('../../../.build/jest/node_modules', import.meta.url))

const withoutJest = existsSync(MODULES) ? false : '.ci/setup tests has not unpacked Jest'

/**
 * Runs Jest on these files, in a folder in which the package is installed.
 *
 * @param {import('node:test').TestContext} t
 * @param {Record<string, string>} files The text of each test file.
 * @param {object} [options]
 * @param {object} [options.transform] How Jest compiles them; it does not if left out.
 * @param {string[]} [options.node] Options of Node.
 */
async function jest(t, files, { transform = {}, node = [] } = {}) {
    const folder = freshFolder(t)
    mkdirSync(join(folder, 'node_modules', '@mobiletracker'), { recursive: true })
    symlinkSync(PACKAGE, join(folder, 'node_modules', '@mobiletracker', 'bridge'))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    const config = { testMatch: ['**/*.test.*js'], testTimeout: WAIT_MS, transform }
    const words = [join(MODULES, 'jest-cli/bin/jest.js'), '--config', JSON.stringify(config), '--ci', '--runInBand', '--no-cache']
    const env = { ...process.env, NODE_OPTIONS: '', HOME: folder, MOBILE_TRACKER_HOST: findHost() }
    return { folder, ...await run(t, process.execPath, [...node, ...words], { cwd: folder, env }) }
}

/** A test of a program that tracks, which has the package's names. */
const TRACKS = `
    let tracker, collector
    beforeAll(async () => {
        collector = await startCollector()
        tracker = createTracker()
        await tracker.init('925', { apiUrl: collector.url, xApiKey: '${KEY}', persistence: 'memory' })
    })
    afterAll(async () => {
        await tracker.shutdown()
        await collector.close()
    })

    test('a purchase is tracked', async () => {
        const values = { total: 149.99, at: new Date(0), cents: 14999n, items: [{ sku: 'A' }] }
        expect(await tracker.track('PURCHASE', values)).toEqual({ status: 'queued', messageId: expect.any(String) })

        const [purchase] = await collector.wait({ name: 'PURCHASE' })
        const arrived = { total: 149.99, at: '1970-01-01T00:00:00.000Z', cents: 14999, items: [{ sku: 'A' }] }
        expect(purchase.body.data).toEqual(arrived)
        expect(collector.received({ problems: true })).toEqual([])
    })

    test('a fault is an error of the package', async () => {
        await expect(tracker.init('x')).rejects.toThrow(MobileTrackerError)
        await expect(tracker.init('x')).rejects.toMatchObject({ code: 'INVALID_BRAND_ID' })
    })

    test('the tracker for all is the same under each of its names', () => {
        expect(typeof MobileTracker.init).toBe('function')
        expect(MobileTracker.track).toBe(track)
    })`

const REQUIRES = `const MobileTracker = require('@mobiletracker/bridge')
    const { createTracker, MobileTrackerError, track } = require('@mobiletracker/bridge')
    const { startCollector } = require('@mobiletracker/bridge/collector')
    ${TRACKS}`

const IMPORTS = `import MobileTracker, { createTracker, MobileTrackerError, track } from '@mobiletracker/bridge'
    import { startCollector } from '@mobiletracker/bridge/collector'
    ${TRACKS}`

suite('Jest', { skip: withoutJest || withoutHost }, () => {
    const babel = {
        '\\.js$': [join(MODULES, 'babel-jest'), {
            presets: [[join(MODULES, '@babel/preset-env'), { targets: { node: 'current' } }]],
        }],
    }
    const forms = {
        'a file that requires the package': [{ 'a.test.js': REQUIRES }],
        'a file whose imports Babel has compiled': [{ 'a.test.js': IMPORTS }, { transform: babel }],
        'an ES module': [{ 'a.test.mjs': IMPORTS }, { node: ['--experimental-vm-modules'] }],
    }
    for (const [what, [files, options]] of Object.entries(forms)) {
        test(`tracks from ${what}`, async (t) => {
            const { code, stderr } = await jest(t, files, options)

            assert.match(stderr, /^Tests: +3 passed, 3 total$/m)
            assert.equal(code, 0, stderr)
        })
    }

    test('runs the example of Testing.md', async (t) => {
        const page = readFileSync(new URL('../../../Docs/Testing.md', import.meta.url), 'utf8')
        const blocks = [...page.matchAll(/^```js\n\/\/ (\S+)\n(.*?)^```$/gms)]
        const files = Object.fromEntries(blocks.map(([, name, code]) => [name, code]))

        const { code, stderr } = await jest(t, files, { transform: babel })

        assert.match(stderr, /^Tests: +1 passed, 1 total$/m)
        assert.equal(code, 0, stderr)
    })

    test('gives all files of a worker one tracker', async (t) => {
        const file = `const tracker = require('@mobiletracker/bridge')
            tracker.files = (tracker.files ?? 0) + 1
            test('counts', () => require('node:fs').appendFileSync('counts', tracker.files + ' '))`

        const { stderr, folder } = await jest(t, { 'a.test.js': file, 'b.test.js': file })

        assert.equal(readFileSync(join(folder, 'counts'), 'utf8'), '1 2 ', stderr)
    })

    test('makes a mock of the package', async (t) => {
        const { code, stderr } = await jest(t, {
            'a.test.js': `jest.mock('@mobiletracker/bridge')
                const { track } = require('@mobiletracker/bridge')
                test('is mocked', async () => {
                    track.mockResolvedValue({ status: 'queued', messageId: 'm' })
                    expect(await track('A')).toEqual({ status: 'queued', messageId: 'm' })
                    expect(track).toHaveBeenCalledWith('A')
                })`,
        })

        assert.equal(code, 0, stderr)
    })
})

for (const [what, path, expected] of [['tracker', 'client', MobileTracker], ['collector', 'collector', collector]]) {
    test(`a require that takes no ES modules, as that of Jest, gives the ${what} nevertheless`, () => {
        const faults = [
            Object.assign(new Error('Must use import to load ES Module'), { code: 'ERR_REQUIRE_ESM' }),
            new Script("new SyntaxError('Cannot use import statement outside a module')").runInNewContext(),
        ]
        for (const fault of faults) {
            const exports = runWith(fault, `../src/${path}/index.cjs`)

            assert.equal(exports === MobileTracker, path === 'client')
            for (const name of Object.keys(expected)) assert.equal(exports[name], expected[name], name)
        }
        assert.throws(() => runWith(new TypeError('broken'), `../src/${path}/index.cjs`), { message: 'broken' })
    })
}

/** What a file exports to a program whose `require` throws this for each ES module. */
function runWith(fault, relative) {
    const path = fileURLToPath(new URL(relative, import.meta.url))
    const require = (name) => {
        if (name.endsWith('.cjs')) return createRequire(path)(name)
        throw fault
    }
    const module = { exports: {} }
    new Script(readFileSync(path, 'utf8')).runInContext(createContext({ module, __filename: path, require }))
    return module.exports
}
