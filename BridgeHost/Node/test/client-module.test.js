import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { suite, test } from 'node:test'
import MobileTracker, * as all from '@mobiletracker/bridge'
import { runProgram } from '../testsupport/programs.js'
import { checkTypes, withoutCompiler } from '../testsupport/typescript.js'

suite('the package', () => {
    test('gives the tracker by default and by name', () => {
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

    test('has the same names imported or required, and those that its types export', () => {
        const types = ['index.d.cts', 'protocol.d.cts']
            .map((name) => readFileSync(new URL(`../src/client/${name}`, import.meta.url), 'utf8')).join('')
        const names = [...types.matchAll(/^export (?:const|function|class) (\w+)/gm)].map(([, name]) => name)
        const required = createRequire(import.meta.url)('@mobiletracker/bridge')

        assert.deepEqual(Object.keys(all).sort(), [...names, 'default'].sort())
        assert.deepEqual(Object.getOwnPropertyNames(required).sort(), Object.keys(all).sort())
        for (const name of Object.keys(all)) assert.equal(required[name], all[name], name)
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

for (const kind of ['mts', 'cts']) {
    test(`the type definitions are strict and complete for a program in .${kind}`, { skip: withoutCompiler }, () => {
        assert.equal(checkTypes(`testsupport/types-program.${kind}`), '')
    })
}
