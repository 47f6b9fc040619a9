/** A bound, so that a client that leaves a gap before every number cannot fill the memory. */
const MOST = 10_000

/** A set of whole numbers, kept as runs `[first, last]` in rising order. */
export class Intervals {
    /** @type {Array<[number, number]>} */
    #runs = []

    /** The largest number in the set, or -1. */
    get last() {
        return this.#runs.length ? this.#runs[this.#runs.length - 1][1] : -1
    }

    /** How many of `first`…`last` are in the set. */
    count(first, last) {
        let count = 0
        for (let i = this.#runs.length - 1; i >= 0 && this.#runs[i][1] >= first; i--) {
            const [from, to] = this.#runs[i]
            if (from <= last) count += Math.min(to, last) - Math.max(from, first) + 1
        }
        return count
    }

    /** Adds `first`…`last`. */
    add(first, last) {
        const runs = this.#runs
        let i = runs.length
        while (i > 0 && runs[i - 1][1] >= first - 1) i--
        let end = i
        let from = first
        let to = last
        while (end < runs.length && runs[end][0] <= last + 1) {
            from = Math.min(from, runs[end][0])
            to = Math.max(to, runs[end][1])
            end++
        }
        runs.splice(i, end - i, [from, to])
        if (runs.length > MOST) runs.splice(0, 2, [runs[0][0], runs[1][1]])
    }

    /** The numbers from `first` on that the set lacks, up to but not including `end`, as runs. */
    gaps(first, end) {
        const gaps = []
        let next = first
        for (const [from, to] of this.#runs) {
            if (to < next) continue
            if (from >= end) break
            if (from > next) gaps.push([next, from - 1])
            next = to + 1
        }
        if (next < end) gaps.push([next, end - 1])
        return gaps
    }
}
