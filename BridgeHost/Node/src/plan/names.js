import { PlanError } from './plan.js'

/**
 * A name for a function or a member: `ADD_TO_CART` and `Add to cart` become `addToCart`.
 *
 * @param {string} name
 * @returns {string} ASCII letters and digits, the first no digit; empty if nothing of the name is left.
 */
export function camelCase(name) {
    const words = wordsIn(name)
    const text = words.map((word, i) => (i === 0 ? lowerFirst(word) : upperFirst(word))).join('')
    return /^\d/.test(text) ? `_${text}` : text
}

/** The same for a type. */
export function typeName(...names) {
    const text = names.flatMap(wordsIn).map(upperFirst).join('')
    return /^\d/.test(text) ? `_${text}` : text
}

/**
 * Gives each of these names one of its own in code.
 *
 * @param {Iterable<string>} names
 * @param {string} what Such as `events`, for the error.
 * @returns {Map<string, string>}
 * @throws {PlanError} If two would be called the same, or one nothing.
 */
export function codeNames(names, what) {
    const codes = new Map()
    const owners = new Map()
    for (const name of names) {
        const code = camelCase(name)
        if (code === '') throw new PlanError([`Among the ${what}, "${name}" has no letter or digit to make a name from.`])
        if (owners.has(code)) {
            throw new PlanError([`Among the ${what}, "${owners.get(code)}" and "${name}" would both be named ${code}.`])
        }
        owners.set(code, name)
        codes.set(name, code)
    }
    return codes
}

function wordsIn(name) {
    const words = name.normalize('NFKD').replace(/[\u0300-\u036f]/g, '').split(/[^A-Za-z0-9]+/).filter(Boolean)
    // A word in capitals alone is one word; in others each capital begins one.
    return words.flatMap(
        (word) => (/^[A-Z0-9]+$/.test(word) ? [word.toLowerCase()] : word.split(/(?<=[a-z0-9])(?=[A-Z])/)),
    )
}

function upperFirst(word) {
    return word[0].toUpperCase() + word.slice(1)
}

function lowerFirst(word) {
    return /^[A-Z]+$/.test(word) ? word.toLowerCase() : word[0].toLowerCase() + word.slice(1)
}
