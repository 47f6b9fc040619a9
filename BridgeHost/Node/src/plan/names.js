import { PlanError } from './plan.js'

/**
 * A name for a function or a member: `ADD_TO_CART` and `Add to cart` become `addToCart`.
 *
 * @param {string} name
 * @returns {string} An identifier of JavaScript and Swift, in the name's own script. A name without letters and digits
 *     is spelled by its characters' numbers, as `u1F642`.
 */
export function camelCase(name) {
    return identifier(wordsIn(name).map((word, i) => (i === 0 ? lowerFirst(word) : upperFirst(word))))
}

/** The same in Python: `add_to_cart`. */
export function snakeCase(name) {
    const text = wordsIn(name).map((word) => word.toLowerCase()).join('_')
    return /^\p{ID_Start}/u.test(text) ? text : `_${text}`
}

/** The same for a type. */
export function typeName(...names) {
    return identifier(names.flatMap(wordsIn).map(upperFirst))
}

function identifier(words) {
    const text = words.join('')
    return /^\p{ID_Start}/u.test(text) ? text : `_${text}`
}

/**
 * Gives each of these names one of its own in code.
 *
 * @param {Iterable<string>} names
 * @param {string} what Such as `events`, for the error.
 * @param {string[]} [taken] Names that mean something else there; an underscore follows them.
 * @param {(name: string) => string} [toCode] How a name is written there.
 * @returns {Map<string, string>}
 * @throws {PlanError} If two would be called the same.
 */
export function codeNames(names, what, taken = [], toCode = camelCase) {
    const codes = new Map()
    const owners = new Map()
    for (const name of names) {
        const plain = toCode(name)
        const code = taken.includes(plain) ? `${plain}_` : plain
        if (owners.has(code)) {
            throw new PlanError([`Among the ${what}, "${owners.get(code)}" and "${name}" would both be named ${code}.`])
        }
        owners.set(code, name)
        codes.set(name, code)
    }
    return codes
}

function wordsIn(name) {
    // An accent is dropped where the letter is known without it, as in Latin; in other scripts it is part of the letter.
    const plain = name.normalize('NFKD').replace(/(\p{Script=Latin})\p{Mn}+/gu, '$1').normalize('NFC')
    const words = plain.match(/(?:(?!\p{Pc})\p{ID_Continue})+/gu)
    if (!words) return [[...name].map((character) => `u${character.codePointAt(0).toString(16).toUpperCase()}`).join('') || 'empty']
    // A word in capitals alone is one word; in others each capital begins one.
    return words.flatMap(
        (word) => (/^[\p{Lu}\p{Nd}]+$/u.test(word) ? [word.toLowerCase()] : word.split(/(?<=[\p{Ll}\p{Nd}])(?=\p{Lu})/u)),
    )
}

function upperFirst(word) {
    const [first] = word
    return first.toUpperCase() + word.slice(first.length)
}

function lowerFirst(word) {
    const [first] = word
    return /^\p{Lu}+$/u.test(word) ? word.toLowerCase() : first.toLowerCase() + word.slice(first.length)
}
