import { show } from './findings.js'
import {
    absent, all, atLeast, byType, every, exactly, filled, flag, instant, isObject, key, matching, MESSAGE_ID, missing, number, object, text,
} from './shape.js'

/** @typedef {import('./findings.js').Check} Check */

/** A caller may choose the id, so none can be told from a broken generated one. */
const messageId = matching(MESSAGE_ID, '1 to 128 printable ASCII characters')

const texts = (...names) => Object.fromEntries(names.map((name) => [name, text]))

/** The client leaves out what the platform does not know, and the program may add to it, so only known members are checked. */
const context = atLeast(
    { library: atLeast(texts('name', 'version')) },
    {
        app: atLeast({}, texts('name', 'version', 'build', 'namespace')),
        device: atLeast({}, texts('manufacturer', 'model', 'name', 'type', 'advertisingId')),
        os: atLeast({}, texts('name', 'version')),
        screen: atLeast({}, { density: number(0), width: number(0), height: number(0) }),
        network: atLeast({}, { wifi: flag }),
        ...texts('locale', 'timezone'),
    },
)

/** A client's own anonymous id is a UUID; a call that names its user has one of the program's, or none. */
const author = (value, findings) => {
    if (!Object.hasOwn(value, 'anonymousId') && !Object.hasOwn(value, 'userId')) {
        findings.inside('anonymousId', undefined, missing)
    }
}

const envelope = {
    timestamp: instant,
    writeKey: key,
    messageId,
    context,
    sentAt: instant,
}

const named = exactly(
    { type: text, event: filled, ...envelope },
    { properties: object, anonymousId: filled, userId: filled, groupId: filled, traits: absent('it goes with identify and group') },
)
const unnamed = {
    event: absent('only a track, screen or page has a name'),
    properties: absent('they go with track, screen and page'),
}

/** @type {Record<string, Check>} */
const sorts = {
    track: named,
    screen: named,
    page: named,
    identify: exactly({ type: text, userId: filled, ...envelope }, { ...unnamed, traits: object, anonymousId: filled, groupId: filled }),
    group: exactly({ type: text, groupId: filled, ...envelope }, { ...unnamed, traits: object, anonymousId: filled, userId: filled }),
    alias: exactly(
        { type: text, userId: filled, ...envelope },
        { ...unnamed, traits: absent('an alias has none'), anonymousId: filled, groupId: filled },
    ),
}
const analyticsEvent = byType(Object.fromEntries(Object.entries(sorts).map(([type, sort]) => [type, all(sort, author)])))

/** @type {Check} */
const together = (value, findings) => {
    if (!Array.isArray(value?.batch)) return
    const events = value.batch.filter(isObject)
    if (value.batch.length === 0) findings.add('batch is empty; there is nothing to send.')
    if (new Set(events.map((event) => event.writeKey)).size > 1) {
        findings.add('The events of the batch have more than one writeKey.')
    }
    const seen = new Set()
    for (const { messageId: id } of events) {
        if (typeof id === 'string' && seen.has(id)) findings.add(`messageId ${show(id)} is in the batch twice.`)
        seen.add(id)
    }
}

/** `POST /v1/batch` @type {Check} */
export const batch = all(exactly({ batch: every(analyticsEvent) }), together)
