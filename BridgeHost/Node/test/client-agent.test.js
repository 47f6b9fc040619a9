import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { startCollector } from '@mobiletracker/bridge/collector'
import { AgentConnection } from '../src/client/agent-connection.js'
import { explainAgent, findAgent, isAbsence } from '../src/client/agent.js'
import { findHost } from '../src/client/finder.js'
import { createTracker, openTracker } from '../src/client/tracker.js'
import { examineAgent } from '../src/doctor/agent.js'
import { startAgent, Supervisor } from '../testsupport/agents.js'
import { childWith } from '../testsupport/children.js'
import { afterwards, captureWarnings, freshFolder, inTime } from '../testsupport/hosts.js'
import { runProgram } from '../testsupport/programs.js'
import { eventNames, KEY, PATIENT, problemsOf, WAIT_MS, withoutHost } from '../testsupport/real-host.js'

/** How often an agent is ended under load. */
const RESTARTS = Number(process.env.AGENT_RESTARTS ?? 12)

/** A backend, and trackers that end with the test. */
async function stage(t) {
    const collector = await startCollector()
    const folder = freshFolder(t)
    const warnings = captureWarnings(t)
    afterwards(t, () => collector.close())
    const config = { apiUrl: collector.url, xApiKey: KEY, retryDelayMs: 10 }
    const tracker = (options, own) => {
        const { tracker: made } = openTracker({ stderr: 'ignore', ...options }, own)
        afterwards(t, () => made.shutdown())
        return made
    }
    return { collector, folder, warnings, config, tracker }
}

/** Sets a variable of the environment for a test. */
function setVariable(t, name, value) {
    const before = process.env[name]
    process.env[name] = value
    afterwards(t, () => (before === undefined ? delete process.env[name] : (process.env[name] = before)))
}

/** Leaves a socket as an agent does that is killed. */
function leaveSocket(path) {
    spawnSync(process.execPath, ['-e', `require('net').createServer().listen('${path}', () => process.kill(process.pid, 'SIGKILL'))`])
}

suite('a client of an agent', { skip: withoutHost }, () => {
    test('connects instead of starting a host', async (t) => {
        const { collector, folder, warnings, config, tracker } = await stage(t)
        const { path } = await startAgent(t, folder)
        const [first, second] = [tracker({ agent: path, hostPath: '/nowhere' }), tracker({ agent: path, hostPath: '/nowhere' })]
        await Promise.all([first.init('925', config), second.init('925', config)])
        const outcomes = await inTime(Promise.all([first.track('A'), second.track('A'), first.track('A')]))

        await collector.wait({ kind: 'event', count: 3, timeoutMs: WAIT_MS })
        assert.ok(outcomes.every(({ status }) => status === 'queued'))
        assert.equal(await first.getSessionId(), await second.getSessionId())
        assert.deepEqual([problemsOf(collector), warnings], [[], []])
    })

    test('finds it by MOBILE_TRACKER_AGENT', async (t) => {
        const { folder, tracker } = await stage(t)
        const { path } = await startAgent(t, folder)
        setVariable(t, 'MOBILE_TRACKER_AGENT', path)

        assert.equal(await tracker({ hostPath: '/nowhere' }).isTrackingAllowed(), true)
    })

    test('with auto finds that of the user, and starts a host where there is none', async (t) => {
        const { folder, warnings, tracker } = await stage(t)
        setVariable(t, 'XDG_RUNTIME_DIR', folder)
        const own = { agent: 'auto', hostPath: findHost(), hostArguments: ['--storage-dir', join(folder, 'own')] }
        assert.equal(await tracker(own).isTrackingAllowed(), true)

        mkdirSync(join(folder, 'mobile-tracker'), { mode: 0o700 })
        await startAgent(t, join(folder, 'mobile-tracker'))
        assert.equal(await tracker({ agent: 'auto', hostPath: '/nowhere' }).isTrackingAllowed(), true)
        assert.deepEqual(warnings, [])
    })

    test('with auto leaves the agent of another user alone', async (t) => {
        const { folder } = await stage(t)
        mkdirSync(join(folder, 'mobile-tracker'), { mode: 0o700 })
        const { path } = await startAgent(t, join(folder, 'mobile-tracker'))
        const found = () => findAgent('auto', { XDG_RUNTIME_DIR: folder }, '', join(folder, 'run'))

        assert.deepEqual(found(), { path, isOptional: true, others: [] })
        t.mock.method(process, 'geteuid', () => 4242)
        assert.equal(found().path, join(folder, 'run/mobile-tracker/agent.sock'))
    })

    test('with auto starts a host where the folder of the user is none', async (t) => {
        const { folder, warnings, tracker } = await stage(t)
        writeFileSync(join(folder, 'file'), '')
        setVariable(t, 'XDG_RUNTIME_DIR', join(folder, 'file'))
        const own = { agent: 'auto', hostPath: findHost(), hostArguments: ['--storage-dir', join(folder, 'own')] }

        assert.equal(await tracker(own).isTrackingAllowed(), true)
        assert.deepEqual(warnings, [])
    })

    for (const [folders, what] of [[1, 'that of the machine'], [2, 'a host of its own']]) {
        test(`with auto passes over the sockets of killed agents, to ${what}`, async (t) => {
            const { folder, warnings, tracker } = await stage(t)
            const places = ['user', 'run'].map((name) => join(folder, name, 'mobile-tracker'))
            for (const place of places) mkdirSync(place, { recursive: true, mode: 0o700 })
            setVariable(t, 'XDG_RUNTIME_DIR', join(folder, 'user'))
            for (const place of places.slice(0, folders)) leaveSocket(join(place, 'agent.sock'))
            if (folders === 1) await startAgent(t, places[1])
            const run = join(folder, 'run')
            const own = folders === 1 ? { hostPath: '/nowhere' } : { hostArguments: ['--storage-dir', join(folder, 'own')] }

            assert.equal(await inTime(tracker({ agent: 'auto', ...own }, { run }).isTrackingAllowed()), true)
            assert.deepEqual(warnings, [])
            const { isAbsent, section } = await examineAgent(findAgent('auto', process.env, '', run))
            assert.deepEqual([isAbsent, section.of], [folders === 2, join(places[1], 'agent.sock')])
        })
    }

    const isRoot = process.getuid() === 0 && 'root may enter every folder'
    test('with auto starts a host where it may not enter the folder of the machine\'s agent', { skip: isRoot }, async (t) => {
        const { folder, warnings, tracker } = await stage(t)
        const run = join(folder, 'run')
        mkdirSync(join(run, 'mobile-tracker'), { recursive: true, mode: 0o700 })
        await startAgent(t, join(run, 'mobile-tracker'))
        chmodSync(join(run, 'mobile-tracker'), 0)
        afterwards(t, () => chmodSync(join(run, 'mobile-tracker'), 0o700))
        setVariable(t, 'XDG_RUNTIME_DIR', '')
        const own = { agent: 'auto', hostArguments: ['--storage-dir', join(folder, 'own')] }

        assert.equal(await inTime(tracker(own, { run }).isTrackingAllowed()), true)
        assert.deepEqual(warnings, [])
        assert.equal((await examineAgent(findAgent('auto', process.env, '', run))).isAbsent, true)
    })

    test('with auto stays with the agent that it has found, also while there is none', async (t) => {
        const { folder, warnings, config, tracker } = await stage(t)
        setVariable(t, 'XDG_RUNTIME_DIR', folder)
        const place = join(folder, 'mobile-tracker')
        mkdirSync(place, { mode: 0o700 })
        const { end } = await startAgent(t, place)
        const client = tracker({ agent: 'auto', hostPath: '/nowhere' })
        await client.init('925', config)
        await client.setConsent('denied')

        await end()
        const tracked = client.track('AFTER_DENIAL')
        let hasEnded = false
        tracked.catch(() => {}).finally(() => (hasEnded = true))
        // It has looked for the agent, and found none.
        while (!hasEnded && !warnings.some((warning) => warning.includes('ENOENT'))) await turn()
        await startAgent(t, place)

        assert.deepEqual(await inTime(tracked), { status: 'dropped', reason: 'TRACKING_NOT_ALLOWED' })
    })

    test('with auto stays with the host that it has started, until a shutdown', async (t) => {
        const { folder, warnings, tracker } = await stage(t)
        setVariable(t, 'XDG_RUNTIME_DIR', folder)
        const own = join(folder, 'own')
        const client = tracker({ agent: 'auto', hostPath: findHost(), hostArguments: ['--storage-dir', own] })
        await client.isTrackingAllowed()
        const place = join(folder, 'mobile-tracker')
        mkdirSync(place, { mode: 0o700 })
        await startAgent(t, place)

        process.kill(childWith(own), 'SIGKILL')
        while (warnings.length === 0) await turn()
        await inTime(client.isTrackingAllowed())
        const next = childWith(own)
        await client.shutdown()
        await inTime(client.isTrackingAllowed())

        assert.notEqual(next, undefined)
        assert.equal(childWith(own), undefined)
    })

    test('waits for an agent that is started later', async (t) => {
        const { collector, folder, warnings, config, tracker } = await stage(t)
        const client = tracker({ agent: join(folder, 'agent.sock') })
        const initialized = client.init('925', config)
        const early = client.track('EARLY')
        while (warnings.length === 0) await turn()
        await startAgent(t, folder)
        await inTime(initialized)

        assert.notEqual((await early).status, 'dropped')
        await collector.wait({ kind: 'event', count: 1, timeoutMs: WAIT_MS })
        assert.deepEqual(eventNames(collector), ['EARLY'])
        assert.match(warnings[0], /cannot be reached .*calls wait/)
    })

    test('waits for an agent that was stopped, also once it has connected again', async (t) => {
        const { folder, warnings, tracker } = await stage(t)
        const { path, pid } = await startAgent(t, folder)
        const client = tracker({ agent: path })
        await client.isTrackingAllowed()
        const silences = () => warnings.filter((warning) => warning.includes('The agent at'))

        process.kill(pid, 'SIGSTOP')
        // More than the socket takes: the connection is closed and made again, and nobody answers on it.
        const calls = Promise.all(Array.from({ length: 2000 }, () => client.track('A', { text: 'x'.repeat(1000) })))
        let hasFailed = false
        calls.catch(() => (hasFailed = true))
        while (!hasFailed && silences().length < 3) await turn()
        process.kill(pid, 'SIGCONT')

        assert.deepEqual(new Set((await inTime(calls)).map(({ reason }) => reason)), new Set(['NOT_INITIALIZED']))
        const [, again] = silences()
        assert.match(again, /cannot be reached .* This is tried again; calls wait/)
        for (const silence of [0, 2]) assert.match(silences()[silence], /has not answered for 10 s, and 2,000 calls wait for it/)
    })

    test('waits for an agent that is stopped when it connects for the first time', async (t) => {
        const { folder, warnings, tracker } = await stage(t)
        const { path, pid } = await startAgent(t, folder)
        process.kill(pid, 'SIGSTOP')
        const tracked = tracker({ agent: path }).track('A')
        let hasFailed = false
        tracked.catch(() => (hasFailed = true))
        while (!hasFailed && warnings.length === 0) await turn()
        process.kill(pid, 'SIGCONT')

        assert.equal((await inTime(tracked)).reason, 'NOT_INITIALIZED')
        assert.match(warnings[0], /The agent at .* cannot be reached \(it did not answer within 10 s\)\. .*calls wait/)
    })

    test('that has every answer ends at once when the agent has gone, by itself and by shutdown', async (t) => {
        const { collector, folder } = await stage(t)
        for (const last of ['', 'await tracker.shutdown()']) {
            const agent = await startAgent(t, folder)
            const { code, stderr } = await runProgram(t, `
                import { createTracker } from '@mobiletracker/bridge'
                const tracker = createTracker({ agent: '${agent.path}' })
                await tracker.init('925', { apiUrl: '${collector.url}', xApiKey: '${KEY}' })
                await tracker.track('A')
                const { warn } = console
                const hasGone = new Promise((resolve) => (console.warn = (text) => resolve(warn(text))))
                process.kill(${agent.pid}, 'SIGKILL')
                const goOn = setInterval(() => {}, 1000)
                await hasGone
                clearInterval(goOn)
                ${last}`)

            assert.equal(code, 0, stderr)
            // It has not waited until the agent was given up.
            assert.doesNotMatch(stderr, /could not be reached/)
        }
    })

    test('has ended when the agent ends during its shutdown', async (t) => {
        const { folder, warnings, config, tracker } = await stage(t)
        const { path, pid } = await startAgent(t, folder)
        const client = tracker({ agent: path })
        await client.init('925', config)

        process.kill(pid, 'SIGSTOP')
        const ended = client.shutdown()
        process.kill(pid, 'SIGKILL')
        await inTime(ended)

        assert.deepEqual(warnings, [])
    })

    test('goes on with an init that the agent could not end before it was stopped', async (t) => {
        const { collector, folder, config, tracker } = await stage(t)
        const agent = await startAgent(t, folder, ['--shutdown-timeout', '300ms'])
        const client = tracker({ agent: agent.path })
        collector.faults(['delay=60000'])
        const initialized = client.init('925', config)
        const held = client.track('HELD')
        await collector.wait({ kind: 'session' })

        await agent.end()
        await startAgent(t, folder)
        await inTime(initialized)

        assert.notEqual((await inTime(held)).status, 'dropped')
        assert.equal((await inTime(client.track('NEXT'))).status, 'queued')
        await collector.wait({ kind: 'event', count: 2 })
        assert.deepEqual(eventNames(collector), ['HELD', 'NEXT'])
        assert.deepEqual(problemsOf(collector), [])
    })

    test('loses, doubles and reorders nothing over many restarts under load, by kill and by stop', async (t) => {
        const { collector, folder, config, tracker } = await stage(t)
        const [path, pid] = ['agent.sock', 'pid'].map((name) => join(folder, name))
        const program = join(folder, 'agent')
        writeFileSync(program, `#!/bin/sh\necho $$ > '${pid}.new'\nmv '${pid}.new' '${pid}'\nexec "$@"\n`, { mode: 0o755 })
        const command = [findHost(), '--listen', path, '--storage-dir', join(folder, 'state'), ...PATIENT]
        const supervisor = new Supervisor([program, ...command])
        afterwards(t, () => supervisor.end())
        const client = tracker({ agent: path })
        await inTime(client.init('925', config))
        const calls = []
        for (let restart = 0; restart < RESTARTS; restart++) {
            for (let number = 0; number < 40; number++) {
                calls.push(client.track(`E${calls.length}`, { restart }))
                if (number !== restart % 39) continue
                // So that some of these calls are written, and others follow that only the next agent can answer.
                await turn()
                process.kill(Number(readFileSync(pid)), restart % 2 ? 'SIGKILL' : 'SIGTERM')
            }
            // The next agent has answered before it is ended as well.
            assert.equal((await inTime(calls.at(-1))).status, 'queued')
        }

        assert.deepEqual(new Set((await inTime(Promise.all(calls))).map(({ status }) => status)), new Set(['queued']))
        await collector.wait({ kind: 'event', count: calls.length, accepted: true, repeats: false, timeoutMs: WAIT_MS })
        assert.deepEqual(eventNames(collector), calls.map((_, number) => `E${number}`))
        assert.deepEqual(problemsOf(collector), [])
    })

    test('that is shut down while there is none has ended, and needs init again', async (t) => {
        const { folder, config, tracker } = await stage(t)
        const agent = await startAgent(t, folder)
        const client = tracker({ agent: agent.path })
        await client.init('925', config)
        await agent.end()
        await inTime(client.shutdown())
        await startAgent(t, folder)

        assert.deepEqual(await inTime(client.track('A')), { status: 'dropped', reason: 'NOT_INITIALIZED' })
    })

    test('goes on waiting when too many are connected, and gets its turn', async (t) => {
        const { folder, warnings, tracker } = await stage(t)
        const { path } = await startAgent(t, folder, ['--max-connections', '1'])
        const first = tracker({ agent: path })
        assert.equal(await first.isTrackingAllowed(), true)
        const second = tracker({ agent: path }).isTrackingAllowed()
        while (!warnings.some((warning) => /--max-connections/.test(warning))) await turn()

        await first.shutdown()

        assert.equal(await inTime(second), true)
    })

    test('reports why it is refused, although the agent has closed before anything could be written', async (t) => {
        const { folder, tracker } = await stage(t)
        const { path } = await startAgent(t, folder, ['--max-connections', '1'])
        assert.equal(await tracker({ agent: path }).isTrackingAllowed(), true)

        const ended = new Promise((resolve) => {
            new AgentConnection({ path, onLine: assert.fail, onEnd: resolve }).send({ text: '{}\n' })
        })
        // The agent takes its clients in their order: once it has closed the next one, it has closed this one.
        const next = spawnSync(process.execPath, ['-e', `require('node:net').connect('${path}').pipe(process.stdout)`])

        assert.match(String(next.stdout), /CONNECTION_REFUSED/)
        assert.match((await inTime(ended)).error.message, /1 clients? (is|are) connected, .*--max-connections/)
    })

    test('has a call dropped that is too large for it, and those behind it go on', async (t) => {
        const { folder, warnings, config, tracker } = await stage(t)
        const { path } = await startAgent(t, folder, ['--max-message-bytes', '4096'])
        const client = tracker({ agent: path })
        const initialized = client.init('925', config)

        const outcomes = await inTime(Promise.all([client.track('LARGE', { text: 'x'.repeat(5000) }), client.track('NEXT')]))
        await inTime(initialized)

        const fault = { reason: 'size', option: '--max-message-bytes', most: 4096 }
        assert.deepEqual(outcomes[0], { status: 'dropped', reason: 'TOO_LARGE', fault })
        assert.notEqual(outcomes[1].status, 'dropped')
        assert.equal(warnings.length, 1)
        assert.match(warnings[0], /track "LARGE" was dropped: TOO_LARGE\. As JSON it is larger than --max-message-bytes allows, 4,096 bytes\./)
    })

    test('warns of arguments for a host that it does not start', async (t) => {
        const { folder, warnings, tracker } = await stage(t)
        const { path } = await startAgent(t, folder)
        const hostArguments = ['--metrics-file', join(folder, 'm.prom')]
        assert.equal(await tracker({ agent: path, hostArguments }).isTrackingAllowed(), true)
        setVariable(t, 'MOBILE_TRACKER_AGENT', path)
        tracker({ hostArguments })
        tracker({ hostArguments, agent: false })
        tracker({ hostArguments, agent: 'auto' })
        tracker({ hostArguments: [] })

        const warning = `[MobileTracker] createTracker: \`hostArguments\` are not used: the agent at ${path} was started with arguments of its own. `
            + 'Give them to the agent, or leave them out.'
        assert.deepEqual(warnings, [warning, warning])
    })

    for (const [what, make] of [['file', (path) => writeFileSync(path, '')], ['folder', (path) => mkdirSync(path)]]) {
        test(`says at once that the path is a ${what}`, async (t) => {
            const { folder, warnings, tracker } = await stage(t)
            const path = join(folder, 'agent.sock')
            make(path)

            await assert.rejects(inTime(tracker({ agent: path }).isTrackingAllowed()), { code: 'HOST_START_FAILED' })
            assert.match(warnings[0], new RegExp(`There is no agent at ${path}: it is a ${what}, and no socket\\.`))
        })
    }

    test('says at once that the path is too long, and connects to no other one', async (t) => {
        const { folder, warnings, tracker } = await stage(t)
        // Node cuts it off, for both sides.
        const path = join(folder, 'x'.repeat(120 - folder.length))
        const server = createServer(() => assert.fail('it has connected to another socket'))
        await new Promise((listens) => server.listen(path, listens))
        afterwards(t, () => server.close())

        await assert.rejects(inTime(tracker({ agent: `${path}x` }).isTrackingAllowed()), { code: 'HOST_START_FAILED' })
        assert.match(warnings[0], new RegExp(`The path of the agent is too long for a socket: ${path}x`))
    })
})

test('a wrong option is an error at once', () => {
    for (const agent of ['', 5, null]) assert.throws(() => createTracker({ agent }), /'agent' must be the path of a socket/)
})

test('the place of an agent', () => {
    assert.equal(findAgent(undefined, {}), null)
    assert.equal(findAgent(undefined, { MOBILE_TRACKER_AGENT: '' }), null)
    assert.equal(findAgent(false, { MOBILE_TRACKER_AGENT: '/b' }), null)
    assert.deepEqual(findAgent('/a', { MOBILE_TRACKER_AGENT: '/b' }), { path: '/a', isOptional: false })
    assert.deepEqual(findAgent('auto', { XDG_RUNTIME_DIR: '/nowhere' }), findAgent('auto', {}))
    assert.deepEqual(findAgent('auto', {}), { path: '/run/mobile-tracker/agent.sock', isOptional: true, others: [] })
})

test('an agent is absent where nothing listens, and where a folder that may not be entered hides it', () => {
    const isAbsent = (code, path) => isAbsence(Object.assign(new Error('no'), { code }), path)
    assert.deepEqual(['ENOENT', 'ECONNREFUSED', 'EACCES'].map((code) => isAbsent(code, '/nowhere/agent.sock')), [true, true, true])
    // What is seen and refuses this user is an agent.
    assert.equal(isAbsent('EACCES', process.execPath), false)
    assert.equal(isAbsence(undefined, '/nowhere/agent.sock'), false)
})

test('why an agent cannot be used, for each reason that another try does not change', () => {
    const sentence = (code) => explainAgent('/a', Object.assign(new Error('no'), { code }))
    assert.match(sentence('EACCES'), /may not connect .*--listen-mode/)
    assert.match(sentence('ENOTSOCK'), /no socket that listens/)
    assert.equal(sentence('ECONNREFUSED'), null)
    assert.match(explainAgent('/a', Object.assign(new Error('not you'), { isFinal: true })), /refuses the connection: not you/)
})
