// A session backend over TLS, for network.mjs: prints "ready", then a line for each event that arrives.
//
//   node server.mjs (1.1|2) KEY CERTIFICATE ADDRESS PORT
import { readFileSync } from 'node:fs'
import { createSecureServer } from 'node:http2'
import { createServer } from 'node:https'

const [version, key, certificate, address, port] = process.argv.slice(2)
const identity = { key: readFileSync(key), cert: readFileSync(certificate) }
const make = version === '2' ? createSecureServer : createServer

make(identity, (request, response) => {
    const parts = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
        const isEvent = request.url.endsWith('/v2/tracking-session-data')
        if (isEvent) console.log(`event ${request.httpVersion} ${JSON.parse(Buffer.concat(parts)).event_name}`)
        response.end('{"data":{"id":"S1"}}')
    })
}).listen(Number(port), address, () => console.log('ready'))
