import { all, atLeast, byType, every, filled, key, object } from '../shape.js'
import { atMost, eventBytes, length, zonedTime } from './limits.js'

/** @typedef {import('../findings.js').Check} Check */

/** Segment's public limits: 2,500 events a batch, 32 KiB an event (HTTP API source, "Errors"). */
const MOST_EVENTS = 2500
const MOST_BYTES = 32 * 1024

const REQUIRED = {
    track: { event: filled },
    identify: {},
    group: { groupId: filled },
    screen: { name: filled },
    page: { name: filled },
    alias: { userId: filled, previousId: filled },
}
const COMMON = { timestamp: zonedTime, messageId: length(1, 100) }
const OPTIONAL = { properties: object, traits: object, context: object, integrations: object }

/** @type {Check} */
const someone = (value, findings) => {
    if ((value.userId ?? value.anonymousId ?? null) === null) findings.say('names neither a userId nor an anonymousId.')
}

const event = byType(Object.fromEntries(
    Object.entries(REQUIRED).map(([type, members]) => [type, all(atLeast({ ...COMMON, ...members }, OPTIONAL), someone)])))

/** `POST /v1/batch`, as Segment, RudderStack and Jitsu take it. @type {Check} */
export const segment = atLeast(
    { batch: all(atMost(MOST_EVENTS, 'Segment'), every(all(event, eventBytes(MOST_BYTES, 'Segment')))), sentAt: zonedTime },
    { writeKey: key },
)
