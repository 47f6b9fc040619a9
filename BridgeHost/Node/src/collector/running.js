import { get } from 'node:http'
import { urlHost } from './options.js'

/** What the collector says of itself to whoever asks without a browser: so it is known. */
export const GREETING = 'This is a collector: it takes what trackers send, and checks it.'

const PATIENCE_MS = 1000

/**
 * Finds a collector that runs already.
 *
 * @param {{ host: string, port: number }} address Where it may listen.
 * @returns {Promise<string | null>} Its URL; null if something else listens there, or nothing.
 */
export function runningCollector({ host, port }) {
    const url = `http://${urlHost(host)}:${port}`
    return new Promise((resolve) => {
        const request = get(url, { agent: false, timeout: PATIENCE_MS }, (response) => {
            let text = ''
            response.setEncoding('utf8').on('data', (chunk) => {
                text += chunk
                if (text.length >= GREETING.length) end(text.startsWith(GREETING) ? url : null)
            })
            response.on('end', () => end(null))
        })
        const end = (found) => {
            request.destroy()
            resolve(found)
        }
        request.on('error', () => end(null)).on('timeout', () => end(null))
    })
}
