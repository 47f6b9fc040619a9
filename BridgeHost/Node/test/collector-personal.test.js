import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { sentenceOf } from '../src/collector/checks/findings.js'
import { personalDataIn } from '../src/collector/personal.js'
import { send } from '../testsupport/http.js'
import { sample, SAMPLE_KINDS } from '../testsupport/samples.js'

const event = (data) => ({ brand_id: 925, session_id: 's', event_name: 'A', data })
const found = (data) => personalDataIn(event(data)).map(sentenceOf)

suite('what looks like personal data', () => {
    for (const [what, data, text] of [
        ['an email address', { note: 'ask ada@example.com' }, 'data.note looks like an email address.'],
        ['an email address in a list', { to_do: [{ a: 'Ada <ada.l@mail.example.co.uk>' }] }, 'data.to_do[0].a looks like an email address.'],
        ['a card number', { reference: '4111 1111 1111 1111' }, 'data.reference looks like a card number.'],
        ['a card number that is a number', { reference: 5555555555554444 }, 'data.reference looks like a card number.'],
        ['a card number in a text', { note: 'paid with 378282246310005.' }, 'data.note looks like a card number.'],
        ['a telephone number', { note: 'call +49 (30) 901820' }, 'data.note looks like a telephone number.'],
        ['a North American telephone number', { note: '(415) 555-2671' }, 'data.note looks like a telephone number.'],
        ['an email address as a user id', { user_id: 'ada@example.com' }, 'data.user_id looks like an email address.'],
    ]) test(`is found: ${what}`, () => assert.deepEqual(found(data), [text]))

    for (const [what, data] of [
        ['an email address in a member for one', { email: 'ada@example.com', 'E-Mail': 'ada@example.com', user_email: 'a@b.co' }],
        ['a telephone number in a member for one', { phone: '+49 30 901820', mobileNumber: '+4930901820' }],
        ['an email address or a telephone number in any member that the page lists', {
            mailing: 'ada@example.com', Recipient: 'ada@example.com', to: 'ada@example.com', FROM: 'ada@example.com',
            cell: '+4930901820', whatsApp: '+4930901820', fax_no: '+4930901820', tel: '+4930901820', telNo: '+4930901820',
        }],
        ['what the protocol puts in its own members', { messageId: 'ada@example.com', context: { note: 'ada@example.com' } }],
        ['a number whose check digit is wrong', { order: 4111111111111112, reference: '4111 1111 1111 1112' }],
        ['a number of no issuer', { order: '9999999999999995' }],
        ['times', { at: '2025-01-31T09:30:00.000Z', since: 1738315800000, day: '2025-01-31' }],
        ['ids and versions', { id: '5f775520-0a19-44da-b4c3-4584ab3f4569', version: '1.2.3', order: 'A-100-200-3000' }],
        ['a handle and a package', { handle: '@ada', package: '@mobiletracker/bridge@0.1.0' }],
        ['prices and positions', { total: 149.99, latitude: 37.7749, position: '37.7749, -122.4194' }],
    ]) test(`is not ${what}`, () => assert.deepEqual(found(data), []))

    test('is never repeated in what is said of it', () => {
        assert.ok(!found({ a: 'ada@example.com', b: '4111111111111111' }).join().match(/ada|4111/))
    })

    test('is named five times a request at most', () => {
        assert.equal(found(Array.from({ length: 100 }, () => 'ada@example.com')).length, 5)
    })

    test('is looked for within bounds', () => {
        const start = { deep: 'ada@example.com' }
        const deep = Array.from({ length: 50_000 }).reduce((inner) => [inner], start)
        assert.deepEqual(personalDataIn(deep), [])
        const wide = Array.from({ length: 100 }, () => Array.from({ length: 10_000 }, () => 0))
        assert.deepEqual(personalDataIn([wide, wide, wide]), [])
    })

    test('is a flag of the request, and counted', async (t) => {
        const collector = await startCollector()
        t.after(() => collector.close())
        await send(collector.url, { ...sample('event'), body: event({ note: 'ada@example.com' }) })

        const [{ flags, problems }] = collector.received()
        assert.deepEqual([flags, problems], [[{ kind: 'personal', text: 'data.note looks like an email address.' }], []])
        assert.equal(collector.totals().personal, 1)
    })

    test('is not in what the clients send by themselves', () => {
        for (const kind of SAMPLE_KINDS) assert.deepEqual(personalDataIn(sample(kind).body), [], kind)
    })
})

suite('a path that there is not', () => {
    for (const [method, path, nearest] of [
        ['POST', '/v1/bach', 'POST /v1/batch'],
        ['POST', '/eu/v2/tracking-session-dta', 'POST /v2/tracking-session-data'],
        ['PUT', '/v1/customer-profile/set', 'PUT /v1/customer-profiles/set'],
        ['PUT', '/v2/tracking-session/s1/emial_v2', 'PUT /v2/tracking-session/{session}/email_v2'],
        ['POST', '/event', 'POST /events'],
        ['GET', '/events', 'POST /events'],
    ]) {
        test(`is answered 404 with the nearest endpoint: ${method} ${path}`, async (t) => {
            const collector = await startCollector()
            t.after(() => collector.close())
            const { status, json } = await send(collector.url, { ...sample('basic'), method, path })

            assert.equal(status, 404)
            assert.ok(json.error.startsWith(`There is no endpoint for ${method} ${path}. The nearest is ${nearest}.`), json.error)
            assert.deepEqual(collector.received({ accepted: true }), [])
        })
    }

    test('far from all is answered with where the clients send', async (t) => {
        const collector = await startCollector()
        t.after(() => collector.close())
        const { json } = await send(collector.url, { ...sample('basic'), path: '/ingest/my-app' })

        assert.match(json.error, /AnalyticsClient to \/v1\/batch or its api's path, BasicTracker to \/ or \/events\. If the basic client sends here, start /)
    })

    test('may be where the basic client sends, if an option says so', async (t) => {
        const [named, any] = [await startCollector({ basicPaths: ['/ingest'] }), await startCollector({ anyPath: true })]
        t.after(() => Promise.all([named.close(), any.close()]))
        const statusOf = async ({ url }, path) => (await send(url, { ...sample('basic'), path })).status

        assert.deepEqual([await statusOf(named, '/ingest'), await statusOf(named, '/events')], [200, 404])
        assert.deepEqual([await statusOf(any, '/what/ever'), await statusOf(any, '/v1/bach')], [200, 200])
    })
})
