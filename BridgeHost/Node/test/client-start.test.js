import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { explainStart } from '../src/client/explain.js'
import { findHost } from '../src/client/finder.js'
import { THIS_PLATFORM, isMusl } from '../src/client/platforms.js'
import { createTracker } from '../src/client/tracker.js'
import { afterwards, captureWarnings, freshFolder } from '../testsupport/hosts.js'
import { runTool } from '../testsupport/packages.js'
import { runProgram } from '../testsupport/programs.js'
import { withoutHost } from '../testsupport/real-host.js'

const platform = `${process.platform}-${process.arch}`

/** A file there. @returns {string} */
function place(folder, ...names) {
    const path = join(folder, ...names)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, '')
    return path
}

suite('the host is found', () => {
    test('where the option says, else the variable, else the package, else the platform\'s, else the release, else the debug build', (t) => {
        const folder = freshFolder(t)
        const root = join(folder, 'BridgeHost', 'Node')
        const find = (options = {}) => findHost({ env: {}, root, ...options })

        const debug = place(folder, '.build', 'debug', 'BridgeHost')
        assert.equal(find(), debug)
        const release = place(folder, '.build', 'release', 'BridgeHost')
        assert.equal(find(), release)
        const installed = place(folder, 'node_modules', '@mobiletracker', `bridge-${platform}`, 'BridgeHost')
        assert.equal(find(), installed)
        const packed = place(root, 'host', platform, 'BridgeHost')
        assert.equal(find(), packed)
        const named = place(folder, 'named')
        assert.equal(find({ env: { MOBILE_TRACKER_HOST: named } }), named)
        const given = place(folder, 'given')
        assert.equal(find({ hostPath: given, env: { MOBILE_TRACKER_HOST: named } }), given)
    })

    const unreachable = {
        'below a file': (folder) => join(place(folder, 'file'), 'BridgeHost'),
        'below a name that is too long': (folder) => join(folder, 'x'.repeat(300), 'BridgeHost'),
        'below a link to itself': (folder) => {
            symlinkSync('loop', join(folder, 'loop'))
            return join(folder, 'loop', 'BridgeHost')
        },
    }
    for (const [where, pathIn] of Object.entries(unreachable)) {
        test(`not ${where}: the error names that place`, (t) => {
            const path = pathIn(freshFolder(t))

            assert.throws(() => findHost({ env: {}, hostPath: path }), { code: 'HOST_NOT_FOUND', data: { looked: [{ path, origin: 'hostPath' }], why: 'named', platform: THIS_PLATFORM } })
        })
    }

    test('past a place that cannot be reached', (t) => {
        const folder = freshFolder(t)
        const root = join(folder, 'BridgeHost', 'Node')
        place(root, 'host')
        const debug = place(folder, '.build', 'debug', 'BridgeHost')

        assert.equal(findHost({ env: {}, root }), debug)
    })

    test('beside an Electron archive, since no program can be run inside', (t) => {
        const folder = freshFolder(t)
        const inside = join('node_modules', '@mobiletracker', 'bridge')
        const path = place(folder, 'app.asar.unpacked', inside, 'host', platform, 'BridgeHost')

        assert.equal(findHost({ env: {}, root: join(folder, 'app.asar', inside) }), path)
    })

    const relative = {
        'the option': ['{ hostPath: \'host\', ', {}],
        'the variable': ['{ ', { MOBILE_TRACKER_HOST: 'host' }],
    }
    for (const [what, [options, env]] of Object.entries(relative)) {
        test(`where ${what} led when the tracker was made, and runs there, wherever the program goes`, { skip: withoutHost }, async (t) => {
            const folder = freshFolder(t)
            symlinkSync(findHost(), join(folder, 'host'))

            const { stdout, stderr } = await runProgram(t, `
                import { createTracker } from '@mobiletracker/bridge'
                import { chdir } from 'node:process'

                chdir(${JSON.stringify(folder)})
                const tracker = createTracker(${options} hostArguments: ['--storage-dir', 'state'] })
                chdir('/')
                await tracker.basic.initialize({ apiKey: 'key', endpoint: 'http://127.0.0.1:9/events' })
                console.log('initialised')
                await tracker.shutdown()
            `, { env })

            assert.equal(stdout, 'initialised\n', stderr)
            assert.ok(existsSync(join(folder, 'state')))
        })
    }

    const isUser = process.getuid() !== 0 && 'only root can become another user'
    for (const [what, names] of [['a folder', ['closed']], ['a folder in one', ['closed', 'inside']]]) {
        test(`and runs where the program is, if the tracker was made in ${what} that its user may not enter any more`, { skip: isUser }, async (t) => {
            const host = program(t, '#!/bin/sh\necho "It runs in $PWD." >&2\nexit 64\n')
            const folder = join(host, '..')
            chmodSync(folder, 0o755)
            mkdirSync(join(folder, 'closed'), { mode: 0o700 })
            mkdirSync(join(folder, ...names), { recursive: true })

            const { stderr } = await runProgram(t, `
                import { createTracker } from '@mobiletracker/bridge'
                import process from 'node:process'

                process.chdir(${JSON.stringify(join(folder, ...names))})
                const tracker = createTracker({ hostPath: ${JSON.stringify(host)}, stderr: 'ignore' })
                process.setuid(65534)
                process.chdir('/')
                await tracker.init('925', {})
            `)

            assert.match(stderr, /It runs in \/\./)
        })
    }
})

suite('without a host', () => {
    test('the error says where it could have been and how to build it', (t) => {
        const root = join(freshFolder(t), 'BridgeHost', 'Node')

        assert.throws(() => findHost({ env: {}, root }), (error) => {
            assert.equal(error.code, 'HOST_NOT_FOUND')
            assert.equal(error.data.looked.length, 3)
            for (const { path } of error.data.looked) assert.ok(error.message.includes(path), path)
            assert.match(error.message, /make build.*hostPath.*MOBILE_TRACKER_HOST/s)
            return true
        })
    })

    const nowhere = { env: {}, root: join('/nowhere', 'BridgeHost', 'Node') }
    const reasons = [
        ['on a platform that no package is for', { platform: 'win32-x64' }, /No package has a host for win32-x64; there are some for linux-x64, linux-arm64\./],
        ['on a Linux with musl', { platform: 'linux-x64', hasMusl: () => true }, /need glibc.*musl, as on Alpine/],
        ['where npm left it out', { platform: 'linux-x64', hasMusl: () => false }, /Install @mobiletracker\/bridge-linux-x64: npm leaves it out if/],
    ]
    for (const [where, here, sentence] of reasons) {
        test(`${where} the error says why`, () => {
            assert.throws(() => findHost({ ...nowhere, ...here }), { code: 'HOST_NOT_FOUND', message: sentence })
        })
    }

    test('musl is distinguished from glibc', () => {
        const { status } = runTool('getconf', ['GNU_LIBC_VERSION'])
        assert.equal(isMusl(), process.platform === 'linux' && status !== 0)
    })

    test('one that was named wrongly is not replaced by another', (t) => {
        const folder = freshFolder(t)

        assert.throws(() => findHost({ hostPath: join(folder, 'nowhere') }), {
            code: 'HOST_NOT_FOUND',
            message: /You named this place, so no other was searched: correct the path, or leave it out\./,
            data: { looked: [{ path: join(folder, 'nowhere'), origin: 'hostPath' }], why: 'named', platform: THIS_PLATFORM },
        })
        assert.throws(() => findHost({ hostPath: folder }), { code: 'HOST_NOT_FOUND' })
    })

    test('calls reject and the warning comes once', async (t) => {
        const warnings = captureWarnings(t)
        const tracker = createTracker({ hostPath: '/nowhere/BridgeHost' })

        for (const call of [tracker.track('A'), tracker.init('925', {}), tracker.getSessionId()]) {
            await assert.rejects(call, { code: 'HOST_NOT_FOUND' })
        }
        await assert.rejects(tracker.track('B'), { code: 'HOST_NOT_FOUND' })
        await tracker.shutdown()
        assert.equal(warnings.length, 1)
    })
})

/** A program of which only the start matters. */
function program(t, content, mode = 0o755) {
    const path = join(freshFolder(t), 'BridgeHost')
    writeFileSync(path, content)
    chmodSync(path, mode)
    return path
}

/** What a call is told when that is the host. */
async function startError(t, path) {
    captureWarnings(t)
    const tracker = createTracker({ hostPath: path, stderr: 'ignore' })
    afterwards(t, () => tracker.shutdown())
    return tracker.track('A').then(() => assert.fail('It was answered.'), (error) => error)
}

/** The first bytes of a Linux program for a processor. */
function elf(machine) {
    const head = Buffer.alloc(64)
    head.write('\x7fELF\x02\x01\x01', 'latin1')
    head.writeUInt16LE(2, 16)
    head.writeUInt16LE(machine, 18)
    return head
}

suite('a host that cannot start is explained', () => {
    const otherMachine = process.arch === 'x64' ? { number: 0xb7, name: 'arm64' } : { number: 0x3e, name: 'x64' }
    const scripts = {
        'needs GLIBC 2.38, and the C library of this system is older': [
            "for v in 2.34 2.38 2.9; do echo \"$0: libc.so.6: version \\`GLIBC_$v' not found (required by $0)\"; done >&2; exit 1",
        ],
        'needs the library libsqlite3.so.0, which is not installed.': [
            'echo "$0: error while loading shared libraries: libsqlite3.so.0: cannot open" >&2; exit 127',
        ],
        'The system cannot run the host at .*: no such luck.': ['echo "no such luck" >&2; exit 126'],
    }
    for (const [sentence, [script]] of Object.entries(scripts)) {
        test(sentence, async (t) => {
            const error = await startError(t, program(t, `#!/bin/sh\n${script}\n`))

            assert.equal(error.code, 'HOST_START_FAILED')
            assert.match(error.message, new RegExp(sentence.replaceAll(/[()]/g, '\\$&')))
        })
    }

    test('by its right to be executed', async (t) => {
        const error = await startError(t, program(t, '#!/bin/sh\n', 0o644))

        assert.match(error.message, /may not be executed/)
    })

    test('by a missing interpreter', async (t) => {
        const error = await startError(t, program(t, '#!/nowhere/ld-linux.so\n'))

        assert.match(error.message, /needs another C library than this system has/)
    })

    test('by its arguments, in its own words and after one start', { skip: withoutHost }, async (t) => {
        const warnings = captureWarnings(t)
        const tracker = createTracker({ hostArguments: ['--storage-dirr', '/tmp'], stderr: 'ignore' })

        const words = /rejects its arguments \(`hostArguments`\): .*unknown argument '--storage-dirr'/
        await assert.rejects(tracker.track('A'), { code: 'HOST_START_FAILED', message: words })
        assert.equal(warnings.length, 1)
        assert.match(warnings[0], words)
    })

    test('by another processor', async (t) => {
        const error = await startError(t, program(t, elf(otherMachine.number)))

        assert.match(error.message, new RegExp(`was built for linux-${otherMachine.name}, and this is ${platform}`))
    })

    test('by another system', async (t) => {
        const macho = Buffer.alloc(64)
        macho.writeUInt32LE(0xfeedfacf, 0)
        macho.writeUInt32LE(0x0100000c, 4)
        const error = await startError(t, program(t, macho))

        assert.match(error.message, /was built for darwin-arm64/)
    })

    test('but an ordinary crash is not', (t) => {
        const path = program(t, '#!/bin/sh\n')

        assert.equal(explainStart(path, { code: null, signal: 'SIGSEGV', stderr: '' }), null)
        assert.equal(explainStart(path, { code: 1, signal: null, stderr: 'Fatal error' }), null)
        assert.equal(explainStart(path, { error: Object.assign(new Error(), { code: 'EAGAIN' }), stderr: '' }), null)
    })
})
