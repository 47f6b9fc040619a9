import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { startCollector } from '@mobiletracker/bridge/collector'
import { certificate } from '../testsupport/certificate.js'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { runProgram } from '../testsupport/programs.js'
import { KEY, realTracker, withoutHost } from '../testsupport/real-host.js'

/** A proxy that notes to whom each request goes. */
async function startProxy(t) {
    const hosts = new Set()
    const server = createServer((incoming, answer) => {
        hosts.add(new URL(incoming.url).host)
        const { method, headers } = incoming
        const outgoing = request(incoming.url, { method, headers }, (response) => {
            answer.writeHead(response.statusCode, response.headers)
            response.pipe(answer)
        })
        outgoing.on('error', () => answer.destroy())
        incoming.pipe(outgoing)
    })
    server.on('connect', ({ url }, socket) => {
        hosts.add(url)
        socket.destroy()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    afterwards(t, () => server.close())
    return { hosts, url: `http://127.0.0.1:${server.address().port}` }
}

test('a program that uses all three clients makes requests to their addresses, and to no other', { skip: withoutHost }, async (t) => {
    const collector = await startCollector()
    afterwards(t, () => collector.close())
    const proxy = await startProxy(t)
    const names = ['http_proxy', 'https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY']
    const env = { ...Object.fromEntries(names.map((name) => [name, proxy.url])), no_proxy: '', NO_PROXY: '' }

    const { code, stderr } = await runProgram(t, `
        import { createTracker } from '@mobiletracker/bridge'
        const tracker = createTracker({ hostArguments: ['--storage-dir', '${freshFolder(t)}'], stderr: 'ignore' })
        const { analytics, basic } = tracker
        await tracker.init('925', { apiUrl: '${collector.url}', xApiKey: '${KEY}' })
        await analytics.initialize({ writeKey: '${KEY}', ingestionHost: '${collector.url}' })
        await basic.initialize('${KEY}', '${collector.url}/events')
        for (const client of [tracker, analytics, basic]) {
            await client.track('A')
            await client.flush()
        }
        await tracker.shutdown()`, { env })

    assert.equal(code, 0, stderr)
    assert.deepEqual(new Set(collector.received().map(({ kind }) => kind)), new Set(['session', 'event', 'batch', 'basic']))
    assert.deepEqual([...proxy.hosts], [new URL(collector.url).host])
})

test('no file of the state folder holds a key, while events wait and after they were sent', { skip: withoutHost }, async (t) => {
    const { tracker, collector, folder, config } = await realTracker(t)
    const { analytics, basic } = tracker
    const keys = ['key-of-file-5678', 'write-key-5678', 'basic-key-5678', 'secret-tenant-5678']
    const headers = { 'X-Tenant': keys[3] }
    const keyFile = join(freshFolder(t), 'key')
    writeFileSync(keyFile, `${keys[0]}\n`)
    const holds = (name) => {
        const content = readFileSync(join(folder, name))
        return keys.some((key) => content.includes(key))
    }
    const holders = () => {
        try {
            return readdirSync(folder, { recursive: true })
                .filter((name) => statSync(join(folder, name)).isFile()).filter(holds)
        } catch (error) {
            if (error.code !== 'ENOENT') throw error
            return holders() // A backup has got its own name meanwhile.
        }
    }
    collector.faults('200, 503×always')
    await tracker.init('925', config({ xApiKey: null, keyFile, headers }))
    await analytics.initialize({ writeKey: keys[1], ingestionHost: collector.url, retryDelayMs: 10, headers })
    await basic.initialize(keys[2], `${collector.url}/events`, null, { retryDelayMs: 10, headers })
    for (const client of [tracker, analytics, basic]) assert.equal((await client.track('A')).status, 'queued')

    const waiting = holders()
    collector.faults('')
    await tracker.networkDidChange()
    await tracker.shutdown()

    assert.ok(readdirSync(folder).includes('tracker.sqlite3'))
    assert.deepEqual([waiting, holders()], [[], []])
})

test('a host listens on no port', { skip: withoutHost }, async (t) => {
    const { tracker, config, pid } = await realTracker(t)
    await tracker.init('925', config())

    const listening = ['tcp', 'tcp6'].flatMap((name) => readFileSync(`/proc/net/${name}`, 'utf8').split('\n'))
        .map((line) => line.trim().split(/\s+/)).filter((cells) => cells[3] === '0A').map((cells) => `socket:[${cells[9]}]`)
    const filesOf = (process) => readdirSync(`/proc/${process}/fd`).map((name) => {
        try {
            return readlinkSync(`/proc/${process}/fd/${name}`)
        } catch {
            return '' // It was closed meanwhile.
        }
    })
    const among = (process) => filesOf(process).filter((file) => listening.includes(file))
    assert.equal(among(process.pid).length, 1, 'The collector of this test listens')
    assert.deepEqual(among(pid()), [])
})

test('a server gets a request by TLS 1.2, and none by TLS 1.1', { skip: withoutHost }, async (t) => {
    const { tracker } = await realTracker(t)
    const { path, options } = certificate(t, 5)
    // Without this list OpenSSL itself refuses TLS 1.1.
    const ciphers = 'DEFAULT@SECLEVEL=0'
    const outcomes = []
    for (const [minVersion, maxVersion] of [['TLSv1', 'TLSv1.1'], ['TLSv1', 'TLSv1.2']]) {
        const server = createSecureServer({ ...options, minVersion, maxVersion, ciphers })
        const versions = []
        server.on('secureConnection', (socket) => versions.push(socket.getProtocol()))
        server.on('request', (incoming, answer) => incoming.resume().on('end', () => answer.end('{"data":{"id":"S1"}}')))
        server.listen(0, '127.0.0.1')
        await once(server, 'listening')
        afterwards(t, () => server.close())
        const { port } = server.address()
        const older = connect({ port, host: '127.0.0.1', ca: options.cert, minVersion, maxVersion: 'TLSv1.1', ciphers })
        await once(older, 'secureConnect')
        older.destroy()
        const apiUrl = `https://127.0.0.1:${port}`

        const error = await tracker.init('925', { apiUrl, xApiKey: KEY, caBundle: path }).catch((error) => error)

        outcomes.push([error?.code, versions])
        server.closeAllConnections()
    }

    // The first connection to each is the older one, which shows that the server takes it.
    assert.deepEqual(outcomes, [['SESSION_CREATION_FAILED', ['TLSv1.1']], [undefined, ['TLSv1.1', 'TLSv1.2']]])
})

test('the packages for Node and Python depend on nothing, and run nothing when they are installed', () => {
    const { scripts, ...manifest } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
    const python = readFileSync(new URL('../../Python/pyproject.toml', import.meta.url), 'utf8')

    assert.deepEqual(Object.keys(manifest).filter((name) => /dependencies/i.test(name)), [])
    assert.deepEqual(Object.keys(scripts).filter((name) => /install|prepare/.test(name)), [])
    assert.doesNotMatch(python, /^\s*(optional-)?dependencies\b/m)
})
