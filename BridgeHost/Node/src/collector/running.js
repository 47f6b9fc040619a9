import { get } from 'node:http'
import { urlHost } from './options.js'

/** The header by which a collector is known, at its own path `/`. */
export const COLLECTOR_HEADER = 'x-mobile-tracker-collector'

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
            end(COLLECTOR_HEADER in response.headers ? url : null)
        })
        const end = (found) => {
            request.destroy()
            resolve(found)
        }
        request.on('error', () => end(null)).on('timeout', () => end(null))
    })
}
