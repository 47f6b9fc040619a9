/**
 * Masks a secret but for its last four characters, which distinguish it from another one.
 *
 * @param {string} secret
 * @returns {string} As many characters as came in; of four or fewer none is shown.
 */
export function mask(secret) {
    const shown = secret.length > 4 ? secret.slice(-4) : ''
    return '*'.repeat(secret.length - shown.length) + shown
}

/** A shorter key would be found in words that have nothing to do with it. */
const SHORTEST = 8

const WRITE_KEY = /("writeKey"\s*:\s*")((?:[^"\\]|\\.)*)(")/g

/**
 * Masks the keys inside a body: every member named `writeKey`, and every occurrence of the request's own API key.
 *
 * @param {string} text The body as it came; it need not be valid JSON.
 * @param {string} [apiKey] The request's `X-API-Key`.
 * @returns {string} The same text, character for character, but for the keys.
 */
export function maskBody(text, apiKey) {
    let masked = text
    if (masked.includes('"writeKey"')) {
        masked = masked.replace(WRITE_KEY, (_, before, key, after) => before + maskLiteral(key) + after)
    }
    if (apiKey && apiKey.length >= SHORTEST && masked.includes(apiKey)) {
        masked = masked.replaceAll(apiKey, mask(apiKey))
    }
    return masked
}

/**
 * Masks the keys of one request everywhere else: in its path, in names, in sentences about it.
 *
 * @param {string | undefined} apiKey The request's `X-API-Key`.
 * @param {any} value The parsed body.
 * @returns {<T>(of: T) => T} Takes a text, or an array or object of texts.
 */
export function concealer(apiKey, value) {
    const keys = new Set(Array.isArray(value?.batch) ? value.batch.map((event) => event?.writeKey) : [])
    keys.add(apiKey)
    const secrets = [...keys].filter((key) => typeof key === 'string' && key.length >= SHORTEST)
    const conceal = (of) => {
        if (typeof of === 'string') return secrets.reduce(hide, of)
        if (Array.isArray(of)) return of.map(conceal)
        if (typeof of !== 'object' || of === null) return of
        return Object.fromEntries(Object.entries(of).map(([name, member]) => [name, conceal(member)]))
    }
    return secrets.length > 0 ? conceal : (of) => of
}

/** A sentence may quote a long key cut short, with an ellipsis. */
function hide(text, secret) {
    const masked = text.replaceAll(secret, mask(secret))
    const start = masked.indexOf(secret.slice(0, SHORTEST))
    const end = masked.indexOf('…', start)
    if (start === -1 || end === -1 || !secret.startsWith(masked.slice(start, end))) return masked
    return masked.slice(0, start) + '*'.repeat(end - start) + masked.slice(end)
}

/** Escape sequences are masked whole: half of one would make the JSON around it unreadable. */
function maskLiteral(literal) {
    return literal.includes('\\') ? '*'.repeat(literal.length) : mask(literal)
}
