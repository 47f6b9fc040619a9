import { isIP } from 'node:net'
import { isLoopback } from './options.js'

/** Top-level names that no public name server answers for (RFC 6761, RFC 6762, and ICANN's `.internal`). */
const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|test)$/

/**
 * Says why a request is not taken: a web page elsewhere has probably sent it, through the user's browser.
 *
 * Programs send no `Origin`. The `Host` shows a page whose own name was made to point here, which a browser takes for
 * one page with the collector; no name server can do that to a bare address.
 *
 * @param {Record<string, string | undefined>} headers
 * @param {object} options
 * @param {string} options.own The address at which the collector listens.
 * @param {boolean} options.mayNavigate Whether a link on another page may lead here.
 * @returns {string | null} A sentence; null for a request that is taken.
 */
export function foreignReason(headers, { own, mayNavigate }) {
    const { host } = headers
    if (host !== undefined && !isKnown(host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '').toLowerCase(), own)) {
        return `The collector is not called ${JSON.stringify(host.slice(0, 100))}; use ${isLoopback(own) ? '127.0.0.1' : 'its address'}.`
    }
    // A browser leaves out the origin where a page elsewhere loads this as a script, an image or a style sheet.
    const isForeign = headers.origin === undefined
        ? ['cross-site', 'same-site'].includes(headers['sec-fetch-site'])
            && !(mayNavigate && headers['sec-fetch-mode'] === 'navigate')
        : headers.origin !== `http://${host}`
    return isForeign ? 'Only the collector\'s own pages may use it from a browser.' : null
}

/** Whether the collector may be called so. Where other machines reach it, names of a private network may be its own. */
function isKnown(name, own) {
    if (isIP(name) || name === 'localhost' || name === own.toLowerCase()) return true
    return !isLoopback(own) && name !== '' && (!name.includes('.') || PRIVATE_NAME.test(name))
}
