import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { runTool } from '../testsupport/packages.js'
import { run } from '../testsupport/programs.js'
import { against, exampleIn } from '../testsupport/readme.js'
import { eventNames, problemsOf, WAIT_MS } from '../testsupport/real-host.js'
import { startRegistry } from '../testsupport/registry.js'

const PAGE = new URL('../README.md', import.meta.url)
const PLATFORM = `${process.platform}-${process.arch}`
const { version: VERSION } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** The folder whose content is tested, as `make dist` names it. */
const { DIST } = process.env
const skip = DIST ? false : 'make dist runs these tests, on what it has made'

/** A folder of a user, with an environment in which there is nothing but Node. */
function userIn(folder) {
    const home = join(folder, 'home')
    for (const name of ['home', 'bin']) mkdirSync(join(folder, name))
    symlinkSync(process.execPath, join(folder, 'bin', 'node'))
    return { home, env: { PATH: join(folder, 'bin'), HOME: home, XDG_STATE_HOME: join(folder, 'state') } }
}

/** Has npm install something, which must succeed. npm itself needs more than Node. */
async function install(t, home, ...words) {
    const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--cache', join(home, '.npm')]
    const { code, stderr } = await run(t, 'npm', ['install', ...quiet, '--prefix', home, ...words], { cwd: home })
    assert.equal(code, 0, stderr)
    return readdirSync(join(home, 'node_modules', '@mobiletracker')).sort()
}

/** Runs the example of the package's page, and shows that it does what it says. */
async function runExample(t, { home, env }) {
    const collector = await startCollector()
    afterwards(t, () => collector.close())
    writeFileSync(join(home, 'example.mjs'), against(collector.url, exampleIn(PAGE, 'js')))

    const { code, stderr } = await run(t, 'node', ['example.mjs'], { cwd: home, env })

    assert.equal(code, 0, stderr)
    await collector.wait({ kind: 'event', timeoutMs: WAIT_MS })
    assert.deepEqual(eventNames(collector), ['PURCHASE'])
    assert.deepEqual(problemsOf(collector), [])
}

/** The host of the package that has it in it. */
const hostIn = (home) => join(home, 'node_modules/@mobiletracker/bridge/host', PLATFORM, 'BridgeHost')
const tarball = (...names) => resolve(DIST, ...names)
const client = () => tarball('npm', `mobiletracker-bridge-${VERSION}.tgz`)
const host = () => tarball('npm', `mobiletracker-bridge-${PLATFORM}-${VERSION}.tgz`)

suite('what is distributed', { skip }, () => {
    test('has a checksum for every file', () => {
        const { status, stdout } = runTool('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: DIST })
        const listed = readFileSync(join(DIST, 'SHA256SUMS'), 'utf8').trim().split('\n').map((line) => line.slice(66))
        const there = readdirSync(DIST, { recursive: true }).filter((name) => statSync(join(DIST, name)).isFile())

        assert.equal(status, 0, stdout)
        assert.deepEqual(listed.sort(), there.filter((name) => name !== 'SHA256SUMS').sort())
    })

    test('is one file that runs the README\'s example where there is nothing but Node and libcurl', async (t) => {
        const user = userIn(freshFolder(t))

        const installed = await install(t, user.home, '--offline', tarball(`mobiletracker-bridge-${VERSION}.tgz`))

        assert.deepEqual(installed, ['bridge'])
        assert.ok(statSync(hostIn(user.home)).size <= 16_000_000)
        await runExample(t, user)
    })

    test('asks glibc for nothing that 2.31 does not have', { skip: process.platform !== 'linux' }, async (t) => {
        const { home } = userIn(freshFolder(t))
        await install(t, home, '--offline', tarball(`mobiletracker-bridge-${VERSION}.tgz`))

        const { stdout } = runTool('readelf', ['--version-info', '--wide', hostIn(home)])

        const names = [...stdout.matchAll(/Name: (GLIBC_\S+)/g)].map(([, name]) => name)
        const minorOf = (name) => Number(/^GLIBC_2\.(\d+)/.exec(name)?.[1] ?? NaN) // NaN: packed relocations, since 2.36.
        assert.ok(names.length > 0, stdout)
        assert.deepEqual(names.filter((name) => !(minorOf(name) <= 31)), [])
    })

    test('comes from a registry with the host for this platform', async (t) => {
        const user = userIn(freshFolder(t))
        const registry = await startRegistry(t, [client(), host()])

        const installed = await install(t, user.home, '--registry', registry, '@mobiletracker/bridge')

        assert.deepEqual(installed, ['bridge', `bridge-${PLATFORM}`])
        await runExample(t, user)
    })

    for (const [what, word, npm] of [
        ['for another system', '--os=win32', 10], ['for musl', '--libc=musl', 10],
        ['without optional dependencies', '--omit=optional', 7],
    ]) {
        const isOld = parseInt(runTool('npm', ['--version']).stdout) < npm && `npm is older than ${npm}`
        test(`comes from a registry ${what} without a host, and says what to do`, { skip: isOld }, async (t) => {
            const { home, env } = userIn(freshFolder(t))
            const registry = await startRegistry(t, [client(), host()])

            const installed = await install(t, home, '--registry', registry, word, '@mobiletracker/bridge')

            assert.deepEqual(installed, ['bridge'])
            writeFileSync(join(home, 'program.mjs'), 'await (await import(\'@mobiletracker/bridge\')).track(\'A\')\n')
            const { code, stderr } = await run(t, 'node', ['program.mjs'], { cwd: home, env })
            assert.equal(code, 1)
            assert.match(stderr, new RegExp(`Install @mobiletracker/bridge-${PLATFORM}: npm leaves it out`))
        })
    }

    test('has in each package the licence, a page and the version', () => {
        for (const path of [tarball(`mobiletracker-bridge-${VERSION}.tgz`), client(), host()]) {
            const textOf = (name) => runTool('tar', ['-xzOf', path, `package/${name}`]).stdout
            assert.equal(textOf('LICENSE'), readFileSync(new URL('../../../LICENSE', import.meta.url), 'utf8'))
            assert.match(textOf('README.md'), /^# @mobiletracker\/bridge/)
            assert.equal(JSON.parse(textOf('package.json')).version, VERSION)
        }
    })
})
