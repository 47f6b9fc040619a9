import { createServer } from 'node:http'
import { foreignReason } from './access.js'
import { routeOf } from './routes.js'

/** @typedef {import('./collector.js').Collector} Collector */
/** @typedef {import('./collector.js').Reply} Reply */
/** @typedef {import('node:http').IncomingMessage} IncomingMessage */
/** @typedef {import('node:http').ServerResponse} ServerResponse */

/**
 * Makes the HTTP server around a collector. It does not listen yet.
 *
 * @param {Collector} collector
 * @param {object} options
 * @param {number} options.maxBodyBytes
 * @param {{ basicPaths: string[], anyPath: boolean }} options.paths What counts as the basic endpoint.
 * @param {(request: IncomingMessage, response: ServerResponse) => boolean} options.control Takes the requests that are
 *     for the collector itself, and says so.
 * @param {string} options.host The address at which it will listen.
 * @param {AbortSignal} options.signal Ends all delays.
 * @returns {import('node:http').Server}
 */
export function makeServer(collector, { maxBodyBytes, paths, control, host, signal }) {
    // Clients choose when to close, stall and resume: no timeout of ours may end their connections.
    const settings = { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0, maxHeaderSize: 65_536 }
    const server = createServer(settings, (request, response) => {
        // A client that goes away is no error of the collector's.
        request.on('error', ignore)
        response.on('error', ignore)
        if (control(request, response)) return
        const reason = foreignReason(request.headers, { own: host, mayNavigate: false })
        if (reason === null) receive(collector, request, response, { maxBodyBytes, paths, signal })
        else refuse(collector, reason, response)
    })
    server.on('clientError', (error, socket) => {
        if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy()
        socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    })
    return server
}

/** Leaves no trace but a count: a page elsewhere could fill the log and use up the fault script otherwise. */
function refuse(collector, reason, response) {
    collector.refuseForeign(reason)
    response.writeHead(403, { 'Content-Type': 'application/json' })
    response.end(`${JSON.stringify({ error: reason })}\n`)
}

function receive(collector, request, response, { maxBodyBytes, paths, signal }) {
    const { url, headers } = request
    const route = routeOf(request.method, url, paths)
    const cut = collector.replyUnread(route, url, headers)
    if (cut) return perform(cut, request, response, signal)

    const chunks = []
    let size = 0
    let isWhole = false
    request.on('data', (chunk) => {
        size += chunk.length
        // What is too large is still read to its end, or the sender would not come to read the answer.
        if (size > maxBodyBytes) chunks.length = 0
        else chunks.push(chunk)
    })
    request.on('end', () => {
        isWhole = true
        const bytes = size > maxBodyBytes ? null : Buffer.concat(chunks, size)
        perform(collector.receive(route, url, headers, { bytes, size }), request, response, signal)
    })
    request.on('close', () => {
        if (!isWhole) collector.cutOff(route, url, headers)
    })
}

/** @param {Reply} reply */
function perform(reply, request, response, signal) {
    if (reply.delay === 0) return act(reply, request.socket, response)
    const timer = setTimeout(() => {
        signal.removeEventListener('abort', stop)
        act(reply, request.socket, response)
    }, reply.delay)
    const stop = () => clearTimeout(timer)
    signal.addEventListener('abort', stop, { once: true })
}

/** @param {Reply} reply @param {import('node:net').Socket} socket */
function act(reply, socket, response) {
    switch (reply.action) {
        case 'drop-before':
        case 'drop-after':
            return socket.destroy()
        case 'stall':
            return
        case 'garbage':
            return socket.end('This is not HTTP.\r\n\r\n')
        case 'half-header':
            return socket.end('HTTP/1.1 200 OK\r\nContent-Type: applic')
        case 'half-body': {
            const length = Buffer.byteLength(reply.body)
            const half = Buffer.from(reply.body).subarray(0, length >> 1)
            return socket.end(Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`), half]))
        }
        default:
            return answer(reply, response)
    }
}

/** @param {Reply} reply */
function answer({ status, headers, body }, response) {
    // RFC 9110, 6.4.1: these answers have no content.
    const hasContent = status !== 204 && status !== 304
    if (hasContent) headers.push('Content-Length', String(Buffer.byteLength(body)))
    response.writeHead(status, headers)
    response.end(hasContent ? body : undefined)
}

function ignore() {}
