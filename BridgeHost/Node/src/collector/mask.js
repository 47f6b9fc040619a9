/**
 * Hides a secret, so that it can still be told from another one: all but its last four characters.
 *
 * @param {string} secret
 * @returns {string} As many characters as came in; of four or fewer none is shown.
 */
export function mask(secret) {
    const shown = secret.length > 4 ? secret.slice(-4) : ''
    return '*'.repeat(secret.length - shown.length) + shown
}

const WRITE_KEY = /("writeKey"\s*:\s*")((?:[^"\\]|\\.)*)(")/g

/**
 * Hides the keys inside a body: every member named `writeKey`, and wherever the request's own API key stands.
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
    if (apiKey && apiKey.length >= 8 && masked.includes(apiKey)) {
        masked = masked.replaceAll(apiKey, mask(apiKey))
    }
    return masked
}

/** Escape sequences are hidden whole: half of one would make the JSON around it unreadable. */
function maskLiteral(literal) {
    return literal.includes('\\') ? '*'.repeat(literal.length) : mask(literal)
}
