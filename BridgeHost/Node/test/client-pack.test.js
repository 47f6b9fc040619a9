import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite, test } from 'node:test'
import { findHost } from '../src/client/finder.js'
import { freshFolder } from '../testsupport/hosts.js'
import { withoutHost } from '../testsupport/real-host.js'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))

/** Makes a package of a copy of this one, with that host, and installs it elsewhere. */
function packAndInstall(t, host) {
    const folder = freshFolder(t)
    const copy = join(folder, 'copy')
    for (const name of ['package.json', 'src', 'bin', 'tools']) {
        cpSync(join(PACKAGE, name), join(copy, name), { recursive: true })
    }
    const packed = run('npm', ['pack', '--offline', '--silent', '--pack-destination', folder], {
        cwd: copy,
        env: { ...process.env, MOBILE_TRACKER_HOST: host, NO_UPDATE_NOTIFIER: '1' },
    })
    if (packed.status !== 0) return { packed }
    const installed = join(folder, 'node_modules', '@mobiletracker', 'bridge')
    mkdirSync(installed, { recursive: true })
    run('tar', ['-xzf', join(folder, packed.stdout.trim().split('\n').at(-1)), '-C', installed, '--strip-components=1'])
    return { packed, copy, installed }
}

function run(command, args, options) {
    return spawnSync(command, args, { encoding: 'utf8', ...options })
}

const npm = run('npm', ['--version'])

suite('npm pack', { skip: npm.error && 'there is no npm here' }, () => {
    test('makes a package in which the host is found, and leaves none behind', (t) => {
        const { copy, installed } = packAndInstall(t, '/bin/true')

        const path = findHost({ env: {}, root: installed })
        assert.ok(path.startsWith(installed))
        assert.equal(statSync(path).mode & 0o777, 0o755)
        assert.throws(() => findHost({ env: {}, root: copy }), { code: 'HOST_NOT_FOUND' })
    })

    test('makes a package that works, or says why it would not', { skip: withoutHost }, (t) => {
        const { packed, installed } = packAndInstall(t, findHost())

        if (packed.status !== 0) {
            assert.match(packed.stderr, /needs a Swift toolchain where it runs \(lib.*\)\. Build it with "make build"\./)
            return
        }
        const program = `
            const { track, shutdown } = require('@mobiletracker/bridge')
            track('A').then(({ reason }) => console.log(reason)).then(shutdown)`
        const { MOBILE_TRACKER_HOST: _, ...env } = process.env
        const { stdout } = run(process.execPath, ['--eval', program], { cwd: join(installed, '..', '..', '..'), env })
        assert.equal(stdout, 'NOT_INITIALIZED\n')
    })
})
