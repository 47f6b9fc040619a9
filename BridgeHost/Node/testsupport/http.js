import { request } from 'node:http'
import { gzipSync } from 'node:zlib'

/**
 * Sends one request on a connection of its own.
 *
 * @param {string} base Such as `http://127.0.0.1:8123`, or with a path.
 * @param {import('./samples.js').Sample & { gzip?: boolean, agent?: import('node:http').Agent }} sample
 * @returns {Promise<{ status: number, headers: Record<string, string>, text: string, json: any }>} It rejects if the
 *     connection ends before the answer does.
 */
export function send(base, { method = 'POST', path, headers = {}, body, gzip = false, agent }) {
    const plain = bytesOf(body)
    const bytes = gzip ? gzipSync(plain) : plain
    const encoding = gzip ? { 'Content-Encoding': 'gzip' } : {}
    return new Promise((resolve, reject) => {
        const url = new URL(base)
        const outgoing = request({
            host: url.hostname,
            port: url.port,
            path: (url.pathname === '/' ? '' : url.pathname) + path,
            method,
            agent: agent ?? false,
            headers: { ...headers, ...encoding, 'Content-Length': bytes.length },
        })
        outgoing.on('error', reject)
        outgoing.on('response', (response) => {
            const chunks = []
            response.on('data', (chunk) => chunks.push(chunk))
            response.on('error', reject)
            response.on('end', () => {
                const text = Buffer.concat(chunks).toString('utf8')
                resolve({ status: response.statusCode, headers: response.headers, text, get json() { return JSON.parse(text) } })
            })
        })
        outgoing.end(bytes)
    })
}

/** Asks the collector itself. */
export function ask(base, path, { method = 'GET', body, headers } = {}) {
    return send(base, { method, path, headers, body })
}

function bytesOf(body) {
    if (body === undefined) return Buffer.alloc(0)
    if (typeof body === 'string' || Buffer.isBuffer(body)) return Buffer.from(body)
    return Buffer.from(JSON.stringify(body))
}
