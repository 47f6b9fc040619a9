// A soak: all three clients of one host under mixed load with faults, resets and changes of consent, and what the host's
// memory and the slowest answer come to.
//
//   node Benchmarks/Soak/soak.mjs [--minutes 10] [--rate 700] [--burst 3000] [--json FILE]
//
// `rate` is calls a second; every five seconds `burst` more come at once. Prints a line every ten seconds. Exits with 1
// if anonymous memory late in the run, or when idle after it, is on average more than 10 % above what it was early, if a call
// waited longer than a second for its answer, or if at the end the metrics are not the account, or the account not balanced.
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'

const { values: options } = parseArgs({
    options: {
        minutes: { type: 'string', default: '10' },
        rate: { type: 'string', default: '700' },
        json: { type: 'string' },
        host: { type: 'string', default: '.build/release/BridgeHost' },
        seed: { type: 'string', default: '1' },
        burst: { type: 'string', default: '3000' },
    },
})
const minutes = Number(options.minutes)
const rate = Number(options.rate)
const folder = mkdtempSync(join(tmpdir(), 'tracker-soak-'))
let seed = Number(options.seed)
const chance = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648
const pick = (list) => list[Math.floor(chance() * list.length)]

/** A JSON-RPC client on a host's standard streams, which remembers how long each call waited. */
class Host {
    #waiting = new Map()
    #next = 1
    worst = { ms: 0, method: '' }

    constructor(path) {
        this.child = spawn(path, ['--storage-dir', folder], { stdio: ['pipe', 'pipe', 'ignore'] })
        createInterface({ input: this.child.stdout }).on('line', (line) => this.#answer(JSON.parse(line)))
    }

    call(method, params) {
        const id = this.#next++
        const at = performance.now()
        this.child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\n')
        return new Promise((resolve) => this.#waiting.set(id, { resolve, at, method }))
    }

    #answer({ id, result, error }) {
        const call = this.#waiting.get(id)
        if (!call) return
        this.#waiting.delete(id)
        const ms = performance.now() - call.at
        const answersLate = ['init', 'flush', 'analytics.flush', 'basic.flush'].includes(call.method)
        if (!answersLate && ms > this.worst.ms) this.worst = { ms, method: call.method, after: (performance.now() - start) / 1000 }
        call.resolve(error ? { error } : result)
    }

    get unanswered() { return this.#waiting.size }

    memory() {
        const status = readFileSync(`/proc/${this.child.pid}/status`, 'utf8')
        const kB = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)[1])
        return { anonymous: kB('RssAnon') / 1024, whole: kB('VmRSS') / 1024 }
    }
}

async function startCollector() {
    const child = spawn(process.execPath, ['BridgeHost/Node/bin/mobile-tracker.js', 'collect', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
    const lines = createInterface({ input: child.stdout })
    for await (const line of lines) {
        const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0]
        if (!url) continue
        child.stdout.resume()
        return { child, url }
    }
    throw new Error('The collector did not start')
}

const start = performance.now()
const collector = await startCollector()
const host = new Host(options.host)
const delivery = { retryDelayMs: 50, cooldownMs: 300, maxCooldownMs: 1000 }
const analytics = { writeKey: 'write-key', ingestionHost: collector.url, flushIntervalSeconds: 1, ...delivery }
const basic = { options: { maxQueuedEvents: 20_000, ...delivery } }
const init = () => host.call('init', { brandId: '925', config: { apiUrl: collector.url, xApiKey: 'soak-key', sessionCreation: 'inBackground', ...delivery } })
await init()
await host.call('analytics.initialize', { options: analytics })
await host.call('basic.initialize', { apiKey: 'soak-key', endpoint: `${collector.url}/events`, ...basic }).then((answer) => {
    if (answer.error) console.error(answer.error)
})

const FAULTS = ['500×3', '429:retry-after=1', '503×8', 'drop-before×2', 'drop-after×2', '200:delay=300', '400', '404', '413']
const post = (path, body) => fetch(collector.url + path, { method: 'POST', body }).then((answer) => answer.text(), () => '')
let calls = 0
const text = () => 'x'.repeat(Math.floor(chance() < 0.02 ? chance() * 40_000 : chance() * 400))
const data = () => ({ n: calls, text: text(), nested: { a: [1, 2, 3], b: text() } })

function callOnce() {
    calls++
    const dice = chance()
    if (dice < 0.35) return host.call('track', { eventName: 'SOAK', attributes: data() })
    if (dice < 0.65) return host.call('analytics.track', { event: 'Soak', properties: data() })
    if (dice < 0.93) return host.call('basic.track', { event: 'soak', properties: data() })
    if (dice < 0.95) return host.call('identify', { userId: `user-${calls % 50}`, profileData: { email: 'a@example.com' } })
    if (dice < 0.97) return host.call('analytics.identify', { userId: `user-${calls % 50}`, traits: data() })
    if (dice < 0.98) return host.call('basic.identify', { userId: `user-${calls % 50}` })
    if (dice < 0.99) return host.call('setMetadata', { metadata: { flow: text() } })
    return host.call('screen', { name: 'Home', properties: data() })
}

async function incident() {
    const dice = chance()
    if (dice < 0.3) await post('/faults', pick(FAULTS))
    else if (dice < 0.5) await host.call('reset', { all: false })
    else if (dice < 0.6) { await host.call('reset', { all: true }); await init() }
    else if (dice < 0.75) { await host.call('setConsent', { consent: pick(['denied', 'pending']) }); await host.call('setConsent', { consent: 'granted' }) }
    else if (dice < 0.9) { await host.call('analytics.reset', {}); await host.call('analytics.initialize', { options: analytics }) }
    else await host.call('getDebugInfo')
}

/** What is wrong with the metrics of the host, which is at rest: they are the account of each client. */
async function compareMetrics() {
    const { text } = await host.call('host.metrics')
    const values = new Map(text.split('\n').filter((line) => line && !line.startsWith('#')).map((line) => {
        const end = line.lastIndexOf(' ')
        return [line.slice(0, end), Number(line.slice(end))]
    }))
    const faults = []
    for (const [client, method] of [['tracker', 'getDebugInfo'], ['analytics', 'analytics.getDebugInfo'], ['basic', 'basic.getDebugInfo']]) {
        const { account, refused } = await host.call(method)
        const expect = (name, value, reason) => {
            const key = `mobile_tracker_${name}{client="${client}"${reason ? `,reason="${reason}"` : ''}}`
            if (values.get(key) !== value) faults.push(`${key} is ${values.get(key)}, and the account has ${value}`)
        }
        for (const name of ['accepted', 'recovered', 'requeued', 'delivered']) expect(`${name}_records_total`, account[name])
        expect('queued_records', account.queued)
        for (const [reason, count] of Object.entries(account.dropped)) expect('dropped_records_total', count, reason)
        for (const [reason, count] of Object.entries(refused)) expect('refused_calls_total', count, reason)
        // The histogram begins with the client's queue, as the account does, and one process has delivered everything. It
        // also has what arrived while a reset or a denial dropped it.
        const count = values.get(`mobile_tracker_delivery_seconds_count{client="${client}"}`)
        const most = account.delivered + (account.dropped.reset ?? 0) + (account.dropped.consent ?? 0)
        if (!(count >= account.delivered && count <= most)) faults.push(`${client} has ${count} times of deliveries, and delivered ${account.delivered}`)
        const gone = account.delivered + Object.values(account.dropped).reduce((sum, count) => sum + count, 0)
        if (account.accepted + account.recovered + account.requeued !== gone + account.queued) {
            faults.push(`the account of ${client} is not balanced: ${JSON.stringify(account)}`)
        }
        console.log(`${client}: ${account.delivered} delivered, ${account.queued} queued, as the metrics say`)
    }
    return faults
}

const samples = []
const tick = 20
const timer = setInterval(() => {
    if (host.unanswered > 4000) return
    for (let i = 0; i < (rate * tick) / 1000; i++) callOnce()
}, tick)
const bursts = setInterval(() => {
    if (host.unanswered > 4000) return
    for (let i = 0; i < Number(options.burst); i++) callOnce()
}, 5_000)
const trouble = setInterval(() => void incident(), 500)
const print = (note = '') => {
    const memory = host.memory()
    const at = (performance.now() - start) / 1000
    samples.push({ at, ...memory, calls })
    console.log(
        `${at.toFixed(0).padStart(4)} s  ${String(calls).padStart(7)} calls  anonymous ${memory.anonymous.toFixed(1).padStart(6)} MB  `
        + `resident ${memory.whole.toFixed(1).padStart(6)} MB  slowest answer ${host.worst.ms.toFixed(0)} ms ${host.worst.method} ${note}`)
}
print('start')
const reporter = setInterval(print, 10_000)
await new Promise((resolve) => setTimeout(resolve, minutes * 60_000))
clearInterval(timer)
clearInterval(trouble)
clearInterval(bursts)
await post('/faults', '')
await host.call('flush', { timeoutMs: 20_000 })
await new Promise((resolve) => setTimeout(resolve, 10_000))
print('idle')
clearInterval(reporter)
const worst = host.worst
const faults = await compareMetrics()
await host.call('host.shutdown')
collector.child.kill()
rmSync(folder, { recursive: true, force: true })

/** What it was on average in a part of the run: single samples catch a burst or a queue that is being read. */
const mean = (from, to) => {
    const values = samples.filter(({ at }) => at >= from && at < to).map(({ anonymous }) => anonymous)
    return values.reduce((sum, value) => sum + value, 0) / values.length
}
const end = minutes * 60
const [early, late, idle] = [mean(end * 0.2, end * 0.4), mean(end * 0.8, end), samples.at(-1).anonymous]
if (late > early * 1.1) faults.push(`anonymous memory rose from ${early.toFixed(1)} MB to ${late.toFixed(1)} MB, by more than 10 %`)
if (idle > early * 1.1) faults.push(`anonymous memory stays at ${idle.toFixed(1)} MB when idle, after ${early.toFixed(1)} MB under load`)
if (worst.ms > 1000) faults.push(`${worst.method} waited ${worst.ms.toFixed(0)} ms for its answer`)
if (options.json) writeFileSync(options.json, JSON.stringify({ samples, worst, early, late, idle }))
console.log(
    `anonymous memory: ${early.toFixed(1)} MB early, ${late.toFixed(1)} MB late, ${idle.toFixed(1)} MB idle; `
    + `slowest answer ${worst.ms.toFixed(0)} ms (${worst.method})`)
for (const fault of faults) console.error(`soak: ${fault}`)
process.exitCode = faults.length === 0 ? 0 : 1
