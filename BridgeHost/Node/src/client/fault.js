import { TEXTS } from './texts.js'

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

/** The text with its facts; undefined if one is missing. */
function filled(text, facts) {
    let isWhole = true
    const result = text.replace(/\[([^\]]*)\]|\{(\w+)\}/g, (_mark, part, name) => {
        if (part !== undefined) return part.split('|').map((each) => filled(each, facts)).find((each) => each !== undefined) ?? ''
        const fact = facts[name]
        isWhole &&= fact !== undefined
        return typeof fact === 'number' ? fact.toLocaleString('en', { maximumFractionDigits: 20 }) : String(fact)
    })
    return isWhole ? result : undefined
}
