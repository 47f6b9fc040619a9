import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Output } from '../src/client/output.js'
import { LineWriter } from '../src/client/line-writer.js'
import { createTracker } from '../src/client/tracker.js'
import { KEY, eventNames, realTracker, withoutHost } from '../testsupport/real-host.js'
import { doubling } from '../testsupport/doubling.js'
import { afterwards, fakeTracker, freshFolder, inTime } from '../testsupport/hosts.js'

const config = { apiUrl: 'https://api.example.com', xApiKey: 'key' }

/** What an error may say of a person. */
const PERSONAL = 'ada@example.com'

/** What the host got of the tracking calls: method and params without the message id. */
function written(lives) {
    return lives().flat().filter(({ method }) => !/^(init|host\.)|initialize$/.test(method))
        .map(({ method, params: { messageId, ...params } }) => [method, params])
}

/** A tracker whose host is a stand-in, after an `init` with these functions. */
async function hooked(t, hooks) {
    const made = fakeTracker(t)
    await made.tracker.init('925', { ...config, ...hooks })
    return made
}

suite('beforeSend', () => {
    test('changes a call in place, before it is written', async (t) => {
        const { tracker, lives } = await hooked(t, {
            beforeSend(call) {
                if (call.name) call.name += '!'
                if (call.userId) call.userId = `hash of ${call.userId}`
                if (call.properties?.email) call.properties.email = '***'
                if (call.metadata) call.metadata.seen = true
            },
        })
        const attributes = { email: 'ada@example.com', at: new Date(0), n: 12345678901234567890n }

        await tracker.track('A', attributes, { m: 1 })
        await tracker.identify('ada', { email: 'ada@example.com' })
        await tracker.setMetadata({ email: 'ada@example.com' })
        await tracker.updateSessionEmail('ada@example.com')
        await tracker.screen('Home')

        assert.deepEqual(written(lives), [
            ['track', {
                eventName: 'A!',
                attributes: { email: '***', at: '1970-01-01T00:00:00.000Z', n: 12345678901234567890 },
                metadata: { m: 1, seen: true },
            }],
            ['identify', { userId: 'hash of ada', profileData: { email: '***' } }],
            ['setMetadata', { metadata: { email: '***' } }],
            ['updateSessionEmail', { email: 'ada@example.com' }],
            ['screen', { name: 'Home!' }],
        ])
        // The caller's own objects stay as they were.
        assert.equal(attributes.email, 'ada@example.com')
    })

    test('sees a BigInt where a call takes a number, and passes it on', async (t) => {
        const { tracker, lives } = await hooked(t, { beforeSend: (call) => call })

        assert.equal((await tracker.updateLocation(48n, 11n, 5n)).status, 'queued')

        assert.deepEqual(written(lives), [['updateLocation', { latitude: 48, longitude: 11, accuracy: 5 }]])
    })

    test('leaves a call that it does not change to the character, and its message id', async (t) => {
        const { tracker, lives } = await hooked(t, { beforeSend: (call) => call })

        await tracker.track('A', { n: 12345678901234567890n }, null, { messageId: 'm-1' })

        const { params } = lives()[0].at(-1)
        assert.equal(params.messageId, 'm-1')
        assert.equal((await tracker.track('B', {}, null, { messageId: 'm-2' })).messageId, 'm-2')
    })

    test('drops a call by null or false, silently', async (t) => {
        const { tracker, lives, warnings } = await hooked(t, {
            beforeSend: ({ name }) => (name === 'A' ? null : name === 'B' ? false : undefined),
        })

        assert.deepEqual(await tracker.track('A'), { status: 'dropped', reason: 'BEFORE_SEND' })
        assert.deepEqual(await tracker.track('B'), { status: 'dropped', reason: 'BEFORE_SEND' })
        assert.equal((await tracker.track('C')).status, 'queued')

        assert.deepEqual(written(lives).map(([, { eventName }]) => eventName), ['C'])
        assert.deepEqual(warnings, [])
    })

    test('sees all of a call that leaves the machine, and may change it', async (t) => {
        const seen = []
        const { tracker, lives } = await hooked(t, {
            beforeSend(call) {
                seen.push(structuredClone(call))
                for (const [name, value] of Object.entries(call)) {
                    if (typeof value === 'string' && name !== 'method') call[name] = `${value}!`
                }
                if (call.location) call.location.latitude = 1
            },
        })
        const { analytics } = tracker
        await analytics.initialize({
            writeKey: 'w', ingestionHost: 'https://i.example.com',
            beforeSend(call) {
                seen.push(structuredClone(call))
                for (const name of ['userId', 'anonymousId', 'groupId', 'advertisingId']) if (call[name]) call[name] += '!'
                if (call.context) call.context.ip = null
            },
        })

        await tracker.updateLocation(52.5, 13.4, 10)
        await tracker.updateSessionEmail('ada@example.com')
        await tracker.linkSession('s0')
        await tracker.screenDidAppear('Cart', 'https://shop.example/cart')
        const options = { userId: 'u1', anonymousId: 'a1', groupId: 7, timestamp: new Date(0), context: { ip: '10.0.0.1', page: 1 } }
        await analytics.track('A', null, options)
        await analytics.group('g1', { plan: 'pro' })
        await analytics.alias('u2', { userId: 'u2', anonymousId: 'a2' })
        await analytics.setAdvertisingId('ad-1')

        assert.deepEqual(written(lives), [
            ['updateLocation', { latitude: 1, longitude: 13.4, accuracy: 10 }],
            ['updateSessionEmail', { email: 'ada@example.com!' }],
            ['linkSession', { sourceSessionId: 's0!' }],
            ['screenDidAppear', { name: 'Cart!', url: 'https://shop.example/cart!' }],
            ['analytics.track', { event: 'A', options: {
                userId: 'u1!', anonymousId: 'a1!', groupId: '7!', timestamp: '1970-01-01T00:00:00.000Z', context: { ip: null, page: 1 },
            } }],
            ['analytics.group', { groupId: 'g1!', traits: { plan: 'pro' } }],
            ['analytics.alias', { newUserId: 'u2!', options: { userId: 'u2!', anonymousId: 'a2!' } }],
            ['analytics.setAdvertisingId', { advertisingId: 'ad-1!' }],
        ])
        assert.deepEqual(seen[0], { method: 'updateLocation', location: { latitude: 52.5, longitude: 13.4, accuracy: 10 } })
        assert.deepEqual(seen[4], {
            method: 'analytics.track', name: 'A', userId: 'u1', anonymousId: 'a1', groupId: '7',
            timestamp: '1970-01-01T00:00:00.000Z', context: { ip: '10.0.0.1', page: 1 },
        })
    })

    const hideUser = (call) => {
        delete call.userId
        if (call.name === 'B') call.anonymousId = 'hash'
    }

    test('that takes away who a call is about drops it', { skip: withoutHost }, async (t) => {
        const { tracker: { analytics }, warnings, collector } = await realTracker(t)
        await analytics.initialize({ writeKey: 'w', ingestionHost: collector.url, beforeSend: hideUser })

        const { status, reason } = await analytics.track('A', {}, { userId: 'u1' })

        assert.deepEqual([status, reason], ['dropped', 'INVALID_VALUE'])
        assert.match(warnings[0], /'options\.userId' is given and has no value\. Leave it out to mean the client's own/)
    })

    const hideGroup = (call) => {
        delete call.groupId
        for (const scope of call.scope ?? []) delete scope.groupId
        if (call.name === 'C') call.userId = 'u'
    }

    test('that takes away the group of a call drops it, unless a person is named', { skip: withoutHost }, async (t) => {
        const { tracker: { analytics }, warnings, collector } = await realTracker(t)
        await analytics.initialize({ writeKey: 'w', ingestionHost: collector.url, beforeSend: hideGroup })

        const outcomes = [
            await analytics.track('A', {}, { groupId: 'g' }),
            await analytics.with({ groupId: 'g' }, () => analytics.track('B')),
            await analytics.track('C', {}, { groupId: 'g' }),
            await analytics.track('D'),
        ]

        assert.deepEqual(outcomes.map(({ reason, status }) => reason ?? status), ['INVALID_VALUE', 'INVALID_VALUE', 'queued', 'queued'])
        assert.match(warnings[0], /'options\.groupId' is given and has no value/)
    })

    test('may name a visitor instead of a user', async (t) => {
        const { tracker: { analytics }, lives } = fakeTracker(t)
        await analytics.initialize({ writeKey: 'w', ingestionHost: 'https://i.example.com', beforeSend: hideUser })

        await analytics.track('B', {}, { userId: 'u1' })

        assert.deepEqual(written(lives), [['analytics.track', { event: 'B', properties: {}, options: { anonymousId: 'hash' } }]])
    })

    for (const [what, options] of Object.entries({ 'has no value': { userId: null }, 'is misspelled': { user_id: 'u1' } })) {
        test(`leaves it to the host to drop a call whose user ${what}`, { skip: withoutHost }, async (t) => {
            const { tracker: { analytics }, collector } = await realTracker(t)
            const seen = []
            const beforeSend = (call) => {
                seen.push({ ...call })
                call.name = 'B'
            }
            await analytics.initialize({ writeKey: 'w', ingestionHost: collector.url, beforeSend })

            const { reason } = await analytics.track('A', {}, options)

            assert.equal(reason, 'INVALID_VALUE')
            assert.deepEqual(seen, [{ method: 'analytics.track', name: 'A', properties: {} }])
        })
    }

    for (const [what, beforeSend] of [['leaves the call as it is', () => {}], ['changes it', (call) => void (call.properties.a = 1)]]) {
        test(`that ${what} leaves it to the host to drop a call with another user than its own`, { skip: withoutHost }, async (t) => {
            const { tracker: { analytics }, collector } = await realTracker(t)
            await analytics.initialize({ writeKey: 'w', ingestionHost: collector.url, beforeSend })

            for (const userId of ['u2', null, undefined]) {
                assert.equal((await analytics.identify('u1', {}, { userId })).reason, 'INVALID_VALUE')
            }
            assert.equal((await analytics.identify('u1', {}, { userId: 'u1' })).status, 'queued')
        })
    }

    test('gets a copy of its own of each call, and of the scope around it', async (t) => {
        const { tracker: { analytics }, lives } = fakeTracker(t)
        const seen = []
        const beforeSend = (call) => {
            seen.push(call.scope[0].properties.n)
            call.scope[0].properties.n += 1n
        }
        await analytics.initialize({ writeKey: 'w', ingestionHost: 'https://i.example.com', beforeSend })

        await analytics.with({ properties: { n: 1n } }, async () => {
            await analytics.track('A')
            await analytics.track('B')
        })

        assert.deepEqual(seen, [1n, 1n])
        assert.deepEqual(written(lives).map(([, { scope }]) => scope), [[{ properties: { n: 2 } }], [{ properties: { n: 2 } }]])
    })

    test('that is misspelled is no option, and the client does not begin without it', async (t) => {
        const { tracker: { analytics } } = fakeTracker(t)
        const options = { writeKey: 'w', ingestionHost: 'https://i.example.com' }

        await assert.rejects(analytics.initialize({ ...options, beforesend: () => null }), {
            code: 'INVALID_CONFIGURATION', message: "analytics.initialize: 'beforesend' is not known; did you mean 'beforeSend'?",
        })
        await assert.rejects(analytics.initialize({ ...options, debug: () => true }), {
            code: 'INVALID_CONFIGURATION',
            message: "analytics.initialize: 'debug' is of type function, which JSON does not have.",
        })
    })

    test('is called after one warning about what a call cannot hold', async (t) => {
        const { tracker, warnings, lives } = await hooked(t, { beforeSend: (call) => call })

        await tracker.track('A', { f: () => 1, n: 1 }, null, { messageID: 'm' })

        assert.equal(warnings.length, 2)
        assert.match(warnings[0], /the option 'messageID' has no effect/)
        assert.match(warnings[1], /'attributes\.f' is of type function, which JSON does not have/)
        assert.deepEqual(written(lives), [['track', { eventName: 'A', attributes: { n: 1 } }]])
    })

    test('keeps the digits of all that it leaves alone, and may set a BigInt', async (t) => {
        const texts = []
        const { tracker } = await hooked(t, {
            beforeSend(call) {
                texts.push(typeof call.properties.n)
                delete call.properties.email
                call.properties.more = 2n ** 70n
            },
        })
        const params = []
        const { send } = LineWriter.prototype
        t.mock.method(LineWriter.prototype, 'send', function (message) {
            params.push(message.text)
            send.call(this, message)
        })

        await tracker.track('A', { email: 'x', n: 12345678901234567890n, list: [1n, { b: -(2n ** 64n) }] })

        assert.deepEqual(texts, ['bigint'])
        assert.match(params[0], /"attributes":\{"n":12345678901234567890,"list":\[1,\{"b":-18446744073709551616\}\],"more":1180591620717411303424\}/)
    })

    test('stays in force if a second init fails, and while it is under way', async (t) => {
        const error = { code: 1006, message: 'The tracker is initialized for brand 925', data: { code: 'INIT_ERROR' } }
        const { tracker, lives } = fakeTracker(t, { errors: { 'basic.initialize': error } })
        const { basic } = tracker
        const named = (name) => (call) => void (call.name = name)
        await tracker.init('925', { ...config, beforeSend: named('first') })
        const second = tracker.init('925', { ...config, beforeSend: named('second') })
        await tracker.track('A')
        await second
        await tracker.track('B')
        await assert.rejects(tracker.init(null, { ...config, beforeSend: 7 }), { code: 'INVALID_CONFIGURATION' })
        await tracker.track('C')
        const failed = basic.initialize('k', 'https://x', null, { beforeSend: named('third') })
        await basic.track('D')
        await assert.rejects(failed, { code: 'INIT_ERROR' })
        await assert.rejects(basic.initialize('k', 'https://x', null, {}), { code: 'INIT_ERROR' })
        await basic.track('E')

        assert.deepEqual(written(lives).map(([, { eventName, event }]) => eventName ?? event), ['first', 'second', 'second', 'third', 'third'])
    })

    test('ends with a shutdown: calls that follow have the filter of the next init, also if it fails', async (t) => {
        const error = { code: 1007, message: 'No session', data: { code: 'SESSION_CREATION_FAILED' } }
        const { tracker, lives } = fakeTracker(t, {}, {}, { errors: { 'basic.initialize': error } })
        const named = (name) => (call) => void (call.name = name)
        await tracker.init('925', { ...config, beforeSend: named('first') })
        const under = tracker.init('925', { ...config, beforeSend: named('late') })
        const ended = tracker.shutdown()
        const next = tracker.init('925', { ...config, beforeSend: named('second') })
        const after = tracker.track('A')
        await Promise.all([under, ended, next, after])
        await tracker.shutdown()
        await tracker.track('B')
        const failed = tracker.basic.initialize('k', 'https://x', null, { beforeSend: named('third') })
        await assert.rejects(failed, { code: 'SESSION_CREATION_FAILED' })
        await tracker.basic.track('C')

        assert.deepEqual(written(lives).map(([, { eventName, event }]) => eventName ?? event), ['second', 'B', 'third'])
    })

    test('stays in force if a second init is ignored, and so do convert and credentials', { skip: withoutHost }, async (t) => {
        const { tracker, collector, config } = await realTracker(t)
        const asked = []
        const credentials = () => {
            asked.push('first')
            return { key: KEY }
        }
        const beforeSend = ({ properties }) => void delete properties?.email
        await tracker.init('925', config({ xApiKey: undefined, beforeSend, convert: () => 0, credentials }))
        await tracker.init('925', config())
        await tracker.init('925', config({ credentials: () => asked.push('second') }))
        collector.faults(['401'])

        await tracker.track('A', { email: 'ada@example.com', n: NaN })
        await collector.wait({ name: 'A', accepted: true })

        assert.deepEqual(collector.received({ name: 'A' }).map(({ body }) => body.data), [{ n: 0 }, { n: 0 }])
        assert.deepEqual(asked, ['first', 'first'])
    })

    test('stays in force while an init with credentials is under way, and if it fails', { skip: withoutHost }, async (t) => {
        const { tracker, collector, config } = await realTracker(t)
        const named = (name) => (call) => void (call.name = name)
        await tracker.init('925', config({ beforeSend: named('first') }))

        const second = tracker.init('926', config({ beforeSend: named('second'), credentials: () => ({ key: KEY }) }))
        tracker.track('A')
        await assert.rejects(second, { code: 'INIT_ERROR' })
        await tracker.track('B')
        await collector.wait({ kind: 'event', count: 2 })

        assert.deepEqual(eventNames(collector), ['first', 'first'])
    })

    const withoutSession = { code: 1003, message: 'No session', data: { code: 'SESSION_CREATION_FAILED' } }

    test('of an init that finds no session sees what the host holds', async (t) => {
        const { tracker, lives } = fakeTracker(t, { gate: { method: 'init', opensAt: 'setConsent', error: withoutSession } })
        const failed = tracker.init('925', config)
        const second = tracker.init('925', { ...config, beforeSend: (call) => void (call.name = 'filtered') })
        await tracker.setConsent('granted')
        await assert.rejects(failed, { code: 'SESSION_CREATION_FAILED' })
        await assert.rejects(second, { code: 'SESSION_CREATION_FAILED' })

        await tracker.track('A')

        assert.deepEqual(written(lives).at(-1), ['track', { eventName: 'filtered' }])
    })

    for (const [what, beforeSend] of [['brings another', (call) => void (call.name = 'second')], ['brings none', undefined]]) {
        test(`stays in force if an init finds no session that ${what}`, async (t) => {
            const { tracker, lives } = fakeTracker(t, { errors: { init: withoutSession } })
            const first = tracker.init('925', { ...config, beforeSend: (call) => void (call.name = 'first') })
            await assert.rejects(first, { code: 'SESSION_CREATION_FAILED' })
            await assert.rejects(tracker.init('925', { ...config, beforeSend }), { code: 'SESSION_CREATION_FAILED' })

            await tracker.track('A')

            assert.deepEqual(written(lives), [['track', { eventName: 'first' }]])
        })
    }

    test('leaves the credentials to an init that is under way', { skip: withoutHost }, async (t) => {
        const { tracker, collector, config } = await realTracker(t)
        const beforeSend = (call) => void (call.name += '!')
        collector.faults(['401'])
        await assert.rejects(tracker.init('925', config({ beforeSend })), { code: 'SESSION_CREATION_FAILED' })

        await tracker.init('925', config({ xApiKey: undefined, beforeSend, credentials: () => ({ key: KEY }) }))
        await tracker.track('A')
        await collector.wait({ name: 'A!' })

        assert.equal((await tracker.getDebugInfo()).lifecycle, 'ready')
    })

    const faults = {
        'that returns a BigInt': [() => 5n, '`beforeSend` must return the call'],
        'that returns a getter that throws': [() => ({ get name() { throw new Error(PERSONAL) } }), '`beforeSend` has returned what cannot be read: Error at /'],
        'that throws': [() => { throw new TypeError(PERSONAL) }, '`beforeSend` has failed: TypeError at /'],
        'that throws a text': [() => { throw PERSONAL }, '`beforeSend` has failed: string'],
        'that throws what cannot be shown': [() => { throw { stack: '', get name() { throw 1 } } }, '`beforeSend` has failed: what was thrown cannot be shown'],
        'that is asynchronous': [async (call) => call, '`beforeSend` must return the call, or `null` to drop it, and no promise'],
        'that returns a text': [() => 'x', '`beforeSend` must return the call'],
    }
    for (const [what, [beforeSend, words]] of Object.entries(faults)) {
        test(`${what} drops the call with a warning and the caller's line`, async (t) => {
            const { tracker, warnings } = await hooked(t, { beforeSend })

            assert.deepEqual(await tracker.track('A'), { status: 'dropped', reason: 'BEFORE_SEND' })

            assert.equal(warnings.length, 1, warnings.join('\n'))
            assert.ok(warnings[0].replace('file://', '').includes(words), warnings[0])
            assert.ok(!warnings[0].includes(PERSONAL), warnings[0])
            assert.match(warnings[0], /client-hooks\.test\.js:\d+:\d+\)$/)
        })
    }

    const no = { get() { throw new Error('no') }, enumerable: true }
    const changes = {
        'a cycle': [
            (call) => void (call.properties.list[0].back = call.properties),
            'SERIALIZATION_ERROR', "'attributes.list[0].back' is part of a cycle",
        ],
        'itself inside': [
            (call) => Object.assign(call, { metadata: { call } }),
            'SERIALIZATION_ERROR', "'metadata.call.metadata' is part of a cycle",
        ],
        'a getter that throws': [
            (call) => Object.defineProperty(call, 'name', no), 'BEFORE_SEND', '`beforeSend` has returned what cannot be read: Error at ',
        ],
        'a getter inside that throws': [
            (call) => ({ ...call, properties: Object.defineProperty({}, 'x', no) }),
            'SERIALIZATION_ERROR', "'attributes.x' cannot be read: Error at ",
        ],
        'a BigInt as its name': [
            (call) => ({ ...call, name: 5n }), 'INVALID_EVENT_NAME', "'eventName' must be a string. (at ",
        ],
    }
    for (const [what, [change, reason, words]] of Object.entries(changes)) {
        test(`that returns a call with ${what} drops that call alone, awaited or not`, { skip: withoutHost }, async (t) => {
            const { tracker, collector, warnings, config } = await realTracker(t)
            await tracker.init('925', config({ beforeSend: (call) => (call.name === 'BAD' ? change(call) : call) }))

            const { fault, ...outcome } = await tracker.track('BAD', { list: [{}] })
            tracker.track('BAD', { list: [{}] })
            await tracker.track('GOOD', { n: 1 })
            await collector.wait({ name: 'GOOD', accepted: true })

            assert.deepEqual(outcome, { status: 'dropped', reason })
            assert.equal(warnings.length, 2, warnings.join('\n'))
            for (const warning of warnings) assert.ok(warning.includes(words), warning)
            assert.deepEqual(eventNames(collector), ['GOOD'])
        })
    }

    test('that returns a call with a BigInt among its values sends all its digits', { skip: withoutHost }, async (t) => {
        const { tracker, collector, warnings, config } = await realTracker(t)
        await tracker.init('925', config({ beforeSend: (call) => ({ ...call, properties: { n: 2n ** 70n } }) }))

        assert.notEqual((await tracker.track('A')).status, 'dropped')
        const [{ raw }] = await collector.wait({ name: 'A', accepted: true })

        assert.match(raw, /"n":1180591620717411303424\b/)
        assert.deepEqual(warnings, [])
    })

    for (const member of ['name', 'properties', 'context', 'scope']) {
        test(`that makes of ${member} far more than the host takes drops the call, and reads little of it`, async (t) => {
            const { tracker: { analytics }, lives } = fakeTracker(t, { maxMessageBytes: 10_000 })
            const beforeSend = (call) => ({ ...call, [member]: member === 'scope' ? [{ properties: doubling() }] : doubling() })
            await analytics.initialize({ writeKey: 'w', ingestionHost: 'https://i.example.com', beforeSend })

            assert.equal((await analytics.track('A')).reason, 'TOO_LARGE')

            assert.deepEqual(written(lives), [])
        })
    }

    test('sees arguments of the right types alone, and what it makes of them is checked', { skip: withoutHost }, async (t) => {
        const seen = []
        const { tracker, config: configOf } = await realTracker(t)
        await tracker.init('925', configOf({
            beforeSend(call) {
                seen.push(call.name ?? call.method)
                if (call.name === 'NUMBER') call.name = 17
                if (call.name === 'NAN') call.properties = { x: NaN }
                if (call.name === 'CYCLE') (call.properties = {}).me = call.properties
                if (call.name === 'GETTER') call.properties = { get x() { throw new Error('no') } }
            },
        }))

        const deep = JSON.parse('{"a":'.repeat(127) + '{}' + '}'.repeat(127))
        assert.equal((await tracker.track(17, deep)).reason, 'INVALID_EVENT_NAME')
        assert.equal((await tracker.identify(5.5)).reason, 'INVALID_USER_ID')
        for (const name of [17, 17n, {}, undefined, null]) assert.equal((await tracker.track(name)).reason, 'INVALID_EVENT_NAME')
        for (const data of [17, 'x', true, [], new Date()]) assert.equal((await tracker.track('X', data)).reason, 'INVALID_VALUE')
        assert.equal((await tracker.updateLocation('52', 13, 1)).reason, 'INVALID_VALUE')
        assert.equal((await tracker.track('X', { x: NaN })).reason, 'SERIALIZATION_ERROR')
        assert.equal((await tracker.track('NUMBER')).reason, 'INVALID_EVENT_NAME')
        for (const name of ['NAN', 'CYCLE', 'GETTER']) {
            assert.equal((await tracker.track(name)).reason, 'SERIALIZATION_ERROR')
        }
        assert.equal((await tracker.identify(true)).reason, 'INVALID_USER_ID')
        assert.equal((await tracker.identify({ toJSON: () => 7 })).status, 'queued')
        await tracker.getSessionId()
        await tracker.reset()

        assert.deepEqual(seen, ['NUMBER', 'NAN', 'CYCLE', 'GETTER', 'identify'])
    })

    test('belongs to the client that was initialised with it', async (t) => {
        const { tracker: { track, init, analytics, basic }, lives } = fakeTracker(t)
        await init('925', { ...config, beforeSend: (call) => void (call.name += ' of tracker') })
        await analytics.initialize({ writeKey: 'k', ingestionHost: 'https://x', beforeSend: (call) => void (call.name += ' of analytics') })
        await basic.initialize('k', 'https://x', null, {})

        await track('A')
        await analytics.track('A', {}, { userId: 'u1' })
        await basic.track('A')

        assert.deepEqual(written(lives), [
            ['track', { eventName: 'A of tracker' }],
            ['analytics.track', { event: 'A of analytics', properties: {}, options: { userId: 'u1' } }],
            ['basic.track', { event: 'A' }],
        ])
        // The functions are for this side alone.
        assert.ok(lives()[0].every(({ params }) => !JSON.stringify(params ?? {}).includes('beforeSend')))
    })

    test('is refused if it is no function', async (t) => {
        const { tracker } = fakeTracker(t)

        await assert.rejects(tracker.init('925', { ...config, beforeSend: 7 }), { code: 'INVALID_CONFIGURATION' })
        await assert.rejects(tracker.init('925', { ...config, convert: 7 }), { code: 'INVALID_CONFIGURATION' })
        assert.throws(() => createTracker({ convert: 7 }), TypeError)
        await assert.rejects(tracker.basic.initialize('k', 'https://x', null, { logger: {} }), { code: 'INVALID_CONFIGURATION' })
        assert.throws(() => createTracker({ beforeSend: 7 }), TypeError)
        assert.throws(() => createTracker({ logger: 7 }), TypeError)
    })
})

suite('convert', () => {
    test('turns what JSON does not have, before the call is dropped', async (t) => {
        const { tracker, lives, warnings } = await hooked(t, {
            convert(value, path) {
                if (typeof value === 'number') return `${value} at ${path}`
                if (typeof value === 'function') return { name: value.name, n: NaN }
                if (value instanceof RegExp) return value.source
            },
        })

        await tracker.track('A', { n: NaN, list: [Infinity], f: function f() {}, re: /x+/, s: Symbol('s') })
        assert.equal((await tracker.track('B', { at: new Date(NaN) })).reason, 'SERIALIZATION_ERROR')
        await tracker.basic.track('C', { re: /x/ })

        assert.deepEqual(written(lives)[0][1].attributes, {
            n: 'NaN at attributes.n', list: ['Infinity at attributes.list[0]'], f: { name: 'f', n: 'NaN at attributes.f.n' }, re: 'x+',
        })
        assert.equal(warnings.length, 3)
    })

    test('of createTracker serves all clients; what it throws drops the call', async (t) => {
        const { tracker, lives, warnings } = fakeTracker(t)
        const other = createTracker({
            convert: (value) => {
                if (Number.isNaN(value)) throw new Error('no')
                return 'x'
            },
            warnings: false,
        })
        afterwards(t, () => other.shutdown())
        assert.equal((await other.basic.track('A', { n: NaN })).reason, 'SERIALIZATION_ERROR')
        await tracker.track('A')
        assert.deepEqual([lives()[0].length, warnings.length], [1, 0])
    })
})

suite('a logger', () => {
    const recording = () => {
        const lines = []
        const log = (level) => (message) => lines.push(`${level}: ${message}`)
        return { lines, logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') } }
    }

    test('takes the warnings of this package', async (t) => {
        const { lines, logger } = recording()
        const { tracker, warnings } = await hooked(t, { logger })

        await tracker.track(() => 'X')

        assert.deepEqual(warnings, [])
        assert.equal(lines.length, 1)
        assert.match(lines[0], /^warn: track was dropped: INVALID_EVENT_NAME/)
    })

    test('that fails fails no call; one that lacks a level gets its messages at the nearest', async (t) => {
        const lines = []
        const { tracker } = await hooked(t, { logger: { error: (message) => lines.push(message) } })
        await tracker.track(() => 'X')
        assert.equal(lines.length, 1)

        await tracker.init('925', { ...config, logger: { warn() { throw new Error('full') } } })
        assert.equal((await tracker.track(() => 'X')).status, 'dropped')
    })

    test('that tracks is not called by its own calls without end', async (t) => {
        const lines = []
        const { tracker } = fakeTracker(t)
        const warn = (message) => {
            lines.push(message)
            void tracker.track('LOGGED')
        }
        await tracker.init('925', { ...config, enabled: false, logger: { warn } })

        for (const name of ['A', 'B']) await tracker.track(name)

        assert.equal(lines.length, 1)
        assert.match(lines[0], /^track "A" was dropped: DISABLED/)
    })

    test('stays if a second init is ignored, or fails', { skip: withoutHost }, async (t) => {
        const [first, second] = [recording(), recording()]
        const { tracker, config } = await realTracker(t)
        await tracker.init('925', config({ logger: first.logger }))
        await tracker.init('925', config({ logger: second.logger }))
        await tracker.track(() => 'X')
        assert.match(first.lines.at(-1), /^warn: track was dropped/)

        await assert.rejects(tracker.init('926', config({ logger: second.logger })), { code: 'INIT_ERROR' })
        await tracker.track(18)

        assert.ok(second.lines.every((line) => !line.includes('was dropped')))
    })

    test('gets characters whole, however the log arrives', () => {
        const { lines, logger } = recording()
        const output = new Output({ warnings: true, stderr: true })
        output.use(logger)

        const entry = JSON.stringify({ level: 'warning', message: 'é漢🐙' })
        for (const byte of Buffer.from(`${entry}\ncurl: ü\n`)) output.passOn(Buffer.of(byte))

        assert.deepEqual(lines, ['warn: é漢🐙', 'error: curl: ü'])
    })

    test('does not get from the host what the program learns from an answer', () => {
        const { lines, logger } = recording()
        const output = new Output({ warnings: true, stderr: true })
        output.use(logger)

        for (const more of [{ reason: 'INVALID_VALUE' }, { code: 'STORAGE_ERROR' }, {}]) {
            output.passOn(Buffer.from(`${JSON.stringify({ level: 'error', message: 'Once', ...more })}\n`))
        }

        assert.deepEqual(lines, ['error: Once'])
    })

    test('takes the log of the host, by its levels', { skip: withoutHost }, async (t) => {
        const { lines, logger } = recording()
        const { collector, folder } = await realTracker(t)
        const tracker = createTracker({ logger, hostArguments: ['--storage-dir', folder] })
        afterwards(t, () => tracker.shutdown())

        await tracker.init('925', { apiUrl: collector.url, xApiKey: KEY, debug: true })
        await tracker.track('A')
        await tracker.flush()
        await tracker.init('926', { apiUrl: collector.url, xApiKey: KEY }).catch(() => {})
        await tracker.shutdown()

        assert.ok(lines.some((line) => line.startsWith('info: Initialized.')), lines.join('\n'))
        // It says by its rejection that it failed, and not in the log too.
        assert.ok(lines.every((line) => !line.includes('Initialization failed')), lines.join('\n'))
        assert.ok(lines.every((line) => !line.includes('[MobileTracker]')))
    })
})

test('a console that throws fails no call, and leaves none without its answer', async (t) => {
    const { tracker } = fakeTracker(t, { results: { track: { status: 'dropped', reason: 'NOT_INITIALIZED' } } })
    const { mock } = t.mock.method(console, 'warn', () => {
        throw new Error('full')
    })

    const outcomes = await inTime(Promise.all([tracker.track(() => 'X'), tracker.track('A')]))
    await tracker.shutdown()

    assert.deepEqual(outcomes.map(({ reason }) => reason), ['INVALID_EVENT_NAME', 'NOT_INITIALIZED'])
    assert.equal(mock.callCount(), 2)
})

suite('deliveries', { skip: withoutHost }, () => {
    test('are reported by their message ids once there is a listener', async (t) => {
        const { tracker, config: configure } = await realTracker(t)
        await tracker.init('925', configure())
        const all = []
        tracker.on('diagnostic', (notification) => all.push(notification))
        await tracker.track('UNHEARD')
        await tracker.flush()

        const told = []
        let arrived
        const both = new Promise((resolve) => (arrived = resolve))
        tracker.on('delivered', (notification) => told.push(notification) === 2 && arrived())
        const ids = [await tracker.track('A'), await tracker.track('B')].map(({ messageId }) => messageId)
        await tracker.flush()
        await both

        assert.deepEqual(told.map(({ messageId }) => messageId), ids)
        assert.deepEqual(told[0], { client: 'tracker', kind: 'delivered', messageId: ids[0] })
        assert.ok(all.every(({ kind }) => kind !== 'delivered'))
    })
})
