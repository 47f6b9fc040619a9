/**
 * Guesses what a misspelled name was meant to be.
 *
 * @param {string} name
 * @param {string[]} known
 * @returns {string | undefined} Undefined if nothing is near: more than two in five letters would have to change.
 */
export function nearest(name, known) {
    const letters = folded(name)
    const [best] = known.map((each) => ({ each, edits: distance(letters, folded(each)) }))
        .filter(({ edits }) => edits * 5 <= 2 * Math.max(letters.length, 5))
        .sort((one, other) => one.edits - other.edits)
    return best?.each
}

/** The name without case and without the signs between words. */
function folded(name) {
    return name.slice(0, 64).toLowerCase().replace(/[_.-]/g, '')
}

/** Levenshtein's distance: how many letters must be put in, taken out or replaced. */
function distance(one, other) {
    let row = Array.from({ length: other.length + 1 }, (_, i) => i)
    for (let i = 1; i <= one.length; i++) {
        const next = [i]
        for (let j = 1; j <= other.length; j++) {
            const replaced = row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1)
            next.push(Math.min(replaced, row[j] + 1, next[j - 1] + 1))
        }
        row = next
    }
    return row[other.length]
}
