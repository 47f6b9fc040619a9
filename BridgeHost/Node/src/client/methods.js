/**
 * How one method of the host is called from JavaScript.
 *
 * @typedef {object} Row
 * @property {string[]} params The names of the arguments, in their order.
 * @property {'outcome' | 'nothing' | 'object' | { member: string }} gives What the promise resolves with: an outcome,
 *     undefined, the result as it is, or one member of it.
 * @property {'uuid' | 'stamped'} [messageId] The kind of message id that is made up for a call that brings none; in
 *     such a call an object with a `messageId` may follow the arguments.
 * @property {boolean} [repeats] Whether the call is made again if the host dies before it answers.
 * @property {boolean} [isNamed] Whether the first argument is a name that may be logged.
 * @property {boolean} [takesObject] Whether an object as the first argument holds all params.
 * @property {Record<string, string>} [faults] The error code for an argument that cannot be written as JSON.
 */

/** A call that becomes an event or the like. */
const tracking = (...params) => ({ params, gives: 'outcome', messageId: 'uuid', repeats: true })

/** One whose first argument is the name of an event or a screen. */
const naming = (...params) => ({ ...tracking(...params), isNamed: true })

/** A call that changes state and can be repeated harmlessly under its message id. */
const changing = (...params) => ({ params, gives: 'nothing', messageId: 'uuid', repeats: true })

/** A question. */
const asking = (member, ...params) => ({ params, gives: { member } })

/** The same with the message ids of the analytics client. */
const stamped = (row) => ({ ...row, messageId: 'stamped' })

/** A call that begins something: made again, as it is, if the host dies meanwhile. */
const beginning = (params, faults) => ({ params, gives: 'nothing', repeats: true, takesObject: true, faults })

/** The methods of the session-based tracker. @type {Record<string, Row>} */
export const TRACKER = {
    init: beginning(['brandId', 'config'], { brandId: 'INVALID_BRAND_ID', config: 'INVALID_CONFIGURATION' }),
    track: naming('eventName', 'attributes', 'metadata'),
    identify: tracking('userId', 'profileData'),
    set: tracking('profileData'),
    setMetadata: tracking('metadata'),
    screen: naming('name', 'properties'),
    screenDidAppear: naming('name', 'url', 'properties'),
    reset: changing('all'),
    flush: { params: ['timeoutMs'], gives: 'object' },
    updateLocation: tracking('latitude', 'longitude', 'accuracy'),
    updateSessionEmail: tracking('email'),
    linkSession: tracking('sourceSessionId'),
    setConsent: changing('consent'),
    isTrackingAllowed: asking('allowed'),
    getSessionId: asking('sessionId'),
    getDeviceId: asking('deviceId'),
    getSessionEmail: asking('sessionEmail'),
    getBrandId: asking('brandId'),
    getCrossDomainUrl: asking('url', 'url'),
    continueSession: tracking('url'),
    getDebugInfo: { params: [], gives: 'object' },
    networkDidChange: { params: [], gives: 'nothing' },
}

/** The methods of the analytics client. @type {Record<string, Row>} */
export const ANALYTICS = {
    initialize: { ...beginning(['options'], { options: 'INVALID_CONFIGURATION' }), takesObject: false },
    track: stamped(naming('event', 'properties')),
    identify: stamped(tracking('userId', 'traits')),
    group: stamped(tracking('groupId', 'traits')),
    screen: stamped(naming('name', 'properties')),
    page: stamped(naming('name', 'properties')),
    alias: stamped(tracking('newUserId')),
    setAdvertisingId: stamped(tracking('advertisingId')),
    clearAdvertisingId: stamped(tracking()),
    flush: { params: ['timeoutMs'], gives: 'object' },
    reset: changing(),
    enableDebugLogging: { params: [], gives: 'nothing' },
    getDebugInfo: { params: [], gives: 'object' },
    foreground: { params: [], gives: 'nothing' },
    background: { params: [], gives: 'nothing' },
}

/** The methods of the basic tracker. @type {Record<string, Row>} */
export const BASIC = {
    initialize: beginning(['apiKey', 'endpoint', 'appVersion', 'options'], {
        apiKey: 'INVALID_API_KEY',
        endpoint: 'INVALID_ENDPOINT',
        options: 'INVALID_CONFIGURATION',
    }),
    track: naming('event', 'properties'),
    identify: tracking('userId', 'traits'),
    screen: naming('name', 'properties'),
    flush: { params: ['timeoutMs'], gives: 'object' },
    getDebugInfo: { params: [], gives: 'object' },
}
