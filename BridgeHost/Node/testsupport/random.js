/** The seed to see the same again that a test has printed; without it, another each time. */
const GIVEN = process.env.TEST_SEED ? Number(process.env.TEST_SEED) : undefined

/**
 * Numbers from 0 to 1 that follow from a seed, which stands in the test's output (mulberry32).
 *
 * @param {import('node:test').TestContext} t
 * @param {number} [seed]
 */
export function randomFrom(t, seed = GIVEN ?? Math.trunc(Math.random() * 2 ** 31)) {
    t.diagnostic(`seed ${seed}`)
    return () => {
        seed = (seed + 0x6d2b79f5) | 0
        let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
        mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
        return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
    }
}
