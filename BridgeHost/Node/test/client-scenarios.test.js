import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { findHost } from '../src/client/finder.js'
import { createTracker } from '../src/client/tracker.js'
import { Supervisor } from '../testsupport/agents.js'
import { afterwards, captureWarnings, freshFolder } from '../testsupport/hosts.js'
import { KEY, eventNames, PATIENT, problemsOf, WAIT_MS, withoutHost } from '../testsupport/real-host.js'

/** The Python client plays the same: `BridgeHost/Python/tests/test_recovery.py` says what each step is. */
const SCENARIOS = JSON.parse(readFileSync(new URL('../../../Tests/Recovery/scenarios.json', import.meta.url), 'utf8'))


/** One scenario: a tracker, a host that can be killed, a backend, and what is remembered from step to step. */
class Stage {
    #calls = new Map()
    #remembered = new Map()
    #kills = 0

    /** @param {{ overAgent?: boolean }} [options] Whether the host is an agent, which a supervisor starts again. */
    constructor(t, host, { overAgent = false } = {}) {
        this.overAgent = overAgent
        this.folder = freshFolder(t)
        this.warnings = captureWarnings(t)
        const path = join(this.folder, 'host')
        if (host !== null) writeFileSync(path, program(this.folder, host), { mode: 0o755 })
        const hostArguments = ['--storage-dir', join(this.folder, 'state'), ...PATIENT]
        if (overAgent) {
            const agent = join(this.folder, 'agent.sock')
            const supervisor = new Supervisor([path, '--listen', agent, ...hostArguments])
            afterwards(t, () => supervisor.end())
            this.tracker = createTracker({ agent })
        } else {
            this.tracker = createTracker({ hostPath: path, hostArguments, stderr: 'ignore' })
        }
        afterwards(t, () => this.tracker.shutdown())
    }

    get starts() {
        const path = join(this.folder, 'starts')
        return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n').map(Number) : []
    }

    async play(step) {
        if ('call' in step) return this.#call(step)
        if ('await' in step) return this.#check(this.#calls.get(step.await), step)
        if ('signal' in step) return this.#signal(step.signal)
        if ('burst' in step) return this.#burst(step)
        if ('faults' in step) return this.collector.faults(step.faults)
        if ('arrive' in step) return this.#arrive(step.arrive, step.kind)
        if ('arriveOfBrands' in step) return this.#arrive(step.arriveOfBrands, 'event', { anyOrder: true })
        if ('arriveBurst' in step) return this.#arrive(burstNames(step.arriveBurst))
        if ('arriveRequests' in step) {
            return this.collector.wait({ kind: step.kind, requests: step.arriveRequests, timeoutMs: WAIT_MS })
        }
        if ('key' in step) return assert.equal((await this.tracker.getDebugInfo()).config.xApiKey, step.key)
        // An agent outlives a shutdown of its client.
        if ('starts' in step) return assert.equal(this.starts.length, this.overAgent ? 1 + this.#kills : step.starts)
        if ('warnings' in step && this.overAgent) return // One for each try to connect that has another reason.
        if ('warnings' in step) return assert.equal(this.warnings.length, step.warnings, this.warnings.join('\n'))
        if ('shutdown' in step) return this.#shutDown(step)
        assert.fail(`What is ${JSON.stringify(step)}?`)
    }

    #shutDown({ as }) {
        const ended = this.tracker.shutdown()
        if (!as) return ended
        this.#calls.set(as, ended)
    }

    #signal(name) {
        process.kill(this.starts.at(-1), name)
        this.#kills += name === 'SIGKILL'
    }

    #call(step) {
        const [name, client] = step.call.split('.').reverse()
        const args = (step.args ?? []).map((argument) => this.#filled(argument))
        const owner = client ? this.tracker[client] : this.tracker
        const call = owner[name](...args, ...(step.messageId ? [...this.#gap(args, name), { messageId: step.messageId }] : []))
        if (!step.as) return this.#check(call, step)
        this.#calls.set(step.as, call)
    }

    /** The optional arguments between those given and a message id. */
    #gap(args, name) {
        return Array.from({ length: { track: 3 }[name] - args.length }, () => null)
    }

    #filled(argument) {
        const { url } = this.collector
        const values = {
            $config: { apiUrl: url, xApiKey: KEY, retryDelayMs: 10 },
            $analytics: { writeKey: 'write-key-1234', ingestionHost: url, retryDelayMs: 10 },
            $endpoint: `${url}/events`,
        }
        return typeof argument === 'string' && argument in values ? values[argument] : argument
    }

    async #check(call, { gives, fails, remember, isStill }) {
        if (fails) {
            const { message, ...rest } = fails
            return assert.rejects(call, { ...rest, ...(message && { message: new RegExp(message) }) })
        }
        const value = await call
        if (gives === null) assert.equal(value, undefined)
        else if (gives) assert.deepEqual({ ...value, ...gives }, value)
        if (remember) this.#remembered.set(remember, value)
        if (isStill) assert.equal(value, this.#remembered.get(isStill))
    }

    async #burst({ burst }) {
        const names = burstNames(burst)
        const calls = []
        for (const [i, count] of burst.entries()) {
            if (i > 0) this.#signal('SIGKILL')
            const portion = names.splice(0, count).map((name) => this.tracker.track(name))
            calls.push(...portion)
            await portion[0]
        }
        for (const { status } of await Promise.all(calls)) assert.equal(status, 'queued')
    }

    async #arrive(names, kind = 'event', { anyOrder = false } = {}) {
        await this.collector.wait({ kind, accepted: true, repeats: false, count: names.length, timeoutMs: WAIT_MS })
        const came = kind === 'event' ? eventNames(this.collector) : this.collector
            .received({ kind, accepted: true, repeats: false })
            .flatMap(({ items }) => items.map(({ name }) => name))
        assert.deepEqual(anyOrder ? came.toSorted() : came, names)
    }
}

function program(folder, host) {
    return `#!/bin/sh
STARTS=${join(folder, 'starts')}
HOST=${findHost()}
echo $$ >> "$STARTS"
START=$(wc -l < "$STARTS")
${host}
`
}

function burstNames(counts) {
    return Array.from({ length: counts.reduce((sum, count) => sum + count) }, (_, i) => `E${i}`)
}

/** Plays scenarios. */
async function play(t, scenarios, options) {
    for (const { name, host = 'exec "$HOST" "$@"', steps } of scenarios) {
        await t.test(name, async (t) => {
            const stage = new Stage(t, host, options)
            stage.collector = await startCollector()
            afterwards(t, () => stage.collector.close())

            for (const step of steps) await stage.play(step)

            assert.deepEqual(problemsOf(stage.collector), [])
        })
    }
}

test('every scenario of the table', { skip: withoutHost }, (t) => play(t, SCENARIOS))

test('every scenario of a host that runs, over an agent', { skip: withoutHost }, async (t) => {
    const kills = ({ steps }) => steps.filter(({ signal }) => signal === 'SIGKILL').length
    // How often one that fails is started, others decide of an agent.
    const scenarios = SCENARIOS.filter((scenario) => !('host' in scenario) && kills(scenario) < 5)
    assert.ok(scenarios.length > 15)
    await play(t, scenarios, { overAgent: true })
})
