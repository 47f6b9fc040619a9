/** Batches as the vendors' own servers take them, with one event of each call. */

const TIME = '2025-01-31T09:30:00.000Z'
const MILLISECONDS = Date.parse(TIME)

/** The key of every sample. */
export const KEY = 'vendor-key-1234'

export const BASIC = `Basic ${Buffer.from(`${KEY}:`).toString('base64')}`

const id = (number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const text = (value) => ({ stringValue: value })
const attributes = (members) => Object.entries(members).map(([key, value]) => ({ key, value }))

const spec = (number, event) => {
    return { ...event, timestamp: TIME, messageId: id(number), context: { library: { name: 'mobile-tracker', version: '1.2.3' } } }
}
const hog = (number, event) => ({ distinct_id: 'user-1', timestamp: TIME, uuid: id(number), ...event })
const amplitudeEvent = (number, event) => ({ user_id: 'user-1', time: MILLISECONDS, insert_id: id(number), ...event })
const mixpanelEvent = (number, event, properties) => {
    return { event, properties: { token: KEY, distinct_id: 'user-1', time: MILLISECONDS / 1000, $insert_id: id(number), ...properties } }
}
const logRecord = (eventName, type, members) => ({
    timeUnixNano: `${MILLISECONDS}000000`, observedTimeUnixNano: `${MILLISECONDS}000000`, eventName,
    attributes: attributes({ 'user.id': text('user-1'), 'mobile_tracker.type': text(type), ...members }),
})

/** @type {Record<string, () => Pick<import('./samples.js').Sample, 'path' | 'body'> & { headers?: Record<string, string> }>} */
const SAMPLES = {
    segment: () => ({
        path: '/v1/batch',
        headers: { Authorization: BASIC },
        body: {
            batch: [
                spec(1, { type: 'track', event: 'Signed Up', userId: 'user-1', properties: { plan: 'pro' } }),
                spec(2, { type: 'identify', userId: 'user-1', traits: { name: 'Ada' } }),
                spec(3, { type: 'group', userId: 'user-1', groupId: 'g-1', traits: { seats: 3 } }),
                spec(4, { type: 'screen', anonymousId: 'a-1', name: 'Home', properties: {} }),
                spec(5, { type: 'page', anonymousId: 'a-1', name: 'Start' }),
                spec(6, { type: 'alias', userId: 'user-1', previousId: 'a-1' }),
            ],
            sentAt: TIME, writeKey: KEY,
        },
    }),
    postHog: () => ({
        path: '/batch/',
        body: {
            api_key: KEY, sent_at: TIME, historical_migration: false,
            batch: [
                hog(1, { event: 'Signed Up', properties: { plan: 'pro', $lib: 'mobile-tracker' } }),
                hog(2, { event: '$set', $set: { name: 'Ada' }, properties: {} }),
                hog(3, { event: '$groupidentify', properties: { $group_type: 'company', $group_key: 'g-1', $group_set: { seats: 3 } } }),
                hog(4, { event: '$screen', properties: { $screen_name: 'Home' } }),
                hog(5, { event: '$pageview', properties: { title: 'Start' } }),
                hog(6, { event: '$create_alias', properties: { distinct_id: 'a-1', alias: 'user-1' } }),
            ],
        },
    }),
    amplitude: () => ({
        path: '/2/httpapi',
        body: {
            api_key: KEY,
            events: [
                amplitudeEvent(1, { event_type: 'Signed Up', event_properties: { plan: 'pro' } }),
                amplitudeEvent(2, { event_type: '$identify', user_properties: { $set: { name: 'Ada' } } }),
                amplitudeEvent(3, { event_type: '$groupidentify', groups: { company: 'g-1' }, group_properties: { $set: { seats: 3 } } }),
            ],
        },
    }),
    mixpanel: () => ({
        path: '/import?strict=1',
        headers: { Authorization: BASIC },
        body: [
            mixpanelEvent(1, 'Signed Up', { plan: 'pro' }),
            { event: '$merge', properties: { $distinct_ids: ['a-1', 'user-1'], token: KEY } },
        ],
    }),
    'mixpanel people': () => ({ path: '/engage', body: [{ $token: KEY, $distinct_id: 'user-1', $set: { name: 'Ada' } }] }),
    'mixpanel groups': () => ({ path: '/groups', body: [{ $token: KEY, $group_key: 'company', $group_id: 'g-1', $set: { seats: 3 } }] }),
    otlp: () => ({
        path: '/v1/logs',
        body: {
            resourceLogs: [{
                resource: { attributes: attributes({ 'service.name': text('shop') }) },
                scopeLogs: [{
                    scope: { name: 'mobile-tracker', version: '1.2.3' },
                    logRecords: [
                        logRecord('Signed Up', 'track', {
                            plan: text('pro'), seats: { intValue: '9007199254740993' }, tags: { arrayValue: { values: [text('a'), {}] } },
                            cart: { kvlistValue: { values: attributes({ total: { doubleValue: 149.99 } }) } },
                        }),
                        logRecord('identify', 'identify', { name: text('Ada') }),
                    ],
                }],
            }],
        },
    }),
}

/** Every batch there is a sample of. */
export const API_SAMPLES = Object.keys(SAMPLES)

/** @returns {import('./samples.js').Sample} */
export function apiSample(name) {
    const { path, headers = {}, body } = SAMPLES[name]()
    return { method: 'POST', path, headers: { 'Content-Type': 'application/json', ...headers }, body }
}
