// Made by `make generate` from the host's method table: a change here is lost.

/**
 * One argument of a method.
 *
 * @typedef {object} Param
 * @property {string} name
 * @property {'string' | 'id' | 'number' | 'integer' | 'boolean' | 'object'} kind
 * @property {boolean} isRequired
 * @property {string} fault What a wrong value is answered with: a reason if the call has an outcome, else the
 *     code of an error.
 * @property {string} [member] The member of an {@link OutgoingCall} that it is, if not the one of its name.
 */

/**
 * How one method of the host is called from JavaScript.
 *
 * @typedef {object} BridgedMethod
 * @property {Param[]} params The arguments, in their order.
 * @property {'outcome' | 'nothing' | 'report' | 'object' | { member: string }} gives What the promise resolves with:
 *     an outcome, undefined, the report of a flush or another result as it is, or one member of it.
 * @property {'uuid' | 'stamped'} [messageId] The kind of message id that is made up for a call that brings none;
 *     in such a call an object with a `messageId` may follow the arguments.
 * @property {{ name: string, kind: 'string' | 'id' | 'object' }[]} [options] What else that object may hold.
 * @property {boolean} [isScoped] Whether the call takes what the scope around it gives.
 * @property {boolean} [repeats] Whether the call is made again if the host dies before it answers.
 * @property {boolean} [isNamed] Whether the first argument is a name that may be logged.
 * @property {'userId' | 'anonymousId'} [person] The option that says whom a call is about.
 * @property {boolean} [takesObject] Whether an object as the first argument holds all params.
 * @property {'setup' | 'consent' | 'user' | 'credentials' | 'defaults' | 'ends' | 'endsBrand'} [restores] What a new host
 *     needs of it after a crash: see recovery.js.
 * @property {string} [holdsAfter] The error of a setup after which, too, the client goes on.
 * @property {Record<string, string>} [again] What the configuration of a setup says besides when it is restored.
 * @property {string[]} [once] What it lacks then, since it has taken effect.
 * @property {string[]} [holdsIfDropped] The reasons for which a call is dropped whose user holds all the same.
 * @property {'always' | 'all'} [ends] Whether the call ends its client, or the brand that it is set up for: always, or if
 *     its param `all` is true.
 * @property {boolean} [isUrgent] Whether it ends the hold of a setup: see setup-hold.js.
 * @property {object | 'consent' | 'param' | 'state'} [whenOff] What a query is answered while its client is off: an
 *     object, whether consent is granted, a param as it is given, or the state; see off.js.
 */

/** The options of an analytics call. */
const CALL_OPTIONS = [
    { name: 'userId', kind: 'id' },
    { name: 'anonymousId', kind: 'id' },
    { name: 'groupId', kind: 'id' },
    { name: 'timestamp', kind: 'string' },
    { name: 'context', kind: 'object' },
]

/** The methods, by the host's names: those of a client begin with its name. @type {Record<string, BridgedMethod>} */
export const METHODS = {
    init: {
        params: [
            { name: 'brandId', kind: 'string', isRequired: true, fault: 'INVALID_BRAND_ID' },
            { name: 'config', kind: 'object', isRequired: false, fault: 'INVALID_CONFIGURATION' },
        ],
        gives: 'nothing',
        repeats: true,
        takesObject: true,
        restores: 'setup',
        holdsAfter: 'SESSION_CREATION_FAILED',
        again: { sessionCreation: 'inBackground' },
        once: ['initialScreen'],
    },
    track: {
        params: [
            { name: 'eventName', kind: 'string', isRequired: true, fault: 'INVALID_EVENT_NAME', member: 'name' },
            { name: 'attributes', kind: 'object', isRequired: false, fault: 'INVALID_VALUE', member: 'properties' },
            { name: 'metadata', kind: 'object', isRequired: false, fault: 'INVALID_VALUE' },
        ],
        gives: 'outcome',
        messageId: 'uuid',
        repeats: true,
        isNamed: true,
    },
    identify: {
        params: [
            { name: 'userId', kind: 'id', isRequired: true, fault: 'INVALID_USER_ID' },
            { name: 'profileData', kind: 'object', isRequired: false, fault: 'INVALID_VALUE', member: 'properties' },
        ],
        gives: 'outcome',
        messageId: 'uuid',
        repeats: true,
    },
    set: {
        params: [
            { name: 'profileData', kind: 'object', isRequired: true, fault: 'INVALID_VALUE', member: 'properties' },
        ],
        gives: 'outcome',
        messageId: 'uuid',
        repeats: true,
    },
    setMetadata: {
        params: [
            { name: 'metadata', kind: 'object', isRequired: true, fault: 'INVALID_VALUE', member: 'properties' },
        ],
        gives: 'outcome',
        messageId: 'uuid',
        repeats: true,
    },
    screen: {
        params: [
            { name: 'name', kind: 'string', isRequired: true, fault: 'INVALID_EVENT_NAME' },
            { name: 'properties', kind: 'object', isRequired: false, fault: 'INVALID_VALUE' },
        ],
        gives: 'outcome',
        messageId: 'uuid',
        repeats: true,
        isNamed: true,
    },
    screenDidAppear: {
        params: [
            { name: 'name', kind: 'string', isRequired: true, fault: 'INVALID_EVENT_NAME' },
            { name: 'url', kind: 'string', isRequired: false, fault: 'INVALID_VALUE' },
            { name: 'properties', kind: 'object', isRequired: false, fault: 'INVALID_VALUE' },
        ],
        gives: 'outcome',
        messageId: 'uuid',
        repeats: true,
        isNamed: true,
    },
    updateLocation: {
        params: [
            { name: 'latitude', kind: 'number', isRequired: true, fault: 'INVALID_VALUE', member: 'location' },
            { name: 'longitude', kind: 'number', isRequired: true, fault: 'INVALID_VALUE', member: 'location' },
            { name: 'accuracy', kind: 'number', isRequired: true, fault: 'INVALID_VALUE', member: 'location' },
        ],
        gives: 'outcome',
        messageId: 'uuid',
        repeats: true,
    },
    updateSessionEmail: {
        params: [
            { name: 'email', kind: 'string', isRequired: true, fault: 'INVALID_VALUE' },
        ],
        gives: 'outcome',
        messageId: 'uuid',
        repeats: true,
    },
    linkSession: {
        params: [
            { name: 'sourceSessionId', kind: 'id', isRequired: true, fault: 'INVALID_VALUE' },
        ],
        gives: 'outcome',
        messageId: 'uuid',
        repeats: true,
    },
    reset: {
        params: [
            { name: 'all', kind: 'boolean', isRequired: false, fault: 'INVALID_PARAMS' },
        ],
        gives: 'nothing',
        messageId: 'uuid',
        repeats: true,
        restores: 'endsBrand',
        ends: 'all',
        isUrgent: true,
    },
    flush: {
        params: [
            { name: 'timeoutMs', kind: 'integer', isRequired: false, fault: 'INVALID_PARAMS' },
        ],
        gives: 'report',
        whenOff: {"delivered": 0, "remaining": 0},
    },
    setCredentials: {
        params: [
            { name: 'key', kind: 'string', isRequired: false, fault: 'INVALID_PARAMS' },
            { name: 'headers', kind: 'object', isRequired: false, fault: 'INVALID_PARAMS' },
        ],
        gives: 'nothing',
        repeats: true,
        takesObject: true,
        restores: 'credentials',
        isUrgent: true,
    },
    setConsent: {
        params: [
            { name: 'consent', kind: 'string', isRequired: true, fault: 'INVALID_PARAMS' },
        ],
        gives: 'nothing',
        messageId: 'uuid',
        repeats: true,
        restores: 'consent',
        isUrgent: true,
    },
    isTrackingAllowed: { params: [], gives: { member: 'allowed' }, whenOff: 'consent' },
    getSessionId: { params: [], gives: { member: 'sessionId' } },
    getDeviceId: { params: [], gives: { member: 'deviceId' } },
    getSessionEmail: { params: [], gives: { member: 'sessionEmail' } },
    getBrandId: { params: [], gives: { member: 'brandId' } },
    getCrossDomainUrl: {
        params: [
            { name: 'url', kind: 'string', isRequired: true, fault: 'INVALID_PARAMS' },
        ],
        gives: { member: 'url' },
        whenOff: 'param',
    },
    continueSession: {
        params: [
            { name: 'url', kind: 'string', isRequired: true, fault: 'INVALID_VALUE' },
        ],
        gives: 'outcome',
        messageId: 'uuid',
        repeats: true,
    },
    getDebugInfo: { params: [], gives: 'object', whenOff: 'state' },
    networkDidChange: { params: [], gives: 'nothing' },
    'analytics.initialize': {
        params: [
            { name: 'options', kind: 'object', isRequired: false, fault: 'INVALID_CONFIGURATION' },
        ],
        gives: 'nothing',
        repeats: true,
        restores: 'setup',
    },
    'analytics.track': {
        params: [
            { name: 'event', kind: 'string', isRequired: true, fault: 'INVALID_EVENT_NAME', member: 'name' },
            { name: 'properties', kind: 'object', isRequired: false, fault: 'INVALID_VALUE' },
        ],
        gives: 'outcome',
        messageId: 'stamped',
        options: CALL_OPTIONS,
        isScoped: true,
        repeats: true,
        isNamed: true,
        person: 'userId',
    },
    'analytics.identify': {
        params: [
            { name: 'userId', kind: 'id', isRequired: true, fault: 'INVALID_USER_ID' },
            { name: 'traits', kind: 'object', isRequired: false, fault: 'INVALID_VALUE', member: 'properties' },
        ],
        gives: 'outcome',
        messageId: 'stamped',
        options: CALL_OPTIONS,
        isScoped: true,
        repeats: true,
        person: 'userId',
    },
    'analytics.group': {
        params: [
            { name: 'groupId', kind: 'id', isRequired: true, fault: 'INVALID_VALUE' },
            { name: 'traits', kind: 'object', isRequired: false, fault: 'INVALID_VALUE', member: 'properties' },
        ],
        gives: 'outcome',
        messageId: 'stamped',
        options: CALL_OPTIONS,
        isScoped: true,
        repeats: true,
        person: 'userId',
    },
    'analytics.screen': {
        params: [
            { name: 'name', kind: 'string', isRequired: true, fault: 'INVALID_EVENT_NAME' },
            { name: 'properties', kind: 'object', isRequired: false, fault: 'INVALID_VALUE' },
        ],
        gives: 'outcome',
        messageId: 'stamped',
        options: CALL_OPTIONS,
        isScoped: true,
        repeats: true,
        isNamed: true,
        person: 'userId',
    },
    'analytics.page': {
        params: [
            { name: 'name', kind: 'string', isRequired: true, fault: 'INVALID_EVENT_NAME' },
            { name: 'properties', kind: 'object', isRequired: false, fault: 'INVALID_VALUE' },
        ],
        gives: 'outcome',
        messageId: 'stamped',
        options: CALL_OPTIONS,
        isScoped: true,
        repeats: true,
        isNamed: true,
        person: 'userId',
    },
    'analytics.alias': {
        params: [
            { name: 'newUserId', kind: 'id', isRequired: true, fault: 'INVALID_USER_ID', member: 'userId' },
        ],
        gives: 'outcome',
        messageId: 'stamped',
        options: CALL_OPTIONS,
        isScoped: true,
        repeats: true,
        person: 'anonymousId',
    },
    'analytics.setAdvertisingId': {
        params: [
            { name: 'advertisingId', kind: 'id', isRequired: false, fault: 'INVALID_VALUE' },
        ],
        gives: 'outcome',
        messageId: 'stamped',
        isScoped: true,
        repeats: true,
    },
    'analytics.clearAdvertisingId': {
        params: [],
        gives: 'outcome',
        messageId: 'stamped',
        isScoped: true,
        repeats: true,
    },
    'analytics.setDefaults': {
        params: [
            { name: 'properties', kind: 'object', isRequired: false, fault: 'INVALID_PARAMS' },
            { name: 'context', kind: 'object', isRequired: false, fault: 'INVALID_PARAMS' },
        ],
        gives: 'nothing',
        repeats: true,
        takesObject: true,
        restores: 'defaults',
    },
    'analytics.forget': {
        params: [
            { name: 'userId', kind: 'id', isRequired: false, fault: 'INVALID_PARAMS' },
            { name: 'anonymousId', kind: 'id', isRequired: false, fault: 'INVALID_PARAMS' },
        ],
        gives: 'object',
        repeats: true,
        takesObject: true,
        whenOff: {"erased": 0, "deliveredOfAnyone": 0},
    },
    'analytics.unforget': {
        params: [
            { name: 'userId', kind: 'id', isRequired: false, fault: 'INVALID_PARAMS' },
            { name: 'anonymousId', kind: 'id', isRequired: false, fault: 'INVALID_PARAMS' },
        ],
        gives: 'nothing',
        repeats: true,
        takesObject: true,
    },
    'analytics.flush': {
        params: [
            { name: 'timeoutMs', kind: 'integer', isRequired: false, fault: 'INVALID_PARAMS' },
        ],
        gives: 'report',
        whenOff: {"delivered": 0, "remaining": 0},
    },
    'analytics.setCredentials': {
        params: [
            { name: 'key', kind: 'string', isRequired: false, fault: 'INVALID_PARAMS' },
            { name: 'headers', kind: 'object', isRequired: false, fault: 'INVALID_PARAMS' },
        ],
        gives: 'nothing',
        repeats: true,
        takesObject: true,
        restores: 'credentials',
        isUrgent: true,
    },
    'analytics.reset': {
        params: [],
        gives: 'nothing',
        messageId: 'uuid',
        repeats: true,
        restores: 'ends',
        ends: 'always',
        isUrgent: true,
    },
    'analytics.enableDebugLogging': { params: [], gives: 'nothing' },
    'analytics.getDebugInfo': { params: [], gives: 'object', whenOff: 'state' },
    'analytics.foreground': { params: [], gives: 'nothing' },
    'analytics.background': { params: [], gives: 'nothing' },
    'basic.initialize': {
        params: [
            { name: 'apiKey', kind: 'string', isRequired: false, fault: 'INVALID_API_KEY' },
            { name: 'endpoint', kind: 'string', isRequired: false, fault: 'INVALID_ENDPOINT' },
            { name: 'appVersion', kind: 'string', isRequired: false, fault: 'INVALID_PARAMS' },
            { name: 'options', kind: 'object', isRequired: false, fault: 'INVALID_CONFIGURATION' },
        ],
        gives: 'nothing',
        repeats: true,
        takesObject: true,
        restores: 'setup',
    },
    'basic.track': {
        params: [
            { name: 'event', kind: 'string', isRequired: true, fault: 'INVALID_EVENT_NAME', member: 'name' },
            { name: 'properties', kind: 'object', isRequired: false, fault: 'INVALID_VALUE' },
        ],
        gives: 'outcome',
        messageId: 'uuid',
        repeats: true,
        isNamed: true,
    },
    'basic.identify': {
        params: [
            { name: 'userId', kind: 'id', isRequired: true, fault: 'INVALID_USER_ID' },
            { name: 'traits', kind: 'object', isRequired: false, fault: 'INVALID_VALUE', member: 'properties' },
        ],
        gives: 'outcome',
        messageId: 'uuid',
        repeats: true,
        restores: 'user',
        holdsIfDropped: ['PLAN', 'STORAGE_ERROR', 'QUEUE_FULL', 'FORGOTTEN', 'TRACKING_NOT_ALLOWED'],
    },
    'basic.screen': {
        params: [
            { name: 'name', kind: 'string', isRequired: true, fault: 'INVALID_EVENT_NAME' },
            { name: 'properties', kind: 'object', isRequired: false, fault: 'INVALID_VALUE' },
        ],
        gives: 'outcome',
        messageId: 'uuid',
        repeats: true,
        isNamed: true,
    },
    'basic.flush': {
        params: [
            { name: 'timeoutMs', kind: 'integer', isRequired: false, fault: 'INVALID_PARAMS' },
        ],
        gives: 'report',
        whenOff: {"delivered": 0, "remaining": 0},
    },
    'basic.setCredentials': {
        params: [
            { name: 'key', kind: 'string', isRequired: false, fault: 'INVALID_PARAMS' },
            { name: 'headers', kind: 'object', isRequired: false, fault: 'INVALID_PARAMS' },
        ],
        gives: 'nothing',
        repeats: true,
        takesObject: true,
        restores: 'credentials',
        isUrgent: true,
    },
    'basic.getDebugInfo': { params: [], gives: 'object', whenOff: 'state' },
    'refused.list': {
        params: [
            { name: 'filter', kind: 'object', isRequired: false, fault: 'INVALID_PARAMS' },
        ],
        gives: { member: 'events' },
        whenOff: {"events": []},
    },
    'refused.retry': {
        params: [
            { name: 'filter', kind: 'object', isRequired: false, fault: 'INVALID_PARAMS' },
        ],
        gives: { member: 'requeued' },
        whenOff: {"requeued": 0},
    },
    'refused.drop': {
        params: [
            { name: 'filter', kind: 'object', isRequired: false, fault: 'INVALID_PARAMS' },
        ],
        gives: { member: 'dropped' },
        whenOff: {"dropped": 0},
    },
    'record.calls': { params: [], gives: { member: 'calls' } },
    'record.expect': {
        params: [
            { name: 'name', kind: 'string', isRequired: true, fault: 'INVALID_PARAMS' },
            { name: 'properties', kind: 'object', isRequired: false, fault: 'INVALID_PARAMS' },
            { name: 'call', kind: 'object', isRequired: false, fault: 'INVALID_PARAMS' },
            { name: 'count', kind: 'integer', isRequired: false, fault: 'INVALID_PARAMS' },
        ],
        gives: 'object',
    },
    'record.find': {
        params: [
            { name: 'name', kind: 'string', isRequired: true, fault: 'INVALID_PARAMS' },
            { name: 'properties', kind: 'object', isRequired: false, fault: 'INVALID_PARAMS' },
            { name: 'call', kind: 'object', isRequired: false, fault: 'INVALID_PARAMS' },
        ],
        gives: { member: 'calls' },
    },
    'record.fail': {
        params: [
            { name: 'reason', kind: 'string', isRequired: false, fault: 'INVALID_PARAMS' },
        ],
        gives: 'nothing',
    },
    'record.clear': { params: [], gives: 'nothing' },
    'record.shutdown': { params: [], gives: 'nothing' },
    'host.metrics': { params: [], gives: { member: 'text' }, whenOff: {"text": "# EOF\n"} },
}

/** What the names of the methods of a method's client begin with, such as `analytics.`; empty for the tracker. */
export function clientOf(method) {
    return method.slice(0, method.indexOf('.') + 1)
}

/** The number of each error that a message can carry. @type {Record<string, number>} */
export const NUMBERS = {
    INVALID_BRAND_ID: 1001,
    INVALID_CONFIGURATION: 1002,
    SESSION_CREATION_FAILED: 1003,
    INIT_ERROR: 1006,
    INVALID_API_KEY: 1007,
    INVALID_ENDPOINT: 1008,
    STORAGE_ERROR: 1009,
    INVALID_VALUE: 1010,
    NOT_INITIALIZED: 1011,
    LIST_FULL: 1012,
    CONNECTION_REFUSED: 1013,
    INVALID_PARAMS: -32602,
    METHOD_NOT_FOUND: -32601,
    INVALID_REQUEST: -32600,
    PARSE_ERROR: -32700,
    INTERNAL_ERROR: -32603,
    MESSAGE_TOO_LARGE: -32600,
    SERIALIZATION_ERROR: 1004,
    NETWORK_ERROR: 1005,
}

/** The reasons for a drop that are in the state of the tracker, and not in the call: they hold for others as well. */
export const OF_STATE = new Set(['NOT_INITIALIZED', 'TRACKING_NOT_ALLOWED', 'STORAGE_ERROR', 'QUEUE_FULL', 'DISABLED'])
