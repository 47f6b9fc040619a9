import { replaceMembers, replaceTokens, unescape } from './json.js'

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

/** To search for longer ones, or for more, could take minutes. Members that hold a key are masked all the same. */
const LONGEST = 4096
const MOST = 20

/**
 * The keys of one request that are masked wherever they stand.
 *
 * @param {string | undefined} apiKey The request's `X-API-Key`.
 * @param {string[]} keys Those in its body.
 * @returns {string[]}
 */
export function secretsAmong(apiKey, keys) {
    const isSecret = (key) => typeof key === 'string' && key.length >= SHORTEST && key.length <= LONGEST
    return [...new Set([...keys.slice(0, MOST), apiKey])].filter(isSecret)
}

/**
 * Masks the keys inside a body: every member of these names, and every occurrence of the request's keys.
 *
 * @param {string} text The body as it came.
 * @param {object} options
 * @param {boolean} options.isJSON Whether the text is valid JSON. It stays so.
 * @param {string[]} options.names Of members that hold a key, such as `writeKey`.
 * @param {string[]} options.secrets
 * @returns {string} The same text, character for character, but for the keys and the strings that hold one.
 */
export function maskBody(text, { isJSON, names, secrets }) {
    const masked = replaceMembers(text, names, maskLiteral)
    if (!isJSON) return secrets.reduce(hide, masked)
    // A key may be spelled with escapes.
    const mayHoldOne = (secret) => masked.includes('\\') || masked.includes(secret.slice(0, SHORTEST))
    return secrets.some(mayHoldOne) ? replaceTokens(masked, (token) => maskToken(token, secrets)) : masked
}

/**
 * Masks the keys of one request everywhere else: in its path, in names, in sentences about it.
 *
 * @param {string[]} secrets
 * @returns {<T>(of: T) => T} Takes a text, or an array or object of texts.
 */
export function concealer(secrets) {
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
    const beginning = secret.slice(0, SHORTEST)
    if (!text.includes(beginning)) return text
    // In a text instead of the function, `$&` would stand for the secret.
    const masked = text.replaceAll(secret, () => mask(secret))
    const start = masked.indexOf(beginning)
    const end = masked.indexOf('…', start)
    if (start === -1 || end === -1 || !secret.startsWith(masked.slice(start, end))) return masked
    return masked.slice(0, start) + '*'.repeat(end - start) + masked.slice(end)
}

/** A number is a key only as a whole: with a part of it masked it would be no JSON. */
function maskToken(token, secrets) {
    if (!token.startsWith('"')) return secrets.includes(token) ? JSON.stringify(mask(token)) : token
    const text = unescape(token)
    const masked = secrets.reduce(hide, text)
    return masked === text ? token : JSON.stringify(masked)
}

/** Escape sequences are masked whole: half of one would make the JSON around it unreadable. */
function maskLiteral(literal) {
    return literal.includes('\\') ? '*'.repeat(literal.length) : mask(literal)
}
