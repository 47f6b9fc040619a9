/** The requests of the day, as people call them. */
const NAMES = {
    session: 'sessions', event: 'events', profile: 'profile updates', identify: 'identified users',
    location: 'locations', email: 'session emails', link: 'linked sessions',
}

/** The most faults that are worth reading at once. */
const MOST = 20

/**
 * What came, in a few lines.
 *
 * @param {import('../src/collector/index.cjs').ReceivedRequest[]} received
 * @returns {string[]}
 */
export function summary(received) {
    const count = (matches) => String(received.filter(matches).length).padStart(5)
    const requests = (matches) => `${count(matches)} ${Number(count(matches)) === 1 ? 'request' : 'requests'}`
    return [
        'The collector received',
        ...Object.entries(NAMES).map(([kind, name]) => {
            return `${count((record) => record.kind === kind && record.accepted && !record.repeat)} ${name}`
        }),
        `${requests(({ accepted }) => !accepted)} that it refused with 503`,
        `${requests(({ repeat }) => repeat)} once more, under the same key`,
    ]
}

/**
 * The verdict in words.
 *
 * @param {ReturnType<import('./verdict.js').judge>} verdict
 * @returns {string[]}
 */
export function conclusion({ faults, accepted }) {
    if (faults.length === 0) {
        return [`All ${accepted} accepted calls arrived, each once under its Idempotency-Key, in the order of calls.`]
    }
    const shown = faults.slice(0, MOST).map((fault) => `  ${fault}`)
    if (faults.length > MOST) shown.push(`  and ${faults.length - MOST} more`)
    return ['The demo failed:', ...shown]
}
