/**
 * The word that was probably meant: at most two in five letters would have to change, as in the host. Case, and the signs
 * between the parts of a word, do not count.
 *
 * @param {string} word As it was written.
 * @param {Iterable<string>} words Those there are.
 * @returns {string | undefined} Undefined if none is near.
 */
export function nearest(word, words) {
    let best
    const letters = folded(word)
    let least = Math.floor((2 * Math.max(letters.length, 5)) / 5) + 1
    for (const candidate of words) {
        const cost = distance(letters, folded(candidate), least)
        if (cost < least) [best, least] = [candidate, cost]
    }
    return best
}

/** The letters of a word, as spellings of it share them. Of a long one the beginning, so that it costs little. */
export function folded(word) {
    return word.slice(0, 64).toLowerCase().replace(/[_.-]/g, '')
}

/**
 * How many letters one must add, drop, change or swap with their neighbour to make one word of another.
 *
 * @param {string} one
 * @param {string} other
 * @param {number} [enough] Beyond this the exact number does not matter.
 * @returns {number}
 */
export function distance(one, other, enough = Infinity) {
    if (Math.abs(one.length - other.length) >= enough) return enough
    let before = []
    let last = Array.from({ length: other.length + 1 }, (_, column) => column)
    for (let row = 1; row <= one.length; row++) {
        const present = [row]
        for (let column = 1; column <= other.length; column++) {
            const isSame = one[row - 1] === other[column - 1]
            present[column] = Math.min(last[column] + 1, present[column - 1] + 1, last[column - 1] + (isSame ? 0 : 1))
            const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
            if (isSwap) present[column] = Math.min(present[column], before[column - 2] + 1)
        }
        ;[before, last] = [last, present]
    }
    return last[other.length]
}
