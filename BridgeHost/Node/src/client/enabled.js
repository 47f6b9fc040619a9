/** The words that turn tracking off in `MOBILE_TRACKER_ENABLED`. */
export const OFF = ['false', '0', 'no', 'off']

/**
 * Why a setup turns its client off.
 *
 * @param {import('./methods.js').BridgedMethod} row
 * @param {object} given Its params.
 * @returns {'offByOption' | 'offByEnvironment' | undefined} The host's word; undefined if it does not.
 */
export function whyOff({ params: [first, ...others] }, given) {
    const options = others.map(({ name }) => given[name]).find((value) => isObject(value)) ?? given[first.name]
    const enabled = (isObject(options) ? options : given).enabled ?? null
    if (enabled !== null) return enabled === false ? 'offByOption' : undefined
    return isOffByEnvironment() ? 'offByEnvironment' : undefined
}

/** Whether the environment turns off what does not say otherwise. */
export function isOffByEnvironment() {
    return OFF.includes(process.env.MOBILE_TRACKER_ENABLED?.toLowerCase())
}

function isObject(value) {
    return typeof value === 'object' && value !== null
}
