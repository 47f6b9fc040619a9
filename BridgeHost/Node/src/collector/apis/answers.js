/**
 * What a vendor's server says.
 *
 * @typedef {object} Voice
 * @property {number} invalid The status for a request that is not as it should be, where the collector is strict.
 * @property {(taken: { count: number, size: number, route: import('../routes.js').Route, target: string }) => any} taken
 * @property {(status: number, sentence: string) => any} failed
 * @property {(status: number, refused: number[], items: import('../items.js').Item[]) => any} partly An answer that
 *     names the events that it is about.
 * @property {(status: number) => boolean} takesRest Whether such an answer means that the other events are taken.
 */

const FAULT = 'The fault script refuses this event.'
const none = () => false

/** @type {Voice} */
const metaRouter = {
    invalid: 422,
    taken: () => ({ success: true }),
    failed: (_, sentence) => ({ error: sentence }),
    partly: (_, refused) => ({ refused: refused.map((index) => ({ index, error: FAULT })) }),
    takesRest: none,
}

/** @type {Voice} */
const segment = {
    ...metaRouter,
    invalid: 400,
    failed: (_, sentence) => ({ success: false, code: 'invalid_request', message: sentence }),
}

/** @type {Voice} */
const postHog = {
    ...metaRouter,
    invalid: 400,
    taken: () => ({ status: 'Ok' }),
    failed: (_, sentence) => ({ type: 'validation_error', code: 'invalid_payload', detail: sentence, attr: null }),
}

/** @type {Voice} */
const amplitude = {
    invalid: 400,
    taken: ({ count, size }) => {
        return { code: 200, events_ingested: count, payload_size_bytes: size, server_upload_time: Date.now() }
    },
    failed: (status, sentence) => ({ code: status, error: sentence }),
    // Of events that come too fast it names the places among others; the rest of such a request is not taken either.
    partly: (status, refused) => (status === 429
        ? {
            code: 429, error: 'Too many requests for some devices and users', eps_threshold: 30, throttled_devices: {},
            throttled_users: {}, throttled_events: refused, exceeded_daily_quota_users: {}, exceeded_daily_quota_devices: {},
        }
        : {
            code: status, error: 'Request has invalid fields', events_with_invalid_fields: { event_type: refused },
            events_with_missing_fields: {}, events_with_invalid_id_lengths: {}, silenced_events: [],
        }),
    takesRest: none,
}

/** @type {Voice} */
const mixpanel = {
    invalid: 400,
    taken: ({ count, route, target }) => {
        if (route.path.endsWith('/import')) return { code: 200, num_records_imported: count, status: 'OK' }
        return /[?&]verbose=1/.test(target) ? { status: 1, error: null } : 1
    },
    failed: (status, sentence) => ({ code: status, error: sentence, status: 'Bad Request' }),
    partly: (status, refused, items) => ({
        code: status, error: 'some data points in the request failed validation', status: 'Bad Request',
        num_records_imported: items.length - refused.length,
        failed_records: refused.map((index) => ({ index, insert_id: items[index].id ?? '', field: 'event', message: FAULT })),
    }),
    takesRest: (status) => status === 400,
}

/** @type {Voice} */
const otlp = {
    invalid: 400,
    taken: () => ({}),
    failed: (_, sentence) => ({ message: sentence }),
    partly: (_, refused) => ({ partialSuccess: { rejectedLogRecords: String(refused.length), errorMessage: FAULT } }),
    takesRest: (status) => status === 200,
}

/** How each API answers. @type {Record<string, Voice>} */
const VOICES = { metaRouter, segment, postHog, amplitude, mixpanel, otlp }

/** How a request is answered: as its API does, or as the trackers' own backend. @param {string | null} api */
export function voiceOf(api) {
    return VOICES[api ?? 'metaRouter']
}
