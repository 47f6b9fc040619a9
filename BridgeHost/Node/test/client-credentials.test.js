import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { certificate } from '../testsupport/certificate.js'
import { afterwards, inTime } from '../testsupport/hosts.js'
import { realTracker, withoutHost } from '../testsupport/real-host.js'

const OLD = 'secret-key-of-old-1111'
const NEW = 'secret-key-of-new-2222'
const TENANT = 'secret-tenant-3333'

/** A backend that takes one key, and notes what came with which. */
async function startServer(t, key, options) {
    const taken = { key, requests: [], names: [], refuses: false }
    const answer = async (incoming, outgoing) => {
        let text = ''
        for await (const chunk of incoming.setEncoding('utf8')) text += chunk
        const body = text === '' ? {} : JSON.parse(text)
        const sent = incoming.headers['x-api-key'] ?? body.batch?.[0].writeKey
        taken.requests.push({ key: sent, tenant: incoming.headers['x-tenant'] })
        if (sent !== taken.key) return outgoing.writeHead(401).end()
        taken.names.push(...[body].flat().flatMap(({ batch, event, event_name }) => batch?.map(({ event }) => event) ?? event ?? event_name ?? []))
        outgoing.end('{"data":{"id":"S1"}}')
    }
    const server = options ? createSecureServer(options, answer) : createServer(answer)
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    afterwards(t, () => server.closeAllConnections())
    afterwards(t, () => server.close())
    taken.url = `${options ? 'https' : 'http'}://127.0.0.1:${server.address().port}`
    return taken
}

/** The files of a folder that hold one of the secrets. */
function holders(folder) {
    return readdirSync(folder, { recursive: true }).filter((name) => statSync(join(folder, name)).isFile())
        .filter((name) => [OLD, NEW, TENANT].some((secret) => readFileSync(join(folder, name)).includes(secret)))
}

suite('credentials', { skip: withoutHost }, () => {
    test('that are set go on with a halted backlog, in its order; nothing of them is stored or logged', async (t) => {
        const server = await startServer(t, OLD)
        const messages = []
        const { tracker, config, folder } = await realTracker(t)
        tracker.on('log', ({ message }) => messages.push(message))
        await tracker.init('925', config({ apiUrl: server.url, xApiKey: OLD, debug: true }))
        const names = Array.from({ length: 50 }, (_, number) => `E${number}`)
        await Promise.all(names.slice(0, 25).map((name) => tracker.track(name)))
        await tracker.flush()
        server.key = NEW
        await Promise.all(names.slice(25).map((name) => tracker.track(name)))
        assert.equal((await tracker.flush()).stoppedBy, 'halted')

        await tracker.setCredentials({ key: NEW, headers: { 'X-Tenant': TENANT } })
        assert.equal((await tracker.flush()).remaining, 0)

        assert.deepEqual(server.names, names)
        assert.deepEqual(server.requests.at(-1), { key: NEW, tenant: TENANT })
        const info = await tracker.getDebugInfo()
        assert.equal(info.config.xApiKey, '****2222')
        await tracker.shutdown()
        assert.deepEqual(holders(folder), [])
        assert.ok(messages.length > 0)
        assert.doesNotMatch(JSON.stringify([info, messages]), /secret/)
    })

    test('that cannot be sent are refused, by each client', async (t) => {
        const { tracker } = await realTracker(t)
        for (const client of [tracker, tracker.analytics, tracker.basic]) {
            for (const [credentials, wanted] of [
                [{ key: ' ' }, /'key' is required/], [{}, /'key' is required/],
                [{ headers: { 'X-API-Key': 'secret' } }, /'headers' cannot hold 'X-API-Key'/],
                [{ headers: { 'X-A': 1 } }, /'headers' must be an object of strings/],
            ]) {
                await assert.rejects(client.setCredentials(credentials), ({ code, message }) =>
                    code === 'INVALID_CONFIGURATION' && wanted.test(message) && !message.includes('secret'))
            }
        }
    })

    test('that were set last come back with a new host before its first request', async (t) => {
        const server = await startServer(t, OLD)
        const { tracker, config, pid } = await realTracker(t)
        await tracker.init('925', config({ apiUrl: server.url, xApiKey: OLD }))
        server.key = NEW
        await tracker.setCredentials({ headers: { 'X-Tenant': TENANT } })
        await tracker.setCredentials(NEW)
        await tracker.track('A')
        await tracker.flush()
        const before = server.requests.length

        process.kill(pid(), 'SIGKILL')
        await inTime(tracker.track('B'))
        await tracker.flush()

        assert.deepEqual(server.names, ['A', 'B'])
        assert.ok(server.requests.slice(before).every(({ key, tenant }) => key === NEW && tenant === TENANT))
    })

    test('come from the option of a client, at its start and after a 401; beside mutual TLS as well', async (t) => {
        const { path, options } = certificate(t, 5)
        const server = await startServer(t, OLD, { ...options, ca: options.cert, requestCert: true, rejectUnauthorized: true })
        const { tracker, warnings, config } = await realTracker(t)
        const asked = []
        const credentials = async (client) => {
            asked.push(client)
            return { key: server.key }
        }
        const files = { caBundle: path, clientCertificate: path, clientKey: path.replace('cert.pem', 'key.pem') }
        await tracker.init('925', config({ ...files, apiUrl: server.url, xApiKey: null, credentials }))
        await tracker.analytics.initialize({ ...files, ingestionHost: server.url, writeKey: OLD, retryDelayMs: 10, credentials })
        assert.deepEqual(asked, ['tracker'])
        server.key = NEW

        for (const client of [tracker, tracker.analytics]) {
            await client.track('A')
            assert.equal((await client.flush()).remaining, 0)
        }

        assert.deepEqual(asked, ['tracker', 'tracker', 'analytics'])
        assert.deepEqual(warnings, [])
        assert.equal((await tracker.getDebugInfo()).lifecycle, 'ready')
    })

    test('come from the option if the server refuses the key that init was given', async (t) => {
        const server = await startServer(t, NEW)
        const { tracker, config } = await realTracker(t)

        await tracker.init('925', config({ apiUrl: server.url, xApiKey: OLD, credentials: () => ({ key: NEW }) }))

        assert.deepEqual(server.requests.map(({ key }) => key), [OLD, NEW])
    })

    test('that are a text alone are a warning which says what there must be', async (t) => {
        const server = await startServer(t, OLD)
        const asked = []
        const credentials = (client) => {
            asked.push(client)
            return OLD
        }
        const { tracker, warnings, config } = await realTracker(t, { options: { credentials } })

        await tracker.init('925', config({ apiUrl: server.url, xApiKey: undefined, sessionCreation: 'inBackground' }))
        while (warnings.length === 0) await new Promise((resolve) => setImmediate(resolve))

        assert.deepEqual(asked, ['tracker'])
        assert.match(warnings[0], /The function credentials gave none to tracker: it must return an object such as \{ key \}, and no text\./)
    })

    test('that the option gave come back with a new host; a function that fails is a warning without its words', async (t) => {
        const server = await startServer(t, OLD)
        const answers = [{ key: OLD }, new TypeError('secret')]
        const credentials = () => {
            const answer = answers.shift()
            if (answer instanceof Error) throw answer
            return answer
        }
        const { tracker, warnings, config, pid } = await realTracker(t, { options: { credentials } })
        await tracker.init('925', config({ apiUrl: server.url, xApiKey: undefined }))

        process.kill(pid(), 'SIGKILL')
        await inTime(tracker.track('A'))
        await tracker.flush()
        assert.deepEqual(server.names, ['A'])
        const asked = new Promise((resolve) => tracker.on('credentials', resolve))
        server.key = NEW
        tracker.track('B')

        assert.deepEqual(Object.keys(await inTime(asked)), ['client', 'message'])
        assert.ok(warnings.some((text) => text.includes('The function credentials gave none to tracker: it has failed with TypeError')))
        assert.doesNotMatch(JSON.stringify(warnings), /secret/)
        await tracker.setCredentials({ key: NEW })
        await tracker.flush()
        assert.deepEqual(server.names, ['A', 'B'])
    })
})
