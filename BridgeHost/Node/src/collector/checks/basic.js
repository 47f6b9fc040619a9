import { absent, all, byType, every, exactly, filled, instant, object, oneOf, text } from './shape.js'

/** @typedef {import('./findings.js').Check} Check */

const MOST_EVENTS = 20

const envelope = {
    context: exactly(
        { platform: oneOf('ios', 'ipados', 'macos', 'linux', 'windows', 'android'), osVersion: filled },
        { appVersion: text },
    ),
    timestamp: instant,
}

const named = exactly(
    { type: text, name: filled, ...envelope },
    { userId: filled, traits: object, properties: object },
)

const basicEvent = byType({
    track: named,
    screen: named,
    identify: exactly(
        { type: text, userId: filled, ...envelope },
        { traits: object, name: absent('an identify has none'), properties: absent('an identify has traits') },
    ),
})

/** @type {Check} */
const size = (value, findings) => {
    if (!Array.isArray(value)) return
    if (value.length === 0) findings.say('is an empty array; there is nothing to send.')
    if (value.length > MOST_EVENTS) findings.say(`holds ${value.length} events; ${MOST_EVENTS} at most go into one.`)
}

/** Any other POST: an array of events. @type {Check} */
export const basic = all(every(basicEvent), size)
