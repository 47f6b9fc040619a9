import assert from 'node:assert/strict'
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { findHost } from '../src/client/finder.js'
import { freshFolder } from '../testsupport/hosts.js'
import { packAndInstall, runTool, withoutNpm } from '../testsupport/packages.js'
import { checkTypesIn, withoutCompiler } from '../testsupport/typescript.js'

const RELEASE = fileURLToPath(new URL('../../../.build/release/BridgeHost', import.meta.url))
const TOOL = fileURLToPath(new URL('../tools/registry-packages.js', import.meta.url))
const withoutRelease = existsSync(RELEASE) ? false : 'there is no release host; "make build" builds it'

suite('npm pack', { skip: withoutNpm }, () => {
    test('makes a package in which the host is found, and leaves none behind', (t) => {
        const { copy, installed } = packAndInstall(freshFolder(t), '/bin/true')

        const path = findHost({ env: {}, root: installed })
        assert.ok(path.startsWith(installed))
        assert.equal(statSync(path).mode & 0o777, 0o755)
        assert.throws(() => findHost({ env: {}, root: copy }), { code: 'HOST_NOT_FOUND' })
    })

    test('makes a package with the whole of the collector\'s page', (t) => {
        const { installed } = packAndInstall(freshFolder(t), '/bin/true')

        const page = join('src', 'collector', 'page')
        assert.deepEqual(readdirSync(join(installed, page)), readdirSync(new URL('../src/collector/page/', import.meta.url)))
        assert.ok(readdirSync(join(installed, page)).includes('index.html'))
    })

    test('makes a package with the licence of the repository and its own page', (t) => {
        const { installed } = packAndInstall(freshFolder(t), '/bin/true')

        const textOf = (path) => readFileSync(path, 'utf8')
        assert.equal(textOf(join(installed, 'LICENSE')), textOf(new URL('../../../LICENSE', import.meta.url)))
        assert.equal(textOf(join(installed, 'README.md')), textOf(new URL('../README.md', import.meta.url)))
    })

    test('makes a package with types for ES modules and for CommonJS', { skip: withoutCompiler }, (t) => {
        const { home } = packAndInstall(freshFolder(t), '/bin/true')
        const programs = ['types-program.mts', 'types-program.cts', 'collector-program.mts']
        for (const name of programs) cpSync(new URL(`../testsupport/${name}`, import.meta.url), join(home, name))

        assert.equal(checkTypesIn(home, ...programs), '')
    })

    test('makes a package with types for compilers that know no exports', { skip: withoutCompiler }, (t) => {
        const { home } = packAndInstall(freshFolder(t), '/bin/true')
        cpSync(new URL('../testsupport/types-program.cts', import.meta.url), join(home, 'program.ts'))

        assert.equal(checkTypesIn(home, '--module', 'commonjs', '--moduleResolution', 'node', 'program.ts'), '')
    })

    test('makes a package that works', { skip: withoutRelease }, (t) => {
        const { packed, home } = packAndInstall(freshFolder(t), RELEASE)

        assert.equal(packed.status, 0, packed.stderr)
        const program = `
            const { track, shutdown } = require('@mobiletracker/bridge')
            track('A').then(({ reason }) => console.log(reason)).then(shutdown)`
        const { MOBILE_TRACKER_HOST: _, ...env } = process.env
        const { stdout } = runTool(process.execPath, ['--eval', program], { cwd: home, env })
        assert.equal(stdout, 'NOT_INITIALIZED\n')
    })

    const refused = {
        swiftCore: 'needs a Swift toolchain where it runs (libswiftCore.so). Build it with "make build".',
        odd: 'needs libodd.so, which not every machine has. Build it with "make build".',
    }
    for (const [library, reason] of Object.entries(refused)) {
        test(`refuses a host that needs lib${library}, and says why`, (t) => {
            const folder = freshFolder(t)
            const { packed } = packAndInstall(folder, programThatNeeds(library, folder))

            assert.notEqual(packed.status, 0)
            assert.ok(packed.stderr.includes(reason), packed.stderr)
        })
    }

    test('makes the package of the platform that the host is for', (t) => {
        const folder = freshFolder(t)
        const { host, arch } = programForAnotherProcessor(folder)
        const env = { ...process.env, MOBILE_TRACKER_HOST: host, STRIP: 'true' }

        const { packed, installed } = packAndInstall(folder, host, { STRIP: 'true' })
        const { status, stderr } = runTool(process.execPath, [TOOL, join(folder, 'packages')], { env })

        assert.equal(packed.status, 0, packed.stderr)
        assert.deepEqual(readdirSync(join(installed, 'host')), [`linux-${arch}`])
        assert.equal(status, 0, stderr)
        const name = readdirSync(join(folder, 'packages')).find((file) => file.includes(`bridge-linux-${arch}-`))
        const manifest = runTool('tar', ['-xzOf', join(folder, 'packages', name), 'package/package.json']).stdout
        assert.deepEqual(JSON.parse(manifest).cpu, [arch])
    })

    test('is not made for a registry if the host needs a newer glibc', (t) => {
        const folder = freshFolder(t)
        const env = { ...process.env, MOBILE_TRACKER_HOST: programForGlibc('2.99', folder) }

        const { status, stderr } = runTool(process.execPath, [TOOL, join(folder, 'packages')], { env })

        assert.equal(status, 1)
        assert.match(stderr, /needs glibc 2\.99, and a package has to run with 2\.31\. Build it with "\.ci\/build-host portable"\./)
        assert.deepEqual(readdirSync(join(folder, 'packages')).filter((name) => name.includes('linux')), [])
    })
})

/** Makes a program that needs no library, for the other one of the two processors that packages are made for. */
function programForAnotherProcessor(folder) {
    const path = join(folder, 'other')
    runTool('cc', ['-nostdlib', '-static', '-o', path, '-x', 'c', '-'], { input: 'void _start(void) {}\n' })
    const program = readFileSync(path)
    const [arch, machine] = process.arch === 'x64' ? ['arm64', 0xb7] : ['x64', 0x3e]
    program.writeUInt16LE(machine, 18)
    writeFileSync(path, program)
    return { host: path, arch }
}

/** Makes a program that is linked with a part of glibc of that version. */
function programForGlibc(version, folder) {
    const [source, versions, library] = ['part.c', 'versions', 'libpart.so'].map((name) => join(folder, name))
    writeFileSync(source, 'void part(void) {}\n')
    writeFileSync(versions, `GLIBC_${version} { global: part; };\n`)
    runTool('cc', ['-shared', '-Wl,-soname,libutil.so.1', `-Wl,--version-script=${versions}`, '-o', library, source])
    writeFileSync(source, 'void part(void);\nint main(void) { part(); return 0; }\n')
    const path = join(folder, 'BridgeHost')
    runTool('cc', ['-o', path, source, library])
    return path
}

/** Makes a program that is linked with a library of that name. */
function programThatNeeds(library, folder) {
    const [source, path] = [join(folder, 'main.c'), join(folder, 'BridgeHost')]
    writeFileSync(source, 'int main(void) { return 0; }\n')
    runTool('cc', ['-shared', '-o', join(folder, `lib${library}.so`), '-x', 'c', '/dev/null'])
    runTool('cc', ['-o', path, source, `-L${folder}`, '-Wl,--no-as-needed', `-l${library}`])
    return path
}
