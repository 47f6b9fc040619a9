/** Requests as they should be, one of each kind. A test changes one thing in one of them. */

const MESSAGE = '0b8f6f3e-6a0c-4a5e-9a53-0f3f3a3b6a01'
const SESSION = '5f775520-0a19-44da-b4c3-4584ab3f4569'
const DEVICE = '9d0a6f0e-2d7b-4d0a-8d41-3a5c1f3c0d11'
const TIME = '2025-01-31T09:30:00.000Z'

/**
 * @typedef {object} Sample
 * @property {string} method
 * @property {string} path
 * @property {Record<string, string>} headers
 * @property {any} body A value to be sent as JSON, a text or bytes to be sent as they are, or undefined for none.
 */

/** @returns {Sample} */
export function sample(kind) {
    const { method = 'POST', path, headers = {}, body } = SAMPLES[kind]()
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
    return {
        method,
        path,
        headers: { 'User-Agent': 'mobile-tracker/1.2.3 (Linux)', ...type, ...headers },
        body,
    }
}

/** An analytics event of one type. */
export function analyticsEvent(type, number = 1) {
    const particular = {
        track: { event: 'Signed Up', properties: { plan: 'pro' } },
        screen: { event: 'Home', properties: {} },
        page: { event: 'Start' },
        identify: { userId: 'u1', traits: { name: 'Ada' } },
        group: { groupId: 'g1', traits: { seats: 3 } },
        alias: { userId: 'u2' },
    }[type]
    return {
        type,
        ...particular,
        anonymousId: DEVICE,
        timestamp: TIME,
        writeKey: 'write-key-1234',
        messageId: `1738315800${String(number).padStart(3, '0')}-${MESSAGE}`,
        context: {
            app: { name: 'Shop', version: '2.0', build: '17', namespace: 'com.example.shop' },
            device: { manufacturer: 'Generic', model: 'PC', name: 'desk', type: 'Desktop', advertisingId: 'ad-1' },
            library: { name: 'mobile-tracker', version: '1.2.3' },
            os: { name: 'Linux', version: '6.1' },
            screen: { density: 2, width: 1280, height: 800 },
            network: { wifi: true },
            locale: 'en-GB',
            timezone: 'Europe/Berlin',
        },
        sentAt: TIME,
    }
}

/** The headers of a batch of these events. */
export function batchHeaders(events, sequence = '1') {
    const key = `${events[0]?.messageId}:${events.at(-1)?.messageId}:${events.length}`
    return { 'Idempotency-Key': key, 'X-Sequence': sequence }
}

/** A BasicTracker event of one type. */
export function basicEvent(type) {
    const particular = {
        track: { name: 'Clicked', userId: 'u1', traits: { plan: 'pro' }, properties: { button: 'buy' } },
        screen: { name: 'Home' },
        identify: { userId: 'u1', traits: { plan: 'pro' } },
    }[type]
    return {
        type,
        ...particular,
        context: { platform: 'linux', osVersion: '6.1', appVersion: '2.0' },
        timestamp: TIME,
    }
}

const recordHeaders = {
    'X-API-Key': 'api-key-12345678',
    'Idempotency-Key': MESSAGE,
    'X-Sequence': '1',
    'X-Occurred-At': TIME,
}

const SAMPLES = {
    session: () => ({
        path: '/v2/tracking-session',
        headers: { 'X-API-Key': 'api-key-12345678', 'Idempotency-Key': MESSAGE },
        body: { device_id: DEVICE, os_name: 'Linux', device_type: 'Desktop', brand_id: 925 },
    }),
    event: () => ({
        path: '/v2/tracking-session-data',
        headers: recordHeaders,
        body: { brand_id: 925, session_id: SESSION, event_name: 'PURCHASE', data: { total: 149.99 } },
    }),
    profile: () => ({
        method: 'PUT',
        path: '/v1/customer-profiles/set',
        headers: recordHeaders,
        body: { brand_id: 925, session_id: SESSION, user_id: 'u1', name: 'Ada', email: null, extra: { plan: 'pro' } },
    }),
    identify: () => ({
        method: 'PUT',
        path: `/v2/tracking-session/${SESSION}/identify/u%2F1`,
        headers: { ...recordHeaders, 'Idempotency-Key': `${MESSAGE}:identify` },
    }),
    location: () => ({
        method: 'PUT',
        path: `/v2/tracking-session/${SESSION}/location`,
        headers: recordHeaders,
        body: { latitude: 37.7749, longitude: -122.4194, accuracy: 10 },
    }),
    email: () => ({
        method: 'PUT',
        path: `/v2/tracking-session/${SESSION}/email_v2`,
        headers: recordHeaders,
        body: { email: 'ada@example.com', brand_id: 925 },
    }),
    link: () => ({
        path: '/v2/tracking-session/link-session',
        headers: recordHeaders,
        body: { source_session_id: 'other', current_session_id: SESSION, device_id: DEVICE, brand_id: 925 },
    }),
    batch: () => {
        const events = ['track', 'identify', 'group', 'screen', 'page', 'alias'].map(analyticsEvent)
        return { path: '/v1/batch', headers: batchHeaders(events), body: { batch: events } }
    },
    basic: () => ({
        path: '/events',
        headers: { 'X-API-Key': 'api-key-12345678', 'Idempotency-Key': 'm1:m3:3', 'X-Sequence': '1' },
        body: ['track', 'screen', 'identify'].map(basicEvent),
    }),
}

/** Every kind there is a sample of. */
export const SAMPLE_KINDS = Object.keys(SAMPLES)
