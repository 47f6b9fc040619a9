/** A check looks at one value and says what is wrong with it. @typedef {(value: any, findings: Findings) => void} Check */

/**
 * Something that is wrong with a request.
 *
 * @typedef {object} Finding
 * @property {Array<string | number> | null} path The keys that lead to it in the body; null if it is in no member of it.
 * @property {string} text What is wrong: the rest of a sentence that begins with the place. Without a path, a whole one.
 */

/** A bound, so that one broken client cannot fill the memory with sentences about one request. */
const MOST = 50

/** What is wrong with one request. */
export class Findings {
    /** @type {Finding[]} */
    list = []
    #path = []

    /** Runs a check on a member, so that what it says carries the member's place. */
    inside(key, value, check) {
        this.#path.push(key)
        check(value, this)
        this.#path.pop()
    }

    /** Says something about the current place: `say('is missing.')` becomes `batch[2].type is missing.` */
    say(rest) {
        this.add(rest, [...this.#path])
    }

    /** Adds a whole sentence, or something about a place. */
    add(text, path = null) {
        if (this.list.length < MOST) this.list.push({ path, text })
        else if (this.list.length === MOST) this.list.push({ path: null, text: 'There is more wrong than is listed here.' })
    }
}

/** A finding as a sentence. @param {Finding} finding */
export function sentenceOf({ path, text }) {
    return path === null ? text : `${placeOf(path) || 'The body'} ${text}`
}

function placeOf(path) {
    return path.reduce((place, key) => place + (typeof key === 'number' ? `[${key}]` : (place && '.') + key), '')
}

/**
 * A value as a sentence shows it: its JSON, cut short.
 *
 * @param {unknown} value
 * @returns {string}
 */
export function show(value) {
    if (Array.isArray(value)) return 'an array'
    if (typeof value === 'object' && value !== null) return 'an object'
    const text = JSON.stringify(value) ?? 'nothing'
    return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
