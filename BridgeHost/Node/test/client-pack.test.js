import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { suite, test } from 'node:test'
import { findHost } from '../src/client/finder.js'
import { freshFolder } from '../testsupport/hosts.js'
import { packAndInstall, runTool, withoutNpm } from '../testsupport/packages.js'
import { withoutHost } from '../testsupport/real-host.js'

suite('npm pack', { skip: withoutNpm }, () => {
    test('makes a package in which the host is found, and leaves none behind', (t) => {
        const { copy, installed } = packAndInstall(freshFolder(t), '/bin/true')

        const path = findHost({ env: {}, root: installed })
        assert.ok(path.startsWith(installed))
        assert.equal(statSync(path).mode & 0o777, 0o755)
        assert.throws(() => findHost({ env: {}, root: copy }), { code: 'HOST_NOT_FOUND' })
    })

    test('makes a package that works, or says why it would not', { skip: withoutHost }, (t) => {
        const { packed, home } = packAndInstall(freshFolder(t), findHost())

        if (packed.status !== 0) {
            assert.match(packed.stderr, /needs (a Swift toolchain where it runs \(lib.*\)|lib.* has)\. Build it with "make build"\./)
            return
        }
        const program = `
            const { track, shutdown } = require('@mobiletracker/bridge')
            track('A').then(({ reason }) => console.log(reason)).then(shutdown)`
        const { MOBILE_TRACKER_HOST: _, ...env } = process.env
        const { stdout } = runTool(process.execPath, ['--eval', program], { cwd: home, env })
        assert.equal(stdout, 'NOT_INITIALIZED\n')
    })
})
