import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { suite, test } from 'node:test'
import MobileTracker, * as all from '@mobiletracker/bridge'
import { runProgram } from '../testsupport/programs.js'

suite('the package', () => {
    test('gives the tracker by default and by name', () => {
        const names = ['MobileTracker', 'MobileTrackerError', 'createTracker', 'default', 'module.exports']
        assert.deepEqual(Object.keys(all).sort(), names)
        assert.equal(all.MobileTracker, MobileTracker)
        assert.equal(all.default, MobileTracker)
    })

    test('can be required', async (t) => {
        const { code, stdout, stderr } = await runProgram(t, `
            const MobileTracker = require('@mobiletracker/bridge')
            const { createTracker, MobileTrackerError, analytics, track } = require('@mobiletracker/bridge')
            const { MobileTracker: named } = require('@mobiletracker/bridge')
            if (named !== MobileTracker || named.default !== MobileTracker) throw new Error('not the same')
            console.log(typeof MobileTracker.init, typeof MobileTracker.default.init, typeof createTracker,
                typeof MobileTrackerError, typeof analytics.page, typeof track)`, { type: 'commonjs' })

        assert.equal(stderr.replaceAll(/^\(.*\n?/gm, '').replaceAll(/.*ExperimentalWarning.*\n?/g, ''), '')
        assert.equal(stdout, 'function function function function function function\n')
        assert.equal(code, 0)
    })

    test('has what the types export, imported or required', async (t) => {
        const types = readFileSync(new URL('../src/client/index.d.ts', import.meta.url), 'utf8')
        const names = [...types.matchAll(/^export (?:const|function|class) (\w+)/gm)].map(([, name]) => name)
        const required = createRequire(import.meta.url)('@mobiletracker/bridge')

        assert.deepEqual(names.sort(), ['MobileTracker', 'MobileTrackerError', 'createTracker'])
        for (const name of [...names, 'default']) {
            assert.ok(all[name] !== undefined && required[name] === all[name], name)
        }
    })

    test('is one module, imported or required', async (t) => {
        const { stdout } = await runProgram(t, `
            import MobileTracker from '@mobiletracker/bridge'
            import { createRequire } from 'node:module'
            const require = createRequire(import.meta.url)
            console.log(require('@mobiletracker/bridge') === MobileTracker)`)

        assert.equal(stdout, 'true\n')
    })

    test('starts nothing when it is loaded', async (t) => {
        const { code, stderr } = await runProgram(t, `import '@mobiletracker/bridge'`, {
            env: { MOBILE_TRACKER_HOST: '/nowhere' },
        })

        assert.deepEqual([code, stderr], [0, ''])
    })
})

const program = fileURLToPath(new URL('../testsupport/types-program.mts', import.meta.url))
const compiler = spawnSync('tsc', ['--version'], { encoding: 'utf8' })

test('the type definitions are strict and complete', { skip: compiler.error && 'there is no tsc here' }, () => {
    const { stdout, status } = spawnSync('tsc', [
        '--strict', '--noEmit', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--noImplicitOverride',
        '--module', 'nodenext', '--moduleResolution', 'nodenext', '--target', 'es2022', '--lib', 'es2022,dom', program,
    ], { encoding: 'utf8', cwd: fileURLToPath(new URL('..', import.meta.url)) })

    assert.equal(stdout, '')
    assert.equal(status, 0)
})
