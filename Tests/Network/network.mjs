// How soon events flow again when the network comes back: the real host and a server, each in a network namespace of
// its own, and a router between them in a third that can drop every packet.
//
//   node Tests/Network/network.mjs [--host .build/release/BridgeHost]
//
// Needs root and `ip`. Prints, for HTTP/1.1 and HTTP/2, the seconds from the network's return to the first event, and
// how many of them the host had to wait anyway. Exits with 1 if what is left is more than 3 seconds.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const { values: options } = parseArgs({ options: { host: { type: 'string', default: '.build/release/BridgeHost' } } })
const BOUND = 3
const OUTAGE_MS = 15_000
const REQUEST_MS = 4_000
const RETRY_MS = 250
/** How long anything here may take that has no bound of its own. */
const PATIENCE_MS = 60_000
const folder = mkdtempSync(join(tmpdir(), 'tracker-network-'))
const now = () => performance.now() / 1000
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Three namespaces in a row: the client's, the router's, the server's. */
class Network {
    #names = ['client', 'router', 'server'].map((name) => `tracker-${name}-${process.pid}`)
    #address = 2
    server = '10.77.2.2'

    constructor() {
        const [client, router, server] = this.#names
        try {
            for (const name of this.#names) this.#ip('netns', 'add', name)
        } catch (error) {
            this.remove()
            throw new Error(`Network namespaces cannot be made here (ip netns add): ${error.stderr || error.message}`)
        }
        for (const [name, one, end, other] of [[router, 'left', client, 'eth'], [router, 'right', server, 'eth']]) {
            this.#ip('-n', name, 'link', 'add', one, 'type', 'veth', 'peer', 'name', other, 'netns', end)
        }
        for (const [name, link, address] of [
            [client, 'eth', '10.77.1.2'], [router, 'left', '10.77.1.1'],
            [router, 'right', '10.77.2.1'], [server, 'eth', this.server],
        ]) {
            this.#ip('-n', name, 'address', 'add', `${address}/24`, 'dev', link)
            this.#ip('-n', name, 'link', 'set', link, 'up')
        }
        for (const name of this.#names) this.#ip('-n', name, 'link', 'set', 'lo', 'up')
        this.#ip('-n', client, 'route', 'add', 'default', 'via', '10.77.1.1')
        this.#ip('-n', server, 'route', 'add', 'default', 'via', '10.77.2.1')
        this.#ip('netns', 'exec', router, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward')
    }

    /** Has the router drop every packet, both ways, without a word to anybody. */
    lose() { for (const to of this.#ends()) this.#ip('-n', this.#names[1], 'route', 'add', 'blackhole', to) }

    restore() { for (const to of this.#ends()) this.#ip('-n', this.#names[1], 'route', 'delete', 'blackhole', to) }

    /** Gives the client another address, as another Wi-Fi does. */
    move() {
        const client = this.#names[0]
        this.#ip('-n', client, 'address', 'delete', `10.77.1.${this.#address}/24`, 'dev', 'eth')
        this.#address += 1
        this.#ip('-n', client, 'address', 'add', `10.77.1.${this.#address}/24`, 'dev', 'eth')
        this.#ip('-n', client, 'route', 'add', 'default', 'via', '10.77.1.1')
    }

    /** Starts a program in the client's or the server's namespace. */
    start(end, command, args, stderr) {
        const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/_proxy$/i.test(name)))
        const name = this.#names[end === 'client' ? 0 : 2]
        return spawn('ip', ['netns', 'exec', name, command, ...args], { env, stdio: ['pipe', 'pipe', stderr] })
    }

    remove() {
        for (const name of this.#names) {
            try { this.#ip('netns', 'delete', name) } catch { /* It was never made. */ }
        }
    }

    #ends() { return [`10.77.1.${this.#address}/32`, `${this.server}/32`] }

    #ip(...args) { return execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }) }
}

/** A server that tells when each event came. */
class Server {
    #arrivals = new Map()
    #waiting = new Map()

    constructor(network, version, port) {
        const script = join(dirname(fileURLToPath(import.meta.url)), 'server.mjs')
        const args = [script, version, join(folder, 'server.key'), join(folder, 'server.pem'), network.server, port]
        this.child = network.start('server', process.execPath, args, 'inherit')
        this.url = `https://${network.server}:${port}`
        this.ready = this.arrival('ready')
        createInterface({ input: this.child.stdout }).on('line', (line) => {
            const [, spoken, name] = /^event (\S+) (.+)$/.exec(line) ?? [null, null, line]
            if (spoken && Number(spoken) !== Number(version)) throw new Error(`The host spoke HTTP/${spoken}`)
            if (!this.#arrivals.has(name)) this.#arrivals.set(name, now())
            this.#waiting.get(name)?.(this.#arrivals.get(name))
        })
    }

    /** When the event of that name came first, in seconds; waits for it. */
    arrival(name) {
        return new Promise((resolve, reject) => {
            if (this.#arrivals.has(name)) return resolve(this.#arrivals.get(name))
            const fail = () => reject(new Error(`${name} did not come within ${PATIENCE_MS / 1000} s`))
            const timer = setTimeout(fail, PATIENCE_MS)
            this.#waiting.set(name, (at) => { clearTimeout(timer); resolve(at) })
        })
    }
}

/** The real host, spoken to as any client does. */
class Host {
    #waiting = new Map()
    #next = 1
    #ended
    #hasEnded = false

    constructor(network, state) {
        this.child = network.start('client', options.host, ['--storage-dir', join(folder, state)], 'ignore')
        // A host that has ended takes no call: they reject.
        this.child.stdin.on('error', () => {})
        this.#ended = new Promise((resolve) => this.child.once('close', resolve)).then(() => {
            this.#hasEnded = true
            for (const call of this.#waiting.values()) call.reject(new Error(`${options.host} ended`))
        })
        createInterface({ input: this.child.stdout }).on('line', (line) => {
            const { id, result, error } = JSON.parse(line)
            const call = this.#waiting.get(id)
            this.#waiting.delete(id)
            if (error) call?.reject(new Error(error.message))
            else call?.resolve(result)
        })
    }

    call(method, params) {
        if (this.#hasEnded) return Promise.reject(new Error(`${options.host} ended`))
        const id = this.#next++
        this.child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }) + '\n')
        return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    }

    /** Waits until the next request has its time, and that is not just now. */
    async wait() {
        for (const end = now() + PATIENCE_MS / 1000; now() < end; await pause(20)) {
            const { circuitRemainingMs } = await this.call('getDebugInfo')
            if (circuitRemainingMs > 500) return now() + circuitRemainingMs / 1000
        }
        throw new Error('The host waits for nothing, though no packet gets through')
    }

    async end() {
        this.child.stdin.end()
        await this.#ended
    }
}

/** Tracks an event while no packet gets through, and waits until the host waits: gives until when. */
async function lose(network, host, name) {
    network.lose()
    await host.call('track', [name])
    await pause(OUTAGE_MS)
    return host.wait()
}

/** Each loses the connection in its own way; gives when the network was back, and until when the host waits anyway. */
const incidents = {
    async 'packets vanish for 15 s'(network, host, name) {
        const until = await lose(network, host, name)
        network.restore()
        return { back: now(), until }
    },
    async 'packets vanish for 15 s, networkDidChange'(network, host, name) {
        await lose(network, host, name)
        network.restore()
        const back = now()
        await host.call('networkDidChange')
        return { back, until: back }
    },
    async 'another address'(network, host, name) {
        network.move()
        const back = now()
        await host.call('track', [name])
        return { back, until: back + (REQUEST_MS + RETRY_MS) / 1000 }
    },
    async 'another address, networkDidChange'(network, host, name) {
        network.move()
        const back = now()
        await host.call('networkDidChange')
        await host.call('track', [name])
        return { back, until: back }
    },
}

function makeCertificate() {
    execFileSync('openssl', [
        'req', '-x509', '-nodes', '-subj', '/CN=server', '-days', '2', '-newkey', 'ec',
        '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-addext', 'subjectAltName=IP:10.77.2.2',
        '-keyout', join(folder, 'server.key'), '-out', join(folder, 'server.pem'),
    ], { stdio: 'ignore' })
}

async function run(network, version, port) {
    const server = new Server(network, version, port)
    await server.ready
    const host = new Host(network, `state-${version}`)
    try {
        await host.call('init', ['925', {
            apiUrl: server.url, xApiKey: 'network-key', caBundle: join(folder, 'server.pem'),
            requestTimeoutMs: REQUEST_MS, retryDelayMs: RETRY_MS, cooldownMs: 1_000, maxCooldownMs: 2_000, jitter: 0,
        }])
        let isFine = true
        for (const [number, [what, incident]] of Object.entries(incidents).entries()) {
            await host.call('track', [`BEFORE-${number}`])
            await server.arrival(`BEFORE-${number}`)
            const { back, until } = await incident(network, host, `AFTER-${number}`)
            const seconds = (await server.arrival(`AFTER-${number}`)) - back
            const waited = Math.min(seconds, Math.max(0, until - back))
            const isLate = seconds - waited > BOUND
            isFine &&= !isLate
            console.log(
                `HTTP/${version.padEnd(3)}  ${what.padEnd(41)}  first event after ${seconds.toFixed(2)} s, `
                + `${waited.toFixed(2)} s of them a wait${isLate ? `: more than ${BOUND} s late` : ''}`)
        }
        return isFine
    } finally {
        await host.end()
        server.child.kill()
    }
}

let network
try {
    makeCertificate()
    network = new Network()
    process.once('SIGINT', () => {
        network.remove()
        process.exit(130)
    })
    const results = [await run(network, '1.1', '8441'), await run(network, '2', '8442')]
    process.exitCode = results.every(Boolean) ? 0 : 1
} catch (error) {
    console.error(`network: ${error.message.trim()}`)
    process.exitCode = 1
} finally {
    network?.remove()
    rmSync(folder, { recursive: true, force: true })
}
