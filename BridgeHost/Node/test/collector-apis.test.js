import assert from 'node:assert/strict'
import { after, before, beforeEach, suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { API_SAMPLES, apiSample, KEY } from '../testsupport/api-samples.js'
import { rowsOf } from '../src/collector/page/event.js'
import { send } from '../testsupport/http.js'
import { sample } from '../testsupport/samples.js'

let collector
before(async () => (collector = await startCollector()))
beforeEach(() => {
    collector.clear()
    collector.faults([])
})
after(() => collector.close())

/** A collector with options of its own, for one test. */
async function other(context, options) {
    const started = await startCollector(options)
    context.after(() => started.close())
    return started
}

/** A sample whose body a function has changed. */
function changed(name, change) {
    const request = apiSample(name)
    change(request.body)
    return request
}

async function answerTo(request) {
    const { status, json } = await send(collector.url, request)
    return { status, body: json, record: collector.received().at(-1) }
}

/** What each vendor says to a batch that it has taken. */
const TAKEN = {
    segment: { success: true },
    postHog: { status: 'Ok' },
    mixpanel: { code: 200, num_records_imported: 2, status: 'OK' },
    'mixpanel people': 1,
    'mixpanel groups': 1,
    otlp: {},
}

suite('a batch of each API', () => {
    for (const name of API_SAMPLES) {
        test(`${name}: is named, taken as the vendor does, and has no problem`, async () => {
            const { status, body, record } = await answerTo(apiSample(name))

            assert.deepEqual(record.problems, [])
            assert.deepEqual([status, record.kind, record.api], [200, 'batch', name.split(' ')[0]])
            if (name === 'amplitude') {
                assert.deepEqual([body.code, body.events_ingested], [200, 3])
                assert.ok(body.payload_size_bytes > 100 && body.server_upload_time > 0)
            } else assert.deepEqual(body, TAKEN[name])
            assert.ok(!JSON.stringify(record).includes(KEY), 'its key is masked')
        })
    }

    test('is MetaRouter\'s where the events carry the key', async () => {
        const { record } = await answerTo(sample('batch'))

        assert.deepEqual([record.api, record.problems], ['metaRouter', []])
    })

    test('comes under a base path, compressed, and from a profile with verbose=1', async () => {
        const { record } = await answerTo({ ...apiSample('otlp'), path: '/eu/otel/v1/logs', gzip: true })
        const { body } = await answerTo({ ...apiSample('mixpanel people'), path: '/engage?verbose=1' })

        assert.deepEqual([record.api, record.problems], ['otlp', []])
        assert.deepEqual(body, { status: 1, error: null })
    })
})

suite('the events of a batch', () => {
    const ITEMS = {
        segment: ['track Signed Up user-1', 'identify null user-1', 'group null user-1', 'screen Home null', 'page Start null', 'alias null user-1'],
        postHog: ['track Signed Up user-1', 'identify null user-1', 'group null user-1', 'screen Home user-1', 'page Start user-1', 'alias null user-1'],
        amplitude: ['track Signed Up user-1', 'identify null user-1', 'group null user-1'],
        mixpanel: ['track Signed Up user-1', 'alias null null'],
        'mixpanel people': ['identify null user-1'],
        'mixpanel groups': ['group null null'],
        otlp: ['track Signed Up user-1', 'identify identify user-1'],
    }
    for (const [name, items] of Object.entries(ITEMS)) {
        test(`${name}: have the call, the name and the user`, async () => {
            const { record } = await answerTo(apiSample(name))

            assert.deepEqual(record.items.map(({ type, name, user }) => `${type} ${name} ${user}`), items)
        })
    }

    test('are found by name, and counted one by one', async () => {
        for (const name of ['segment', 'postHog', 'amplitude', 'mixpanel', 'otlp']) await answerTo(apiSample(name))

        const found = await collector.wait({ type: 'track', name: 'Signed Up', count: 5 })

        assert.deepEqual(found.map(({ api }) => api), ['segment', 'postHog', 'amplitude', 'mixpanel', 'otlp'])
    })

    test('are rows of the page, each with what the caller gave', async () => {
        const rows = []
        for (const name of ['postHog', 'amplitude', 'mixpanel', 'mixpanel groups', 'otlp']) {
            const { record } = await answerTo(apiSample(name))
            rows.push(...rowsOf(record))
        }

        const shown = (title) => rows.filter((row) => row.title === title).map(({ preview }) => Object.fromEntries(preview))
        assert.deepEqual(shown('Signed Up').slice(0, 3), [{ plan: 'pro' }, { plan: 'pro' }, { plan: 'pro' }])
        assert.deepEqual(shown('Signed Up')[3], {
            'user.id': 'user-1', 'mobile_tracker.type': 'track', plan: 'pro', seats: '9007199254740993', tags: '[2]', cart: '{…}',
        })
        assert.deepEqual(shown('Identify'), [{ name: 'Ada' }, { name: 'Ada' }])
        assert.deepEqual(shown('Group'), [{ seats: '3' }, { seats: '3' }, { seats: '3' }])
    })

    test('are judged by a plan, by what the caller gave alone', async (context) => {
        const plan = { others: 'forbid', events: { 'Signed Up': { data: { properties: { plan: { type: 'string' } }, additionalProperties: false } } } }
        const judged = await other(context, { plan })
        for (const name of ['segment', 'postHog', 'amplitude', 'mixpanel']) await send(judged.url, apiSample(name))
        await send(judged.url, changed('amplitude', ({ events }) => (events[0].event_properties.plan = 3)))

        const records = judged.received()

        assert.deepEqual(records.flatMap(({ plan }) => plan.map(({ verdict }) => verdict)), ['kept', 'kept', 'kept', 'kept', 'broken'])
        const { item, path } = records[4].findings.find(({ kind }) => kind === 'plan')
        assert.deepEqual([item, path], [0, ['event_properties', 'plan']])
    })
})

/** Each with what is wrong with it. @type {Array<[string, string, (body: any) => void, ...string[]]>} */
const CASES = [
    ['segment', 'a screen has no name', ({ batch }) => delete batch[3].name, 'batch[3].name is missing.'],
    ['segment', 'nobody is named', ({ batch }) => delete batch[0].userId, 'batch[0] names neither a userId nor an anonymousId.'],
    ['segment', 'an alias does not say of whom', ({ batch }) => delete batch[5].previousId, 'batch[5].previousId is missing.'],
    ['segment', 'an event is too large', ({ batch }) => (batch[0].properties.text = 'x'.repeat(33_000)), /^batch\[0\] takes 33\d+ bytes; Segment takes 32768 an event\.$/],
    ['segment', 'a time has no zone', ({ batch }) => (batch[0].timestamp = '2025-01-31T09:30:00'), /^batch\[0\]\.timestamp must be a time with its zone/],
    ['segment', 'a type is unknown', ({ batch }) => (batch[0].type = 'buy'), /^batch\[0\]\.type is "buy"; it must be one of track,/],
    ['postHog', 'the uuid is none', ({ batch }) => (batch[0].uuid = '17-abc'), 'batch[0].uuid is "17-abc"; it must be a UUID.'],
    ['postHog', 'the id is one of nobody', ({ batch }) => (batch[0].distinct_id = 'guest'), 'batch[0].distinct_id is "guest", an id that PostHog refuses.'],
    ['postHog', 'a group has no type', ({ batch }) => delete batch[2].properties.$group_type, 'batch[2].properties.$group_type is missing.'],
    ['postHog', 'there is no key', (body) => delete body.api_key, 'api_key is missing.'],
    ['amplitude', 'the id is short', ({ events }) => (events[0].user_id = 'u1'), 'events[0].user_id is "u1"; Amplitude refuses an id of less than 5 characters.'],
    ['amplitude', 'the id is short, and that is allowed', (body) => (Object.assign(body, { options: { min_id_length: 1 } }).events[0].user_id = 'u1')],
    ['amplitude', 'the time is a text', ({ events }) => (events[0].time = '1'), 'events[0].time is "1"; it must be a number.'],
    ['amplitude', 'nobody is named', ({ events }) => delete events[1].user_id, 'events[1] names neither a user_id nor a device_id.'],
    ['amplitude', 'there are too many events', (body) => (body.events = Array(2001).fill(body.events[0])), 'events holds 2001 events; Amplitude takes 2000 in a request.'],
    ['mixpanel', 'the insert id is too long', (body) => (body[0].properties.$insert_id = 'x'.repeat(37)), /^\[0\]\.properties\.\$insert_id is .*; it must be at most 36 letters, digits and dashes\.$/],
    ['mixpanel', 'there is no time', (body) => delete body[0].properties.time, '[0].properties.time is missing.'],
    ['mixpanel', 'the id is one of nobody', (body) => (body[0].properties.distinct_id = 'anon'), '[0].properties.distinct_id is "anon", an id that Mixpanel refuses.'],
    ['mixpanel people', 'nothing is done', (body) => delete body[0].$set, /^\[0\] has no operation; it must be one of \$set,/],
    ['mixpanel groups', 'the group has no id', (body) => delete body[0].$group_id, '[0].$group_id is missing.'],
    ['otlp', 'a member is in snake case', ({ resourceLogs: [{ scopeLogs: [{ logRecords: [log] }] }] }) => (log.time_unix_nano = '1'), 'resourceLogs[0].scopeLogs[0].logRecords[0].time_unix_nano does not belong here.'],
    ['otlp', 'an attribute is bare', ({ resourceLogs: [{ scopeLogs: [{ logRecords: [log] }] }] }) => (log.attributes[0].value = 'x'), 'resourceLogs[0].scopeLogs[0].logRecords[0].attributes[0].value is "x"; it must be an object.'],
    ['otlp', 'a number has a fraction', ({ resourceLogs: [{ scopeLogs: [{ logRecords: [log] }] }] }) => (log.attributes[0].value = { intValue: 1.5 }), 'resourceLogs[0].scopeLogs[0].logRecords[0].attributes[0].value.intValue is 1.5; it must be a whole number of 64 bits.'],
    ['otlp', 'a key stands there twice', ({ resourceLogs: [{ scopeLogs: [{ logRecords: [log] }] }] }) => log.attributes.push(log.attributes[0]), 'resourceLogs[0].scopeLogs[0].logRecords[0].attributes has the key "user.id" twice.'],
]

suite('a batch that the vendor would not take', () => {
    for (const [name, what, change, ...expected] of CASES) {
        test(`${name}: ${what}`, async () => {
            const { record } = await answerTo(changed(name, change))

            assert.equal(record.problems.length, expected.length, record.problems.join('\n'))
            for (const [i, problem] of expected.entries()) {
                if (typeof problem === 'string') assert.equal(record.problems[i], problem)
                else assert.match(record.problems[i], problem)
            }
        })
    }

    for (const name of ['segment', 'mixpanel']) {
        test(`${name}: without the key in a header`, async () => {
            const request = apiSample(name)
            delete request.headers.Authorization

            const { record } = await answerTo(request)

            assert.deepEqual(record.problems, ['Authorization must be Basic with the key as its user name.'])
        })
    }

    test('is at the event that has the fault', async () => {
        const { record } = await answerTo(changed('otlp', ({ resourceLogs: [{ scopeLogs: [{ logRecords: [, log] }] }] }) => (log.flags = 'x')))

        assert.deepEqual(record.findings.map(({ item, path }) => [item, path]), [[1, ['flags']]])
    })

    for (const [name, body] of Object.entries({
        segment: { success: false, code: 'invalid_request', message: 'batch[0].type is missing.' },
        amplitude: { code: 400, error: 'events[0].event_type is missing.' },
        otlp: { message: 'resourceLogs[0].scopeLogs[0].logRecords[0].eventName is ""; it must not be blank.' },
    })) {
        test(`${name}: is refused in its own words where the collector is strict`, async (context) => {
            const strict = await other(context, { strict: true })
            const change = {
                segment: ({ batch }) => delete batch[0].type,
                amplitude: ({ events }) => delete events[0].event_type,
                otlp: ({ resourceLogs: [{ scopeLogs: [{ logRecords: [log] }] }] }) => (log.eventName = ''),
            }[name]

            const answer = await send(strict.url, changed(name, change))

            assert.deepEqual([answer.status, answer.json], [400, body])
        })
    }
})

suite('a vendor\'s answer that names events', () => {
    test('amplitude: invalid events, by their places', async () => {
        collector.faults("400:indices=yes:name='Signed Up'")

        const { status, body, record } = await answerTo(apiSample('amplitude'))

        assert.deepEqual([status, record.accepted], [400, false])
        assert.deepEqual([body.code, body.events_with_invalid_fields, body.silenced_events], [400, { event_type: [0] }, []])
    })

    test('amplitude: events that come too fast', async () => {
        collector.faults("429:indices=yes:name='Signed Up'")

        const { status, body } = await answerTo(apiSample('amplitude'))

        assert.deepEqual([status, body.code, body.throttled_events], [429, 429, [0]])
    })

    test('mixpanel: failed records, while the others are taken', async () => {
        collector.faults("400:indices=yes:name='Signed Up'")

        const { status, body, record } = await answerTo(apiSample('mixpanel'))

        assert.deepEqual([status, record.accepted, body.num_records_imported], [400, true, 1])
        assert.deepEqual(body.failed_records.map(({ index, insert_id: id }) => [index, id]), [[0, '00000000-0000-4000-8000-000000000001']])
    })

    test('otlp: a partial success, which says how many and not which', async () => {
        collector.faults("200:indices=yes:name='Signed Up'")

        const { status, body, record } = await answerTo(apiSample('otlp'))

        assert.deepEqual([status, record.accepted], [200, true])
        assert.deepEqual(body, { partialSuccess: { rejectedLogRecords: '1', errorMessage: 'The fault script refuses this event.' } })
    })
})

suite('the option api', () => {
    test('takes any other request for a problem', async (context) => {
        const only = await other(context, { api: 'segment' })
        for (const request of [apiSample('segment'), sample('batch'), apiSample('otlp'), sample('event')]) await send(only.url, request)

        const problems = only.received().map(({ problems }) => problems)

        assert.deepEqual(problems, [
            [],
            ['A batch for MetaRouter does not belong here: with --api segment only Segment\'s requests may come.'],
            ['A batch for OpenTelemetry (OTLP) does not belong here: with --api segment only Segment\'s requests may come.'],
            ['POST "/v2/tracking-session-data" does not belong here: with --api segment only Segment\'s requests may come.'],
        ])
    })

    test('takes no other name', async () => {
        await assert.rejects(startCollector({ api: 'segmnt' }), /There is no api "segmnt"; there are metaRouter, segment, postHog,/)
    })
})
