/** A check looks at one value and says what is wrong with it. @typedef {(value: any, findings: Findings) => void} Check */

/** A bound, so that one broken client cannot fill the memory with sentences about one request. */
const MOST = 50

/** What is wrong with one request, in plain sentences that begin with the place. */
export class Findings {
    /** @type {string[]} */
    sentences = []
    #path = []

    /** Runs a check on a member, so that what it says carries the member's place. */
    inside(key, value, check) {
        this.#path.push(key)
        check(value, this)
        this.#path.pop()
    }

    /** Says something about the current place: `say('is missing.')` becomes `batch[2].type is missing.` */
    say(rest) {
        this.add(`${this.#place()} ${rest}`)
    }

    /** Adds a whole sentence. */
    add(sentence) {
        if (this.sentences.length < MOST) this.sentences.push(sentence)
        else if (this.sentences.length === MOST) this.sentences.push('There is more wrong than is listed here.')
    }

    #place() {
        if (this.#path.length === 0) return 'The body'
        let place = ''
        for (const key of this.#path) {
            if (typeof key === 'number') place += `[${key}]`
            else place += (place && '.') + key
        }
        return place
    }
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
