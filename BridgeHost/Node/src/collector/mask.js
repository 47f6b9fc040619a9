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

/**
 * Finds the members of these names in JSON text: what stands before the value's text, that text, and its quote.
 *
 * @param {string[]} names
 */
export function membersNamed(names) {
    const words = names.map((name) => name.replace('$', '\\$')).join('|')
    return new RegExp(`("(?:${words})"\\s*:\\s*")((?:[^"\\\\]|\\\\.)*)(")`, 'g')
}

/**
 * Masks the keys inside a body: every member of these names, and every occurrence of the request's own API key.
 *
 * @param {string} text The body as it came; it need not be valid JSON.
 * @param {string | undefined} apiKey The request's `X-API-Key`.
 * @param {string[]} names Of members that hold a key, such as `writeKey`.
 * @returns {string} The same text, character for character, but for the keys.
 */
export function maskBody(text, apiKey, names) {
    let masked = text
    if (names.some((name) => masked.includes(`"${name}"`))) {
        masked = masked.replace(membersNamed(names), (_, before, key, after) => before + maskLiteral(key) + after)
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
 * @param {string[]} keys Those in its body.
 * @returns {<T>(of: T) => T} Takes a text, or an array or object of texts.
 */
export function concealer(apiKey, keys) {
    const secrets = [...new Set([...keys, apiKey])].filter((key) => typeof key === 'string' && key.length >= SHORTEST)
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
