import { UsageError } from '../command-line.js'
import { nearest } from '../nearest.js'
import { API_NAMES } from './apis/layouts.js'
import { BASIC_PATHS } from './routes.js'

/** The default options of a collector. @type {Required<import('./index.cjs').CollectorOptions>} */
export const USUAL = {
    port: 0,
    host: '127.0.0.1',
    basicPaths: BASIC_PATHS,
    anyPath: false,
    strict: false,
    api: null,
    faults: [],
    plan: null,
    maxBytes: 64 * 1024 * 1024,
    maxBodyBytes: 16 * 1024 * 1024,
}

/** The `User-Agent` of `mobile-tracker doctor`. Its requests are not checked like those of a client. */
export const DOCTOR_AGENT = 'mobile-tracker-doctor'

/** The APIs of vendors that speak another one's. */
const OTHERWISE = { rudderstack: 'segment', rudder: 'segment', jitsu: 'segment', opentelemetry: 'otlp', otel: 'otlp' }

/** An API by its name. @param {string} name @throws {UsageError} */
export function apiNamed(name) {
    if (API_NAMES.includes(name)) return name
    const meant = OTHERWISE[name.toLowerCase()]
    const near = meant ? `; for ${name} it is ${meant}` : nearest(name, API_NAMES) ? `; did you mean ${nearest(name, API_NAMES)}?` : '.'
    throw new UsageError(`There is no API "${name}"; --api takes ${API_NAMES.join(', ')}${near}`)
}

/** Whether only this machine can reach an address. */
export function isLoopback(host) {
    return /^(?:localhost|\[?::1\]?|127(?:\.\d{1,3}){3})$/.test(host)
}

/** The form of an address in a URL for programs on this machine. */
export function urlHost(host) {
    if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
    return host.includes(':') ? `[${host}]` : host
}
