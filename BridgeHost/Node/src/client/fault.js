import { CLIENT_TEXTS, KINDS, TEXTS } from './texts.js'

/**
 * Says in a sentence what is wrong.
 *
 * @param {string} word What is wrong: the key of a text.
 * @param {Record<string, unknown>} facts What the text has marks for.
 * @returns {string} Empty if there is no such text.
 */
export function sentenceOf(word, facts) {
    return filled(TEXTS[word] ?? '', facts) ?? ''
}

/**
 * What a client says of its host or of itself.
 *
 * @param {string} word The key of a text.
 * @param {Record<string, unknown>} [facts] What the text has marks for.
 * @returns {string}
 */
export function clientText(word, facts = {}) {
    return filled(CLIENT_TEXTS[word], facts)
}

/**
 * Fills the marks of a text.
 *
 * @param {string} text
 * @param {Record<string, unknown>} facts
 * @returns {string | undefined} Undefined if a fact is missing.
 */
export function filled(text, facts) {
    let isWhole = true
    const result = text.replace(/\[([^\]]*)\]|\{(\w+)\}/g, (_mark, part, name) => {
        if (part !== undefined) return part.split('|').map((each) => filled(each, facts)).find((each) => each !== undefined) ?? ''
        isWhole &&= (facts[name] ?? undefined) !== undefined
        return wordsFor(facts[name], name)
    })
    return isWhole ? result : undefined
}

/** The words for a fact. Of several unknown options, each has facts of its own; what is expected is a kind, or one of several words. */
function wordsFor(fact, name) {
    if (name === 'expected') return Array.isArray(fact) ? fact.map((word) => `'${word}'`).join(' or ') : KINDS[fact] ?? String(fact)
    if (typeof fact === 'number') return fact.toLocaleString('en', { maximumFractionDigits: 20 })
    if (!Array.isArray(fact)) return String(fact)
    return typeof fact[0] === 'object' ? fact.map((each) => sentenceOf('unknown', each)).join(' ') : fact.map((each) => wordsFor(each, name)).join(', ')
}
