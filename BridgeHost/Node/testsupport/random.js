/**
 * Numbers from 0 to 1 that follow from a seed, which stands in the test's output (mulberry32).
 *
 * @param {import('node:test').TestContext} t
 * @param {number} [seed] The one that was printed, to see the same again.
 */
export function randomFrom(t, seed = Math.trunc(Math.random() * 2 ** 31)) {
    t.diagnostic(`seed ${seed}`)
    return () => {
        seed = (seed + 0x6d2b79f5) | 0
        let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
    }
}
