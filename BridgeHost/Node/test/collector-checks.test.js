import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { send } from '../testsupport/http.js'
import { analyticsEvent, basicEvent, batchHeaders, sample, SAMPLE_KINDS } from '../testsupport/samples.js'

let collector
before(async () => (collector = await startCollector()))
after(() => collector.close())

/** Sends one request to a collector that has seen none, and gives what it found wrong. */
async function problemsOf(request) {
    collector.clear()
    await send(collector.url, request)
    return collector.received()[0].problems
}

/** A sample with some members of its body changed; undefined takes one away. */
function withBody(kind, changes) {
    const request = sample(kind)
    return { ...request, body: { ...request.body, ...changes } }
}

function withHeaders(kind, changes) {
    const request = sample(kind)
    const headers = { ...request.headers, ...changes }
    for (const name of Object.keys(headers)) if (headers[name] === undefined) delete headers[name]
    return { ...request, headers }
}

/** A batch of one event with some members changed. */
function batchOf(type, changes) {
    const events = [{ ...analyticsEvent(type), ...changes }]
    return { ...sample('batch'), headers: { ...sample('batch').headers, ...batchHeaders(events) }, body: { batch: events } }
}

function basicOf(type, changes) {
    return { ...withHeaders('basic', { 'Idempotency-Key': 'm1:m1:1' }), body: [{ ...basicEvent(type), ...changes }] }
}

/** Each with what is wrong with it, or nothing. @type {Record<string, Array<[string, object, ...string[]]>>} */
const CASES = {
    'a session': [
        ['device_id is no UUID', withBody('session', { device_id: 'x' }), 'device_id is "x"; it must be a UUID.'],
        ['os_name is unknown', withBody('session', { os_name: 'linux' }), 'os_name is "linux"; it must be one of iOS, iPadOS, MacOS, Linux, Windows, Android.'],
        ['device_type is unknown', withBody('session', { device_type: 'Watch' }), 'device_type is "Watch"; it must be one of Mobile, Tablet, Desktop.'],
        ['brand_id is a string', withBody('session', { brand_id: '925' }), 'brand_id is "925"; it must be a number without quotes.'],
        ['brand_id is missing', withBody('session', { brand_id: undefined }), 'brand_id is missing.'],
        ['a member is unknown', withBody('session', { user: 1 }), 'user does not belong here.'],
    ],
    'an event': [
        ['data is left out', withBody('event', { data: undefined })],
        ['data is deep, but not too deep', withBody('event', { data: nested(128) })],
        ['data is too deep', withBody('event', { data: nested(129) }), 'The body nests 130 levels deep; what a caller gives may nest 128.'],
        ['data is an array', withBody('event', { data: [] }), 'data is an array; it must be an object.'],
        ['event_name is blank', withBody('event', { event_name: ' ' }), 'event_name is " "; it must not be blank.'],
        ['session_id is null', withBody('event', { session_id: null }), 'session_id is null; it must be a string.'],
        ['a member is unknown', withBody('event', { user_id: 'u' }), 'user_id does not belong here.'],
        ['brand_id is the largest', asText('event', '{"brand_id":9223372036854775807,"session_id":"s","event_name":"E"}')],
        ['brand_id is larger', asText('event', '{"brand_id":9223372036854775808,"session_id":"s","event_name":"E"}'), 'brand_id is 9223372036854775808; it must be a whole number of at most 64 bits.'],
        ['brand_id has a fraction', asText('event', '{"brand_id":925.0,"session_id":"s","event_name":"E"}'), 'brand_id is 925.0; it must be a whole number of at most 64 bits.'],
        ['a member stands there twice', asText('event', '{"brand_id":1,"session_id":"s","event_name":"E","data":{"a":1,"\\u0061":2}}'), 'data.a stands there twice.'],
        ['a pair of surrogates is whole', asText('event', '{"brand_id":1,"session_id":"s","event_name":"E","data":{"a":"\\ud83d\\ude00"}}')],
        ['half of a pair of surrogates', asText('event', '{"brand_id":1,"session_id":"s","event_name":"E","data":{"a":[0,"\\ud83d"]}}'), 'data.a[1] has half of a surrogate pair.'],
        ['the body is an array', asText('event', '[]'), 'The body is an array; it must be an object.'],
        ['there is no body', { ...withHeaders('event', { 'Content-Type': undefined }), body: undefined }, 'There is no body.'],
        ['it came to a path with a query', { ...sample('event'), path: '/v2/tracking-session-data?x=1' }, 'The URL has a query; this endpoint takes none.'],
        ['it came with the wrong method', { ...sample('event'), method: 'PUT' }, 'The method is PUT; this path takes POST.'],
    ],
    'a profile': [
        ['a field is null', withBody('profile', { phone: null })],
        ['the metadata goes without a session', bodyOf('profile', { brand_id: 925, user_id: 'u', metadata: {} })],
        ['a name goes without a session', withBody('profile', { session_id: undefined }), 'session_id is missing; only an update of the metadata alone may go without one.'],
        ['nobody is named', bodyOf('profile', { brand_id: 925, metadata: {} }), 'The body names neither a session_id nor a user_id.'],
        ['extra is empty', withBody('profile', { extra: {} }), 'extra is empty; it must be left out then.'],
        ['extra is a string', withBody('profile', { extra: 'x' }), 'extra is "x"; it must be an object.'],
        ['a field is unknown', withBody('profile', { businessDomain: 'x' }), 'businessDomain does not belong here.'],
        ['user_id is empty', withBody('profile', { user_id: '' }), 'user_id is ""; it must not be blank.'],
    ],
    'an identify': [
        ['there is a body', { ...withHeaders('identify', { 'Content-Type': 'application/json' }), body: {} }, 'There is a body; this endpoint takes none.'],
        ['the key lacks its ending', withHeaders('identify', { 'Idempotency-Key': 'm1' }), 'Idempotency-Key is "m1"; here it must be <messageId>:identify.'],
        ['the user id is not encoded', { ...sample('identify'), path: '/v2/tracking-session/s/identify/a"b' }, 'The user id in the path is not percent-encoded.'],
        ['the user id is not UTF-8', { ...sample('identify'), path: '/v2/tracking-session/s/identify/%ff' }, 'The user id in the path is not UTF-8 once decoded.'],
        ['the user id is empty', { ...sample('identify'), path: '/v2/tracking-session/s/identify/' }, 'The user id in the path is empty.'],
        ['the session id is empty', { ...sample('identify'), path: '/v2/tracking-session//identify/u' }, 'The session id in the path is empty.'],
        ['Content-Type stands there', withHeaders('identify', { 'Content-Type': 'application/json' }), 'Content-Type is set, but there is no body.'],
    ],
    'a location': [
        ['it is at the edge', withBody('location', { latitude: -90, longitude: 180, accuracy: 0 })],
        ['latitude is too large', withBody('location', { latitude: 90.1 }), 'latitude is 90.1; it must lie within -90 and 90.'],
        ['longitude is too small', withBody('location', { longitude: -181 }), 'longitude is -181; it must lie within -180 and 180.'],
        ['accuracy is negative', withBody('location', { accuracy: -1 }), 'accuracy is -1; it must lie within 0 and up.'],
        ['latitude is a string', withBody('location', { latitude: '1' }), 'latitude is "1"; it must be a number.'],
    ],
    'an email': [
        ['there are two @', withBody('email', { email: 'a@b@c' }), 'email is "a@b@c"; it must be an email address: one @ and no spaces.'],
        ['there is a space', withBody('email', { email: 'a @b' }), 'email is "a @b"; it must be an email address: one @ and no spaces.'],
        ['brand_id is missing', withBody('email', { brand_id: undefined }), 'brand_id is missing.'],
    ],
    'a link': [
        ['the source is missing', withBody('link', { source_session_id: undefined }), 'source_session_id is missing.'],
        ['device_id is no UUID', withBody('link', { device_id: '' }), 'device_id is ""; it must be a UUID.'],
    ],
    'a batch': [
        ['the caller chose the message id', batchOf('track', { messageId: 'order-17' })],
        ['the caller chose a UUID that begins with digits', batchOf('track', { messageId: '70974018-50bb-4c37-9a53-0f3f3a3b6a01' })],
        ['the caller chose an id that begins with digits', batchOf('track', { messageId: '2024-order-1' })],
        ['the context has more in it', batchOf('track', { context: { library: { name: 'a', version: '1' }, campaign: {} } })],
        ['properties are left out', batchOf('track', { properties: undefined })],
        ['type is unknown', batchOf('track', { type: 'trak' }), 'batch[0].type is "trak"; it must be one of track, screen, page, identify, group, alias.'],
        ['type is missing', batchOf('track', { type: undefined }), 'batch[0].type is missing.'],
        ['an event has no name', batchOf('track', { event: undefined }), 'batch[0].event is missing.'],
        ['an identify has a name', batchOf('identify', { event: 'x' }), 'batch[0].event does not belong here: only a track, screen or page has a name.'],
        ['an identify has no user', batchOf('identify', { userId: undefined }), 'batch[0].userId is missing.'],
        ['an identify has properties', batchOf('identify', { properties: {} }), 'batch[0].properties does not belong here: they go with track, screen and page.'],
        ['a track has traits', batchOf('track', { traits: {} }), 'batch[0].traits does not belong here: it goes with identify and group.'],
        ['a group has no group', batchOf('group', { groupId: undefined }), 'batch[0].groupId is missing.'],
        ['an alias has no user', batchOf('alias', { userId: undefined }), 'batch[0].userId is missing.'],
        ['an alias has traits', batchOf('alias', { traits: {} }), 'batch[0].traits does not belong here: an alias has none.'],
        ['a call names its visitor', batchOf('track', { anonymousId: '1738315800001-x' })],
        ['a call names its user alone', batchOf('track', { anonymousId: undefined, userId: 'u1' })],
        ['anonymousId is blank', batchOf('track', { anonymousId: ' ' }), 'batch[0].anonymousId is " "; it must not be blank.'],
        ['nobody is named', batchOf('track', { anonymousId: undefined, userId: undefined }), 'batch[0].anonymousId is missing.'],
        ['userId is null', batchOf('track', { userId: null }), 'batch[0].userId is null; it must be a string.'],
        ['timestamp lacks milliseconds', batchOf('track', { timestamp: '2025-01-31T09:30:00Z' }), 'batch[0].timestamp is "2025-01-31T09:30:00Z"; it must be a time such as 2025-01-31T09:30:00.000Z.'],
        ['sentAt is missing', batchOf('track', { sentAt: undefined }), 'batch[0].sentAt is missing.'],
        ['sentAt is no date', batchOf('track', { sentAt: '2025-13-31T09:30:00.000Z' }), 'batch[0].sentAt is "2025-13-31T09:30:00.000Z"; it must be a time such as 2025-01-31T09:30:00.000Z.'],
        ['messageId is not ASCII', batchOf('track', { messageId: 'é' }), 'batch[0].messageId is "é"; it must be 1 to 128 printable ASCII characters.'],
        ['writeKey is blank', batchOf('track', { writeKey: '' }), 'batch[0].writeKey must not be blank.'],
        ['the library is missing', batchOf('track', { context: {} }), 'batch[0].context.library is missing.'],
        ['wifi is a string', batchOf('track', { context: { ...analyticsEvent('track').context, network: { wifi: 'yes' } } }), 'batch[0].context.network.wifi is "yes"; it must be true or false.'],
        ['a width is a string', batchOf('track', { context: { ...analyticsEvent('track').context, screen: { width: '1' } } }), 'batch[0].context.screen.width is "1"; it must be a number.'],
        ['a member is unknown', batchOf('track', { name: 'x' }), 'batch[0].name does not belong here.'],
        ['an event is no object', { ...withHeaders('batch', { 'Idempotency-Key': 'undefined:undefined:1' }), body: { batch: [7] } }, 'batch[0] is 7; it must be an object.'],
        ['it is empty', bodyOf('batch', { batch: [] }), 'batch is empty; there is nothing to send.'],
        ['there is more beside it', withBody('batch', { sentAt: 'x' }), 'sentAt does not belong here.'],
        ['write keys differ', batchOfAll([analyticsEvent('track', 1), { ...analyticsEvent('track', 2), writeKey: 'other' }]), 'The events of the batch have more than one writeKey.'],
        ['message ids repeat', batchOfAll([analyticsEvent('track', 1), analyticsEvent('track', 1)]), /^messageId ".*" is in the batch twice\.$/],
        ['the key counts wrongly', withHeaders('batch', { 'Idempotency-Key': 'a:b:6' }), /^Idempotency-Key is "a:b:6"; of this batch it must be <first>:<last>:<count>, /],
        ['there is an X-API-Key', withHeaders('batch', { 'X-API-Key': 'k' }), 'X-API-Key does not belong here: a batch carries its writeKey instead.'],
        ['there is an X-Occurred-At', withHeaders('batch', { 'X-Occurred-At': '2025-01-31T09:30:00.000Z' }), 'X-Occurred-At does not belong here: the events of a batch carry their own times.'],
    ],
    'an array of events': [
        ['appVersion is left out', basicOf('track', { context: { platform: 'ios', osVersion: '18' } })],
        ['one event goes under its own id', { ...basicOf('track', {}), headers: { ...sample('basic').headers, 'Idempotency-Key': 'm1' } }],
        ['there are 20', arrayOf(20)],
        ['there are 21', arrayOf(21), 'The body holds 21 events; 20 at most go into one.'],
        ['it is empty', bodyOf('basic', []), 'The body is an empty array; there is nothing to send.'],
        ['it is an object', bodyOf('basic', {}), 'The body is an object; it must be an array.'],
        ['type is unknown', basicOf('track', { type: 'page' }), '[0].type is "page"; it must be one of track, screen, identify.'],
        ['type is missing', basicOf('track', { type: undefined }), '[0].type is missing.'],
        ['a track has no name', basicOf('track', { name: undefined }), '[0].name is missing.'],
        ['userId is null', basicOf('track', { userId: null }), '[0].userId is null; it must be a string.'],
        ['an identify has no user', basicOf('identify', { userId: undefined }), '[0].userId is missing.'],
        ['an identify has a name', basicOf('identify', { name: 'x' }), '[0].name does not belong here: an identify has none.'],
        ['an identify has properties', basicOf('identify', { properties: {} }), '[0].properties does not belong here: an identify has traits.'],
        ['the platform is in capitals', basicOf('track', { context: { platform: 'Linux', osVersion: '6' } }), '[0].context.platform is "Linux"; it must be one of ios, ipados, macos, linux, windows, android.'],
        ['the context has more in it', basicOf('track', { context: { platform: 'ios', osVersion: '6', timestamp: 'x' } }), '[0].context.timestamp does not belong here.'],
        ['timestamp is missing', basicOf('track', { timestamp: undefined }), '[0].timestamp is missing.'],
        ['the key counts wrongly', withHeaders('basic', { 'Idempotency-Key': 'm1:m3:4' }), 'Idempotency-Key is "m1:m3:4"; of 3 events it must be <first>:<last>:3.'],
        ['X-API-Key is missing', withHeaders('basic', { 'X-API-Key': undefined }), 'X-API-Key is missing.'],
        ['X-Occurred-At stands over several', withHeaders('basic', { 'X-Occurred-At': '2025-01-31T09:30:00.000Z' }), 'X-Occurred-At does not belong here: the events of a batch carry their own times.'],
    ],
    'a header': [
        ['X-API-Key is missing', withHeaders('event', { 'X-API-Key': undefined }), 'X-API-Key is missing.'],
        ['Content-Type is missing', withHeaders('event', { 'Content-Type': undefined }), 'Content-Type is missing; it must be application/json.'],
        ['Content-Type is another', withHeaders('event', { 'Content-Type': 'text/plain' }), 'Content-Type is "text/plain"; it must be application/json.'],
        ['User-Agent is missing', withHeaders('event', { 'User-Agent': undefined }), 'User-Agent is missing.'],
        ['User-Agent has no system', withHeaders('event', { 'User-Agent': 'mobile-tracker/1.0' }), 'User-Agent is "mobile-tracker/1.0"; it must be such as mobile-tracker/1.2.3 (Linux).'],
        ['Idempotency-Key is missing', withHeaders('event', { 'Idempotency-Key': undefined }), 'Idempotency-Key is missing.'],
        ['Idempotency-Key is too long', withHeaders('event', { 'Idempotency-Key': 'x'.repeat(129) }), /it must be 1 to 128 printable ASCII characters\.$/],
        ['a session attempt has no UUID', withHeaders('session', { 'Idempotency-Key': 'x' }), 'Idempotency-Key is "x"; for a session it must be a UUID.'],
        ['X-Sequence is missing', withHeaders('event', { 'X-Sequence': undefined }), 'X-Sequence is missing.'],
        ['X-Sequence is no number', withHeaders('event', { 'X-Sequence': '1.5' }), 'X-Sequence is "1.5"; it must be a whole number.'],
        ['X-Occurred-At is missing', withHeaders('event', { 'X-Occurred-At': undefined }), 'X-Occurred-At is missing.'],
        ['X-Occurred-At lacks milliseconds', withHeaders('event', { 'X-Occurred-At': '2025-01-31T09:30:00Z' }), 'X-Occurred-At is "2025-01-31T09:30:00Z"; it must be a time such as 2025-01-31T09:30:00.000Z.'],
    ],
}

suite('a request as it should be has no problems', () => {
    for (const kind of SAMPLE_KINDS) {
        test(kind, async () => assert.deepEqual(await problemsOf(sample(kind)), []))
        test(`${kind}, compressed`, async () => {
            const request = sample(kind)
            if (request.body !== undefined) assert.deepEqual(await problemsOf({ ...request, gzip: true }), [])
        })
        test(`${kind}, under a base path`, async () => {
            const request = sample(kind)
            assert.deepEqual(await problemsOf({ ...request, path: `/eu/v3${request.path}` }), [])
            assert.equal(collector.received()[0].kind, kind)
        })
    }
})

for (const [what, cases] of Object.entries(CASES)) {
    suite(`${what} is checked`, () => {
        for (const [name, request, ...expected] of cases) {
            test(expected.length > 0 ? `${name}: a problem` : `${name}: fine`, async () => {
                const problems = await problemsOf(request)

                const left = expected.filter((sentence) => !problems.some((problem) => says(problem, sentence)))
                assert.deepEqual(left, [], problems.join('\n'))
                assert.equal(problems.length, expected.length, problems.join('\n'))
            })
        }
    })
}

function says(problem, expected) {
    return expected instanceof RegExp ? expected.test(problem) : problem === expected
}

function nested(levels) {
    let value = {}
    for (let i = 1; i < levels; i++) value = { in: value }
    return value
}

function asText(kind, text) {
    return { ...sample(kind), body: text }
}

function bodyOf(kind, body) {
    return { ...sample(kind), body }
}

function batchOfAll(events) {
    return { ...sample('batch'), headers: { ...sample('batch').headers, ...batchHeaders(events) }, body: { batch: events } }
}

function arrayOf(count) {
    const body = Array.from({ length: count }, () => basicEvent('track'))
    return { ...withHeaders('basic', { 'Idempotency-Key': `m1:m${count}:${count}` }), body }
}
