/**
 * An object of 40 levels, each of which holds the next twice: what it stands for has no end in practice. It throws when
 * that is read nevertheless.
 */
export function doubling() {
    let reads = 0
    const above = (inner) => ({
        get a() {
            if (++reads > 100_000) throw new Error('It is read on and on')
            return inner
        },
        b: inner,
    })
    return Array.from({ length: 40 }).reduce(above, {})
}
