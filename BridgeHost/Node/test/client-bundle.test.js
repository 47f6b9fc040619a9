import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findHost } from '../src/client/finder.js'
import { freshFolder } from '../testsupport/hosts.js'
import { run } from '../testsupport/programs.js'
import { withoutHost } from '../testsupport/real-host.js'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))

const withoutEsbuild = (() => {
    try {
        execFileSync('esbuild', ['--version'])
        return false
    } catch {
        return 'esbuild is not installed'
    }
})()

const PROGRAMS = {
    imports: `import MobileTracker, { track } from '@mobiletracker/bridge'
        track('A').then(({ reason }) => console.log(reason), ({ message }) => console.log(message)).then(MobileTracker.shutdown)`,
    requires: `const { track, shutdown } = require('@mobiletracker/bridge')
        track('A').then(({ reason }) => console.log(reason), ({ message }) => console.log(message)).then(shutdown)`,
}

/** A program in a folder in which the package is installed. */
function project(t, source) {
    const folder = freshFolder(t)
    mkdirSync(join(folder, 'node_modules', '@mobiletracker'), { recursive: true })
    symlinkSync(PACKAGE, join(folder, 'node_modules', '@mobiletracker', 'bridge'))
    writeFileSync(join(folder, 'service.js'), source)
    return folder
}

function bundle(folder, out, ...options) {
    execFileSync('esbuild', ['service.js', '--bundle', '--platform=node', `--outfile=${out}`, '--log-level=error', ...options], { cwd: folder })
    return join(folder, out)
}

/** Runs a bundle without the variable that names the host of these tests. */
function runBundle(t, path) {
    const { MOBILE_TRACKER_HOST: _, ...env } = process.env
    return run(t, process.execPath, [path], { env: { ...env, NODE_OPTIONS: '' }, cwd: join(path, '..') })
}

suite('a bundle of esbuild', { skip: withoutEsbuild || withoutHost }, () => {
    const forms = {
        'in CommonJS': ['imports', 'out.cjs', '--format=cjs'],
        'in CommonJS of a program that requires': ['requires', 'out.cjs', '--format=cjs'],
        'as an ES module': ['imports', 'out.mjs', '--format=esm'],
    }
    for (const [what, [program, out, ...options]] of Object.entries(forms)) {
        test(`${what} finds the host of the installed package`, async (t) => {
            const { stdout, stderr } = await runBundle(t, bundle(project(t, PROGRAMS[program]), out, ...options))

            assert.equal(stdout, 'NOT_INITIALIZED\n', stderr)
        })

        test(`${what} that runs elsewhere says what to do, and finds the host beside it`, async (t) => {
            const folder = freshFolder(t)
            const path = join(folder, out)
            copyFileSync(bundle(project(t, PROGRAMS[program]), out, ...options), path)

            const { stdout } = await runBundle(t, path)
            assert.ok(stdout.includes(`  ${folder}/BridgeHost (beside the bundle)\n`), stdout)
            assert.match(stdout, /a bundle cannot hold the host.*--external:@mobiletracker\/bridge.*or copy the host beside the bundle/)

            copyFileSync(findHost(), join(folder, 'BridgeHost'))
            assert.equal((await runBundle(t, path)).stdout, 'NOT_INITIALIZED\n')
        })
    }

    test('works by the command of the page', async (t) => {
        const page = readFileSync(new URL('../../../Docs/Node.md', import.meta.url), 'utf8')
        const [, command] = /^ {4}(esbuild .*)$/m.exec(page)
        const folder = project(t, PROGRAMS.imports)

        execFileSync('/bin/sh', ['-c', command], { cwd: folder, stdio: 'pipe' })

        assert.equal((await runBundle(t, join(folder, 'dist', 'service.js'))).stdout, 'NOT_INITIALIZED\n')
    })
})
