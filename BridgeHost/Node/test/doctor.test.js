import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { findHost } from '../src/client/finder.js'
import { createTracker } from '../src/client/tracker.js'
import { examineServer } from '../src/doctor/server.js'
import { startAgent } from '../testsupport/agents.js'
import { certificate } from '../testsupport/certificate.js'
import { COMMAND, runCommand } from '../testsupport/commands.js'
import { afterwards, freshFolder, inTime } from '../testsupport/hosts.js'
import { run } from '../testsupport/programs.js'
import { KEY, realTracker, withoutHost } from '../testsupport/real-host.js'

/** Runs the doctor in an environment of its own. */
async function doctor(t, words, env = {}) {
    const { code, stdout, stderr, took } = await run(t, process.execPath, [COMMAND, 'doctor', ...words], { env: { ...process.env, ...env } })
    return { code, out: stdout, errors: stderr, took }
}

/** A server that answers so, and its address. */
async function serverThat(t, listener, options) {
    const server = options ? createSecureServer(options, listener) : createServer(listener)
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    afterwards(t, () => new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
    }))
    return `${options ? 'https' : 'http'}://127.0.0.1:${server.address().port}`
}

suite('the doctor, of the host', () => {
    test('says where it searched for the host', async (t) => {
        const { code, out } = await doctor(t, ['--storage-dir', freshFolder(t)], { MOBILE_TRACKER_HOST: '/nowhere/BridgeHost' })

        assert.equal(code, 1)
        assert.match(out, /^Host\n {2}✘ The host program was not found\..*\n {6}Looked at \/nowhere\/BridgeHost \(MOBILE_TRACKER_HOST\)\. .*[Bb]uild it with "make build"/)
    })

    test('says why it does not start', async (t) => {
        const path = join(freshFolder(t), 'BridgeHost')
        writeFileSync(path, '#!/bin/sh\necho "x: error while loading shared libraries: libsqlite3.so.0: cannot open" >&2\nexit 127\n')
        chmodSync(path, 0o755)
        const { code, out } = await doctor(t, ['--storage-dir', freshFolder(t)], { MOBILE_TRACKER_HOST: path })

        assert.equal(code, 1)
        assert.match(out, /✘ The host at .* needs the library libsqlite3\.so\.0, which is not installed\./)
    })

    test('names the libraries that are missing, and no others', { skip: withoutHost }, async (t) => {
        const path = join(freshFolder(t), 'BridgeHost')
        writeFileSync(path, readFileSync(findHost()).toString('latin1').replaceAll('libm.so.6', 'libm.so.9'), 'latin1')
        chmodSync(path, 0o755)
        const { code, out } = await doctor(t, ['--storage-dir', freshFolder(t)], { MOBILE_TRACKER_HOST: path })

        assert.equal(code, 1)
        assert.match(out, /✘ Libraries are missing: libm\.so\.9\.\n {6}Install them with the packages of this system\.\n/)
    })

    for (const [what, printed] of [
        ['another version', '{"name":"mobile-tracker","version":"0.0.1"}'],
        ['an earlier version, which prints text', 'mobile-tracker 0.0.1\nlibcurl 7.88.1'],
    ]) {
        test(`names ${what}`, async (t) => {
            const path = join(freshFolder(t), 'BridgeHost')
            writeFileSync(path, `#!/bin/sh\necho '${printed}'\n`)
            chmodSync(path, 0o755)
            const { out } = await doctor(t, ['--storage-dir', '/nowhere'], { MOBILE_TRACKER_HOST: path })

            assert.match(out, /! mobile-tracker 0\.0\.1 starts, and the package is \d/)
        })
    }

    for (const [what, printed] of [['a text', 'tracker 0.0.1'], ['an array', '["mobile-tracker"]'], ['nothing', '']]) {
        test(`knows a program that prints ${what} for another`, async (t) => {
            const path = join(freshFolder(t), 'BridgeHost')
            writeFileSync(path, `#!/bin/sh\necho '${printed}'\n`)
            chmodSync(path, 0o755)
            const { code, out } = await doctor(t, ['--storage-dir', '/nowhere'], { MOBILE_TRACKER_HOST: path })

            assert.equal(code, 1)
            assert.ok(out.includes(`✘ It is not the host program: --version says "${printed}".`), out)
        })
    }
})

suite('the doctor, of a folder that the host cannot read', () => {
    const entry = JSON.stringify({ level: 'error', message: 'the state folder is locked', at: '2025-11-27T10:30:00.000Z' })
    const cases = {
        'its own message among what else its process prints': [`A library starts.\n${entry}\nA library ends.`, 'the state folder is locked'],
        'the last line of a host that logs no messages': ['one\ntwo', 'two'],
    }
    for (const [what, [printed, words]] of Object.entries(cases)) {
        test(`says ${what}`, async (t) => {
            const folder = freshFolder(t)
            const path = join(folder, 'BridgeHost')
            writeFileSync(join(folder, 'log'), printed)
            writeFileSync(path, `#!/bin/sh
                [ "$1 $2" = '--version --log-format' ] && exec echo '{"name":"mobile-tracker","version":"0.1.0"}'
                [ "$1 $3 $4" = '--inspect --log-format json' ] && cat '${join(folder, 'log')}' >&2
                exit 1
            `)
            chmodSync(path, 0o755)
            const { code, out } = await doctor(t, ['--storage-dir', folder], { MOBILE_TRACKER_HOST: path })

            assert.equal(code, 1)
            assert.ok(out.includes(`✘ The host cannot read it: ${words}\n`), out)
        })
    }
})

suite('the doctor, of an agent', { skip: withoutHost }, () => {
    /** Without a host: none is needed. */
    const NO_HOST = { MOBILE_TRACKER_HOST: '/nowhere/BridgeHost' }

    test('says that it answers, who may connect, and that nothing waits', async (t) => {
        const folder = freshFolder(t)
        const { path } = await startAgent(t, folder)
        const { code, out } = await doctor(t, ['--agent', path], NO_HOST)

        assert.equal(code, 0, out)
        const { uid, username } = userInfo()
        assert.equal(out.split('\n')[0], `Agent  ${path}`)
        assert.match(out, new RegExp(`\\n {2}✔ mobile-tracker \\S+ answers\\n {2}✔ It serves user ${username} \\(${uid}\\)( and root)? \\(mode 0600\\)\\n`))
        assert.match(out, /✔ It has no queue open: nothing waits\n\n3 good, 0 to check, 0 wrong\.\n$/)
    })

    test('names the group that may connect, and a file that lets all in', async (t) => {
        const folder = freshFolder(t)
        const { path } = await startAgent(t, folder, ['--listen-mode', '0660'])
        const group = await doctor(t, [], { ...NO_HOST, MOBILE_TRACKER_AGENT: path })
        chmodSync(path, 0o666)
        const all = await doctor(t, ['--agent', path], NO_HOST)

        assert.match(group.out, /✔ It serves user .*, the members of group .+ \(\d+\)( and root)? \(mode 0660\)|user .* and the members of group .+ \(mode 0660\)/)
        assert.match(all.out, /! It serves .* \(mode 0666\), and refuses all others, whom the file lets in\n {6}chmod 0660 /)
    })

    test('judges its queues, and the state folder that is named', async (t) => {
        const { collector, folder, config } = await realTracker(t)
        const { path } = await startAgent(t, folder)
        const tracker = createTracker({ agent: path, stderr: 'ignore', warnings: false })
        afterwards(t, () => tracker.shutdown())
        await tracker.init('925', { ...config(), storageDirectory: undefined })
        await tracker.track('A')
        await tracker.flush()
        const well = await doctor(t, ['--agent', path], NO_HOST)
        collector.faults('401×always')
        await tracker.track('B')
        await tracker.flush()
        const halted = await doctor(t, ['--agent', path, '--storage-dir', join(folder, 'state')])

        assert.equal(well.code, 0, well.out)
        assert.match(well.out, /✔ MobileTracker: nothing waits; 1 delivered since the agent has opened it\n/)
        assert.equal(halted.code, 1, halted.out)
        assert.match(halted.out, /✘ MobileTracker: 1 waits, the oldest for \d+ s; 1 delivered .*\. Delivery is halted: the server refuses the key or the address\n/)
        assert.match(halted.out, /\nHost {2}.*\n[^]*\nState folder {2}.*state\n[^]*process \d+ \(BridgeHost of .*\) has halted/)
    })

    test('says why it cannot be used', async (t) => {
        const folder = freshFolder(t)
        const { path } = await startAgent(t, folder, ['--max-connections', '1'])
        const other = createTracker({ agent: path, stderr: 'ignore' })
        afterwards(t, () => other.shutdown())
        await other.isTrackingAllowed()
        const full = await doctor(t, ['--agent', path])
        const none = await doctor(t, ['--agent', join(folder, 'none')])
        const file = await doctor(t, ['--agent', COMMAND])
        const outcomes = [full, none, file]

        assert.deepEqual(outcomes.map(({ code }) => code), [1, 1, 1])
        assert.match(full.out, /✘ It cannot be used: 1 client is connected, and no more may be/)
        assert.match(none.out, /✘ There is no such socket: no agent listens there\n {6}Start it: BridgeHost --listen .*none, or/)
        assert.match(file.out, /✘ There is no agent at .*: it is a file, and no socket\./)
        for (const { out } of outcomes) assert.ok(!out.includes('Host  ') && !out.includes('State folder'), out)
    })

    test('says that a killed agent has left its socket', async (t) => {
        const { path, pid } = await startAgent(t, freshFolder(t))
        process.kill(pid, 'SIGSTOP') // A client that connects meanwhile is not answered, and hears of the end.
        const waiting = connect(path)
        await once(waiting, 'connect')
        process.kill(pid, 'SIGKILL')
        await new Promise((resolve) => waiting.resume().on('error', () => {}).on('close', resolve))
        const { code, out } = await doctor(t, ['--agent', path])

        assert.equal(code, 1)
        assert.match(out, /✘ Nobody listens at this socket: its agent was killed\n {6}Start it again: BridgeHost --listen /)
    })

    test('with auto goes on to the host where no agent listens', async (t) => {
        const folder = freshFolder(t)
        const { code, out } = await doctor(t, ['--agent', 'auto', '--storage-dir', folder], { XDG_RUNTIME_DIR: folder })

        assert.equal(code, 0, out)
        assert.match(out, /^Agent {2}.*\n {2}✔ No agent listens there: the program starts a host of its own\n\nHost {2}/)
    })
})

suite('the doctor, of the environment', () => {
    const findings = {
        false: /✘ MOBILE_TRACKER_ENABLED is false: nothing is stored or sent, and calls are dropped as DISABLED\n {6}Unset/,
        OFF: /✘ MOBILE_TRACKER_ENABLED is off: nothing is stored/,
        maybe: /✘ MOBILE_TRACKER_ENABLED is "maybe", and every init fails\n/,
    }
    for (const [word, finding] of Object.entries(findings)) {
        test(`says that MOBILE_TRACKER_ENABLED is ${word}`, async (t) => {
            const { code, out } = await doctor(t, ['--storage-dir', freshFolder(t)], { MOBILE_TRACKER_ENABLED: word })

            assert.equal(code, 1)
            assert.match(out, finding)
        })
    }

    for (const word of ['true', 'On', '1', '']) {
        test(`is content with "${word}" in MOBILE_TRACKER_ENABLED`, async (t) => {
            const { out } = await doctor(t, ['--storage-dir', freshFolder(t)], { MOBILE_TRACKER_ENABLED: word })

            assert.ok(!out.includes('ENABLED'), out)
        })
    }

    const proxied = [
        ['http://127.0.0.1', '', true],
        ['http://127.0.0.1', '127.0.0.1', false],
        ['http://127.0.0.1', 'example.com, 127.0.0.0/8', false],
        ['http://127.0.0.1', '10.0.0.0/8', true],
        ['http://127.0.0.1', '*', false],
        ['http://[::1]', '[::1]', false],
        ['https://collector.example.com', '.example.com', false],
        ['https://collector.example.com', 'EXAMPLE.com', false],
        ['https://collector.example.com', 'ample.com,collector', true],
    ]
    for (const [address, exempt, isProxied] of proxied) {
        test(`knows that ${address} ${isProxied ? 'goes through a proxy' : 'needs no proxy'} with no_proxy "${exempt}"`, async () => {
            // The port takes no connection, and the name is not looked up: what is said of the proxy comes first.
            const variable = address.startsWith('https') ? 'https_proxy' : 'http_proxy'
            for (const name of ['no_proxy', 'NO_PROXY']) {
                const env = { [variable]: 'http://127.0.0.1:1', [name]: exempt }
                const [finding] = await examineServer(new URL(`${address}:1`), { env }).then((section) => section.findings)
                assert.equal(finding.what.startsWith(`The host goes through the proxy that ${variable} names`), isProxied, finding.what)
            }
        })
    }
})

suite('the doctor, of libcurl', { skip: withoutHost }, () => {
    test('says that it is too old, and what to install', async (t) => {
        const folder = freshFolder(t)
        const info = 'struct { int age; const char *version; unsigned number; } info = { 10, "7.68.0", 0x074400 };'
        writeFileSync(join(folder, 'curl.c'), `${info}\nvoid *curl_version_info(int now) { return &info; }\n`)
        execFileSync('cc', ['-shared', '-fPIC', '-o', 'libcurl.so.4', 'curl.c'], { cwd: folder })
        const { code, out } = await doctor(t, ['--storage-dir', folder], { LD_LIBRARY_PATH: folder })

        assert.equal(code, 1, out)
        assert.match(out, /✘ libcurl cannot be loaded: it is of version 7\.68\.0\. Install libcurl 7\.74 or newer/)
    })
})

suite('the doctor, of the state folder', { skip: withoutHost }, () => {
    test('says that all is well', async (t) => {
        const { tracker, folder, config } = await realTracker(t)
        await tracker.init('925', config())
        await tracker.track('A')
        await tracker.flush()
        const { code, out } = await doctor(t, ['--storage-dir', folder])

        assert.equal(code, 0, out)
        assert.match(out, /✔ mobile-tracker \S+ starts\n {2}✔ libcurl [\d.]+ is there\n {2}✔ Its libraries are there/)
        assert.match(out, /✔ It can be written, by this user alone\n {2}✔ .* are free\n/)
        assert.match(out, /✔ MobileTracker 925 → http:\/\/127\.0\.0\.1:\d+: nothing waits; 1 of 1 delivered\n/)
        assert.match(out, /\d good, 0 to check, 0 wrong\.\n$/)
    })

    test('says what waits, and that no program has it open', async (t) => {
        const { tracker, collector, folder, config } = await realTracker(t, { hostArguments: ['--shutdown-timeout', '0'] })
        await tracker.init('925', config())
        collector.faults('stall×always')
        await tracker.track('A', { a: 1 })
        await tracker.track('B')
        await tracker.shutdown()
        const { code, out } = await doctor(t, ['--storage-dir', folder])

        assert.equal(code, 0)
        assert.match(out, /! MobileTracker 925 → \S+: 2 wait \(\d+ bytes, the oldest for \d+ s\); 0 of 2 delivered; no program has it open\n {6}Start the program that tracks/)
    })

    test('says since when and why delivery is halted, and when the next try is', async (t) => {
        const { tracker, collector, folder, config, pid } = await realTracker(t)
        await tracker.init('925', config({ haltRetryMs: 600_000 }))
        collector.faults('401×always')
        const before = new Date().toISOString()
        await tracker.track('A')
        assert.equal((await tracker.flush()).stoppedBy, 'halted')
        const { code, out } = await doctor(t, ['--storage-dir', folder])

        assert.equal(code, 0)
        const line = new RegExp(
            `! MobileTracker 925 .* 1 waits .*; process ${pid()} \\(.*\\) has halted \\d+ s ago \\((\\S+Z)\\): 127\\S+ answered 401\n`
                + ' {6}It keeps the queue\\. The next try is at (\\S+Z)\\. Mend the key',
        )
        const [, since, next] = line.exec(out) ?? assert.fail(out)
        assert.ok(since >= before, since)
        assert.equal(Math.round((Date.parse(next) - Date.parse(since)) / 1000), 600)

        collector.faults('')
        await tracker.setCredentials({ key: KEY })
        await tracker.flush()
        const { lanes } = JSON.parse((await run(t, findHost(), ['--inspect', folder])).stdout)
        assert.deepEqual([lanes[0].halted, lanes[0].delivered], [null, 1])
    })

    test('says who delivers', async (t) => {
        const { tracker, collector, folder, config, pid } = await realTracker(t, { hostArguments: ['--shutdown-timeout', '0'] })
        await tracker.init('925', config())
        collector.faults('stall×always')
        const arrived = new Promise((resolve) => collector.listen(({ kind }) => kind === 'event' && resolve()))
        await tracker.track('A')
        await inTime(arrived)
        const { out } = await doctor(t, ['--storage-dir', folder])

        const process = `process ${pid()} \\(BridgeHost of .*node.*\\)`
        assert.match(out, new RegExp(`! MobileTracker 925 .* 1 waits .*; 0 of 1 delivered; ${process} tries to deliver\n {6}None`))

        collector.faults('200,stall×always')
        tracker.networkDidChange()
        const next = new Promise((resolve) => collector.listen(({ items }) => items[0].name === 'B' && resolve()))
        await tracker.track('B')
        await inTime(next)
        const later = await doctor(t, ['--storage-dir', folder])
        assert.match(later.out, new RegExp(`✔ MobileTracker 925 .* 1 waits .*; 1 of 2 delivered; ${process} delivers`))
    })

    test('says what the server refused', async (t) => {
        const { tracker, collector, folder, config } = await realTracker(t)
        await tracker.init('925', config())
        collector.faults('400:kind=event')
        await tracker.track('A')
        await tracker.flush()
        const { out } = await doctor(t, ['--storage-dir', folder])

        assert.match(out, /! MobileTracker 925 → \S+: nothing waits; 0 of 1 delivered\n {6}All were dropped/)
        assert.match(out, /! MobileTracker 925 → \S+: 1 was dropped since it was made: 1 rejected\(400\)\n {6}The server refused those/)
        const command = `mobile-tracker refused list --client tracker --storage-dir ${folder}`
        assert.match(out, /! MobileTracker 925 → \S+: 1 was refused by the server and kept apart: 1 rejected\(400\)\n {6}What it answered: /)
        assert.ok(out.includes(`What it answered: ${command}\n`), out)
    })

    test('says that nothing was accepted yet', async (t) => {
        const { tracker, folder, config } = await realTracker(t)
        await tracker.init('925', config())
        const { out } = await doctor(t, ['--storage-dir', folder])

        assert.match(out, /! MobileTracker 925 → \S+: no event was accepted yet\n {6}Call track/)
    })

    test('says that consent stands in the way', async (t) => {
        const { tracker, folder, config } = await realTracker(t)
        await tracker.init('925', config({ consent: 'pending' }))
        await tracker.track('A')
        const { out } = await doctor(t, ['--storage-dir', folder])

        assert.match(out, /! MobileTracker 925 .* 1 waits .*; consent is pending\n {6}They are sent once setConsent\('granted'\) is called/)
    })

    test('distinguishes the queues of two write keys, and shows neither key', async (t) => {
        const { tracker, collector, folder } = await realTracker(t)
        for (const writeKey of ['write-key-of-shop', 'write-key-of-blog']) {
            await tracker.analytics.initialize({ writeKey, ingestionHost: collector.url })
            await tracker.analytics.track('A')
            await tracker.analytics.reset()
        }
        const { out } = await doctor(t, ['--storage-dir', folder])

        const keys = [...out.matchAll(/AnalyticsClient \(write key #([0-9a-f]{8})\) → \S+: nothing waits/g)].map(([, key]) => key)
        assert.equal(new Set(keys).size, 2, out)
        assert.doesNotMatch(out, /write-key/)
    })

    test('changes nothing', async (t) => {
        const folder = freshFolder(t)
        const { out } = await doctor(t, ['--storage-dir', folder])

        assert.match(out, /! It has no database: nothing was tracked yet/)
        assert.deepEqual(readdirSync(folder), [])
        await doctor(t, ['--storage-dir', join(folder, 'none')])
        assert.ok(!existsSync(join(folder, 'none')))
    })

    test('finds the folders of all programs', async (t) => {
        const { out } = await doctor(t, [], { XDG_STATE_HOME: freshFolder(t) })
        assert.match(out, /! No program of this user has tracked anything yet/)
    })

    test('tells a user without a home folder what to do', async (t) => {
        // As in a container whose user the system does not know.
        const unknown = `import os from 'node:os'
            import { syncBuiltinESMExports } from 'node:module'
            os.userInfo = () => { throw new Error('no entry') }
            syncBuiltinESMExports()`
        const { code, out } = await doctor(t, [], {
            HOME: '', XDG_STATE_HOME: '', NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(unknown)}`,
        })
        assert.match(out, /! This user has no home folder: a program must name its storageDirectory\n/)
        assert.equal(code, withoutHost ? 1 : 0)
    })

    test('checks the folder that the environment names', async (t) => {
        const folder = freshFolder(t)
        const { out } = await doctor(t, [], { MOBILE_TRACKER_STORAGE_DIR: folder })
        assert.ok(out.includes(folder), out)
        assert.match(out, /! It has no database/)
    })

    test('names a folder of the environment that is no absolute path', async (t) => {
        const { code, out } = await doctor(t, [], { MOBILE_TRACKER_STORAGE_DIR: 'state' })

        assert.equal(code, 1)
        assert.match(out, /✘ MOBILE_TRACKER_STORAGE_DIR must be an absolute path/)
    })

    test('names a database that is none', async (t) => {
        const folder = freshFolder(t)
        writeFileSync(join(folder, 'tracker.sqlite3'), 'x'.repeat(5000))
        const { code, out } = await doctor(t, ['--storage-dir', folder])

        assert.equal(code, 1)
        assert.match(out, /✘ Its database cannot be read: /)
    })

    test('names a file in its place, and rights that are too wide', async (t) => {
        const folder = freshFolder(t)
        chmodSync(folder, 0o755)
        writeFileSync(join(folder, 'file'), '')

        assert.match((await doctor(t, ['--storage-dir', join(folder, 'file')])).out, /✘ It is a file, not a folder/)
        symlinkSync(join(folder, 'link'), join(folder, 'link'))
        assert.match((await doctor(t, ['--storage-dir', join(folder, 'link', 'below')])).out, /✘ It cannot be read: ELOOP/)
        assert.match((await doctor(t, ['--storage-dir', folder])).out, /! Other users can read it \(mode 755\)\n {6}chmod 700 /)
    })
})

suite('the doctor, of the server', () => {
    const at = (t, url, ...words) => doctor(t, ['--storage-dir', freshFolder(t), '--api-url', url, ...words])

    test('goes the way step by step', async (t) => {
        const collector = await startCollector()
        afterwards(t, () => collector.close())
        const { out, took } = await at(t, `${collector.url}/eu`, '--key', KEY)

        assert.match(out, /Server {2}http:\S+\/eu\n {2}✔ 127\.0\.0\.1 needs no name lookup\n {2}[✔!] It answers in \d+ ms/)
        // A doctor that is held up between the answer and its own clock finds that one ahead, from 4 s on.
        const clock = took < 4000 ? "✔ This machine's clock agrees with the server's" : "[✔!] This machine's clock .*(?:\\n {6}.*)?"
        assert.match(out, new RegExp(`${clock}\\n {2}✔ MobileTracker: the key is not refused \\(200 to`))
        assert.match(out, /✔ AnalyticsClient: \/v1\/batch is there \(200 to an empty batch; no write key was tried\)\n/)
        assert.deepEqual(collector.received({ kind: 'session' }), [])
    })

    test('leaves nothing in the collector that it calls a problem', async (t) => {
        const collector = await startCollector({ strict: true })
        afterwards(t, () => collector.close())
        const { out } = await at(t, collector.url, '--key', KEY, '--session', '925', '--yes')

        assert.match(out, /, 0 wrong\.\n$/)
        assert.deepEqual(collector.received().map(({ kind }) => kind), ['session', 'batch'])
        await at(t, collector.url, '--key', KEY)
        assert.deepEqual(collector.received().map(({ kind }) => kind), ['session', 'batch', 'location', 'batch'])
        assert.deepEqual(collector.received({ problems: true }), [])
        assert.ok(collector.received().every(({ flags, accepted }) => accepted && flags.length === 0))
    })

    for (const status of [404, 405, 501]) {
        test(`is not content with a server that answers ${status} to everything`, async (t) => {
            const url = await serverThat(t, (_, response) => response.writeHead(status).end())
            const { out } = await at(t, url, '--key', KEY)

            assert.match(out, new RegExp(`! MobileTracker: probably no tracking backend answers at this address \\(${status} to`))
            assert.match(out, new RegExp(`! AnalyticsClient: there is no /v1/batch below this address \\(${status}\\)`))
            const session = await at(t, url, '--key', KEY, '--session', '925', '--yes')
            assert.equal(session.code, 1)
            assert.match(session.out, /✘ MobileTracker: there is no \/v2\/tracking-session below this address/)
        })
    }

    for (const [api, path] of [
        ['metaRouter', '/v1/batch'], ['segment', '/v1/batch'], ['postHog', '/batch/'], ['amplitude', '/2/httpapi'],
        ['mixpanel', '/import?strict=1'], ['otlp', '/v1/logs'],
    ]) {
        test(`asks a server of ${api} what brings it nothing`, async (t) => {
            const asked = []
            const url = await serverThat(t, (request, response) => {
                request.resume()
                const isThere = request.url === path
                if (request.method === 'POST') asked.push([request.url, request.headers.authorization])
                response.writeHead(isThere ? (api === 'mixpanel' ? 401 : 200) : 404).end('{}')
            })
            const { out } = await at(t, url, '--api', api)

            assert.deepEqual(asked, [[path, undefined]])
            const status = api === 'mixpanel' ? 401 : 200
            assert.ok(out.includes(`✔ AnalyticsClient: ${path} is there (${status} to an empty batch; no write key was tried)`), out)
            const wrong = await at(t, url, '--api', api === 'otlp' ? 'segment' : 'otlp')
            assert.match(wrong.out, /! AnalyticsClient: there is no \/v1\/\w+ below this address \(404\)/)
        })
    }

    test('says which APIs there are', async (t) => {
        const { code, errors } = await at(t, 'http://127.0.0.1:9', '--api', 'segmnt')
        assert.equal(code, 64)
        assert.match(errors, /There is no API "segmnt"; --api takes metaRouter, segment, .*; did you mean segment\?/)
        const vendor = await at(t, 'http://127.0.0.1:9', '--api', 'RudderStack')
        assert.match(vendor.errors, /There is no API "RudderStack"; .*; for RudderStack it is segment/)
    })

    for (const [status, finding] of [
        [401, /! AnalyticsClient: an empty batch is refused \(401\)\n {6}The doctor sends no write key/],
        [500, /! AnalyticsClient: 500 to an empty batch\n {6}The server has an error/],
        [307, /! AnalyticsClient: the server sends its requests elsewhere \(307\)/],
        [400, /✔ AnalyticsClient: \/v1\/batch is there \(400 to an empty batch/],
    ]) {
        test(`asks as AnalyticsClient would, of which the server answers ${status}`, async (t) => {
            const collector = await startCollector({ faults: `${status}×always:kind=batch` })
            afterwards(t, () => collector.close())
            const { out } = await at(t, collector.url, '--key', KEY)

            assert.match(out, finding)
            assert.match(out, /✔ MobileTracker: the key is not refused/)
        })
    }

    test('judges the clients that have a queue for the address, and no others', { skip: withoutHost }, async (t) => {
        const { tracker, collector, folder, config } = await realTracker(t)
        const asked = async (url) => {
            collector.clear()
            const { out } = await doctor(t, ['--storage-dir', folder, '--api-url', url, '--key', KEY])
            // The doctor's GET of an address with a path is no endpoint's.
            return [out, collector.received().map(({ kind }) => kind).filter((kind) => kind !== 'unknown')]
        }
        await tracker.analytics.initialize({ writeKey: 'w', ingestionHost: collector.url })
        await tracker.analytics.track('A')
        await tracker.analytics.flush()
        const [first, kinds] = await asked(collector.url)
        assert.deepEqual(kinds, ['batch'])
        assert.doesNotMatch(first, /MobileTracker:|No queue/)

        await tracker.init('925', config({ apiUrl: `${collector.url}/eu` }))
        assert.deepEqual((await asked(`${collector.url}/eu/`))[1], ['location'])
        const [other, both] = await asked(`${collector.url}/us`)
        assert.deepEqual(both, ['location', 'batch'])
        assert.match(other, new RegExp(`! No queue is for this address\\. There are: AnalyticsClient → ${collector.url}, MobileTracker → ${collector.url}/eu\n {6}Events go to`))
    })

    test('finds the queue of a BasicTracker below the address, and asks nothing of it', { skip: withoutHost }, async (t) => {
        const { tracker, collector, folder } = await realTracker(t)
        await tracker.basic.initialize({ endpoint: `${collector.url}/events`, apiKey: KEY })
        await tracker.basic.track('A')
        await tracker.basic.flush()
        collector.clear()
        const { out } = await doctor(t, ['--storage-dir', folder, '--api-url', collector.url, '--key', KEY])

        assert.deepEqual(collector.received(), [])
        assert.doesNotMatch(out, /MobileTracker:|AnalyticsClient:|No queue/)
    })

    test('takes address and key from the environment, as the clients do', async (t) => {
        const collector = await startCollector()
        afterwards(t, () => collector.close())
        const variables = { MOBILE_TRACKER_API_URL: collector.url, MOBILE_TRACKER_KEY: KEY }
        const { out } = await doctor(t, ['--storage-dir', freshFolder(t)], variables)

        assert.match(out, /✔ MobileTracker: the key is not refused/)
        assert.equal(collector.received({ kind: 'location' }).length, 1)
        const wrong = await doctor(t, ['--storage-dir', freshFolder(t)], { MOBILE_TRACKER_API_URL: 'shop' })
        assert.match(wrong.errors, /MOBILE_TRACKER_API_URL is "shop"; it must be a URL such as/)
        assert.equal(wrong.code, 64)
        const help = await doctor(t, ['--help'])
        for (const name of Object.keys(variables)) assert.ok(help.out.includes(name), help.out)
    })

    test('says what it has not tried without the key', async (t) => {
        const collector = await startCollector()
        afterwards(t, () => collector.close())
        const { out } = await at(t, collector.url)

        assert.match(out, /! MobileTracker: its requests were not tried, since they need the key\n {6}Give the key with --key or in/)
        assert.deepEqual(collector.received().map(({ kind }) => kind), ['batch'])
    })

    test('says that the key is refused', async (t) => {
        const collector = await startCollector({ faults: '401×always:kind=location' })
        afterwards(t, () => collector.close())
        const { code, out } = await at(t, collector.url, '--key', KEY)

        assert.equal(code, 1)
        assert.match(out, /✘ MobileTracker: the key is refused \(401\)\n {6}Check xApiKey/)
        assert.ok(!out.includes(KEY))
    })

    test('makes a session when it may, and not before', async (t) => {
        const collector = await startCollector()
        afterwards(t, () => collector.close())
        const without = await at(t, collector.url, '--key', KEY, '--session', '925')
        assert.match(without.errors, /--session makes a session on the server; give --yes to agree/)
        assert.deepEqual(collector.received({ kind: 'session' }), [])
        const { out } = await at(t, collector.url, '--key', KEY, '--session', '925', '--yes')

        assert.match(out, /✔ MobileTracker: the key is accepted; a session was made for brand 925 \(200\)/)
        assert.equal(collector.received({ kind: 'session' }).length, 1)
    })

    for (const [brand, digits] of [['9223372036854775807', '9223372036854775807'], ['007', '7']]) {
        test(`makes a session for brand ${brand}, with its exact digits`, async (t) => {
            const collector = await startCollector()
            afterwards(t, () => collector.close())
            const { out } = await at(t, collector.url, '--key', KEY, '--session', brand, '--yes')

            assert.match(out, new RegExp(`✔ MobileTracker: the key is accepted; a session was made for brand ${brand} `))
            assert.match(collector.received({ kind: 'session' })[0].raw, new RegExp(`"brand_id":${digits}\\}`))
        })
    }

    test('says that no server listens', async (t) => {
        const { code, out } = await at(t, 'http://127.0.0.1:1')

        assert.equal(code, 1)
        assert.match(out, /✘ No server listens there: the connection is refused\n {6}Check the port/)
    })

    test('says that the name is not known', async (t) => {
        const { code, out } = await at(t, 'https://nowhere.invalid')

        assert.equal(code, 1)
        assert.match(out, /✘ (?:There is no host nowhere\.invalid|nowhere\.invalid cannot be looked up: EAI_AGAIN)\n/)
    })

    test('says that the clock is wrong', async (t) => {
        const url = await serverThat(t, (_, response) => {
            response.setHeader('Date', new Date(Date.now() + 7_200_000).toUTCString())
            response.end()
        })
        const { out } = await at(t, url)

        assert.match(out, /! This machine's clock is [12] hours? behind the server's\n {6}Events carry wrong times/)
    })

    test('says that a redirect leads elsewhere', async (t) => {
        const url = await serverThat(t, (_, response) => response.writeHead(301, { Location: 'https://www.example.com/' }).end())
        const { out } = await at(t, url)

        assert.match(out, /and redirects to https:\/\/www\.example\.com\n {6}Redirects to another origin are not followed/)
    })

    for (const [what, scheme, target, isFollowed] of [
        ['to another port', 'http', () => 'http://127.0.0.1:1/', false],
        ['from https to http on the same host', 'https', ({ port }) => `http://127.0.0.1:${port}/`, false],
        ['with a user to the same host', 'http', ({ port }) => `http://ada@127.0.0.1:${port}/`, false],
        ['to another path', 'http', () => '/other', true],
        ['from http to https on the same host', 'http', ({ pathname }) => `https://127.0.0.1:1/eu${pathname}`, true],
    ]) {
        test(`knows that delivery ${isFollowed ? 'follows' : 'does not follow'} a redirect ${what}`, async (t) => {
            const { path: ca, options } = certificate(t, 100)
            const address = await serverThat(t, ({ url }, response) => {
                response.writeHead(302, { Location: target(new URL(url, address)) }).end()
            }, scheme === 'https' ? options : undefined)
            const { findings } = await examineServer(new URL(address), { ca, env: {} })

            const { level, what: found } = findings.find(({ what: sentence }) => sentence.startsWith('It answers'))
            assert.equal(level, isFollowed ? 'good' : 'warning', found)
            const { origin, href } = new URL(target(new URL(address)), address)
            assert.equal(found.endsWith(`, and redirects to ${origin}`), !isFollowed, found)
            const { out } = await at(t, address, '--ca', ca, '--key', KEY)
            for (const client of ['MobileTracker', 'AnalyticsClient']) {
                const sentence = isFollowed
                    ? `✔ ${client}: the server redirects its requests, and delivery follows (302)`
                    : `! ${client}: the server sends its requests elsewhere (302)`
                assert.ok(out.includes(sentence), out)
            }
            const session = await at(t, address, '--ca', ca, '--key', KEY, '--session', '925', '--yes')
            const said = isFollowed
                ? '! MobileTracker: no session was made for brand 925: the server redirects its requests (302)\n'
                    + '      Delivery follows. To make one, give the doctor the address to which this one leads: '
                    + `${href.replace(/\/$/, '')}.\n`
                : '! MobileTracker: the server sends its requests elsewhere (302)\n'
            assert.ok(session.out.includes(said), session.out)
        })
    }

    test('says whether the certificate is trusted, and for how long', async (t) => {
        const { path, options } = certificate(t, 5)
        const url = await serverThat(t, (_, response) => response.end(), options)
        const untrusted = await at(t, url)
        const trusted = await at(t, url, '--ca', path)

        assert.equal(untrusted.code, 1)
        assert.match(untrusted.out, /✘ TLS: the certificate of doctor\.test is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\)\n {6}.*caBundle/)
        assert.match(trusted.out, /! TLS: TLSv1\.3, the certificate of doctor\.test is good for [45] days\n/)
    })

    test('says that it does not speak TLS', async (t) => {
        const url = await serverThat(t, (_, response) => response.end())
        const { out } = await at(t, url.replace('http:', 'https:'))

        assert.match(out, /✘ It does not speak TLS\n/)
    })

    test('writes JSON', async (t) => {
        const { code, out } = await at(t, 'http://127.0.0.1:1', '--json')
        const { ok, sections } = JSON.parse(out)

        assert.deepEqual([code, ok, sections.map(({ title }) => title)], [1, false, ['Host', 'State folder', 'Server']])
        assert.equal(sections[2].findings.at(-1).level, 'bad')
    })

    for (const [words, reason] of [
        [['--api-url', 'x'], /--api-url is "x"; it must be a URL such as/],
        [['--key', 'k'], /--key, --api, --session and --ca need --api-url or MOBILE_TRACKER_API_URL\./],
        [['--api-url', 'http://127.0.0.1:1', '--session', '925'], /--session needs --key or MOBILE_TRACKER_KEY\./],
        [
            ['--api-url', 'http://127.0.0.1:1', '--key', 'k', '--session', '9223372036854775808'],
            /--session is "9223372036854775808"; it must be a brand id such as 925\./,
        ],
        [['--storage', 'x'], /There is no option --storage; did you mean --storage-dir\?|There is no option --storage\./],
    ]) {
        test(`explains ${words.join(' ')}`, async (t) => {
            const { status, errors } = await runCommand(t, 'doctor', ...words)
            assert.equal(status, 64)
            assert.match(errors, reason)
        })
    }
})
