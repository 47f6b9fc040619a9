import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { suite, test } from 'node:test'
import { captureWarnings, fakeTracker } from '../testsupport/hosts.js'
import { realTracker, withoutHost } from '../testsupport/real-host.js'
import { sentenceOf } from '../src/client/fault.js'
import { METHODS } from '../src/client/methods.js'
import { writeParams } from '../src/client/params.js'
import { SCOPE } from '../src/client/scope.js'
import { createTracker } from '../src/client/tracker.js'

const config = { apiUrl: 'https://api.example.com', xApiKey: 'key' }

/** What arguments come to that the host cannot judge: the outcome's reason, and what the warning says of it. */
const WRONG = {
    'track with a function': [
        (t) => t.track('X', () => 1), 'INVALID_VALUE', "'attributes' must be an object, and is of type function.",
    ],
    'track with a symbol': [(t) => t.track(Symbol('X')), 'INVALID_EVENT_NAME', "'eventName' must be a string, and is of type symbol."],
    'track with a promise': [
        (t) => t.track('X', Promise.resolve({})), 'INVALID_VALUE', "'attributes' must be an object, and is of type Promise.",
    ],
    'track with NaN': [(t) => t.track('X', { a: NaN }), 'SERIALIZATION_ERROR', 'track "X" was dropped: SERIALIZATION_ERROR'],
    'a user id that is not exact': [
        (t) => t.identify(2 ** 53), 'INVALID_USER_ID', "'userId' is a number too large to be exact: give its text, or a BigInt.",
    ],
    'an invalid Date': [
        (t) => t.analytics.track('X', {}, { timestamp: new Date('x') }), 'SERIALIZATION_ERROR',
        "'options.timestamp' is Invalid Date, which JSON does not have.",
    ],
    'options that are a text': [(t) => t.track('X', {}, {}, 'm1'), 'INVALID_VALUE', "'options' must be an object, such as"],
}

/** What arguments of another kind come to, which the host refuses: the reason, the param, the rest of the sentence and a hint. */
const OTHER_KIND = {
    'track(undefined)': [(t) => t.track(undefined), 'INVALID_EVENT_NAME', 'eventName', 'is required and must be a string'],
    'track with a number': [(t) => t.track(17), 'INVALID_EVENT_NAME', 'eventName', 'must be a string'],
    'track with a BigInt': [(t) => t.track(17n), 'INVALID_EVENT_NAME', 'eventName', 'must be a string'],
    'track with an array': [(t) => t.track('X', [1]), 'INVALID_VALUE', 'attributes', 'must be an object'],
    'identify(1.5)': [(t) => t.identify(1.5), 'INVALID_USER_ID', 'userId', 'must be a string or a whole number'],
    'identify()': [(t) => t.identify(), 'INVALID_USER_ID', 'userId', 'is required and must be a string or a whole number'],
    'set()': [(t) => t.set(), 'INVALID_VALUE', 'profileData', 'is required and must be an object'],
    'screen(null)': [(t) => t.screen(null), 'INVALID_EVENT_NAME', 'name', 'is required and must be a string'],
    'a location in words': [(t) => t.updateLocation('52', 13, 1), 'INVALID_VALUE', 'latitude', 'must be a number'],
    'analytics.alias({})': [
        (t) => t.analytics.alias({}), 'INVALID_USER_ID', 'newUserId', 'must be a string or a whole number',
        ' The arguments are not one object: write alias(newUserId, { anonymousId }).',
    ],
    'a call of Segment': [
        (t) => t.analytics.track({ userId: 'u1', event: 'Order' }), 'INVALID_EVENT_NAME', 'event', 'must be a string',
        ' The arguments are not one object: write track(event, properties, { userId }).',
    ],
    'two texts': [
        (t) => t.analytics.track('user-1', 'Order'), 'INVALID_VALUE', 'properties', 'must be an object',
    ],
    'an object whose order is right': [
        (t) => t.analytics.track({ event: 'Order' }, { total: 1 }), 'INVALID_EVENT_NAME', 'event', 'must be a string',
    ],
    'an identify of Segment': [
        (t) => t.identify({ userId: 'u1', traits: {} }), 'INVALID_USER_ID', 'userId', 'must be a string or a whole number',
        ' The arguments are not one object: write identify(userId, profileData).',
    ],
    'an array for a text': [(t) => t.analytics.track(['X']), 'INVALID_EVENT_NAME', 'event', 'must be a string'],
    'basic.track()': [(t) => t.basic.track(), 'INVALID_EVENT_NAME', 'event', 'is required and must be a string'],
    'a Date for an object': [(t) => t.track('X', new Date()), 'INVALID_VALUE', 'attributes', 'must be an object'],
    'a Set for an object': [(t) => t.track('X', new Set()), 'INVALID_VALUE', 'attributes', 'must be an object'],
}

/** What the host refuses, and what the warning says of it. */
const REFUSED = {
    'an invalid message id': [
        (t) => t.track('X', null, null, { messageId: ' m ' }), "'messageId' must be 1 to 128 printable ASCII characters",
    ],
    'a message id that is a number': [(t) => t.set({}, { messageId: 17 }), "'messageId' must be a string."],
    'a message id that is a function': [(t) => t.set({}, { messageId: () => 'm' }), "'messageId' must be 1 to 128"],
    'an empty message id': [(t) => t.analytics.track('X', {}, { messageId: '' }), "'messageId' must be 1 to 128"],
    'a user id that is a fraction': [
        (t) => t.analytics.track('X', {}, { userId: 1.5 }), "'options.userId' must be a string or a whole number",
    ],
    'a user who is undefined': [
        (t) => t.analytics.track('X', {}, { userId: undefined }),
        "'options.userId' is given and has no value. Leave it out to mean the client's own.",
    ],
    'a user who is a promise': [
        (t) => t.analytics.track('X', {}, { userId: Promise.resolve('u1') }),
        "'options.userId' must be a string or a whole number, and is of type Promise.",
    ],
    'a visitor who is a function': [
        (t) => t.analytics.track('X', {}, { anonymousId: () => 'v1' }),
        "'options.anonymousId' must be a string or a whole number, and is of type function.",
    ],
    'a time that is a function': [
        (t) => t.analytics.track('X', {}, { timestamp: () => 1 }), "'options.timestamp' must be a string, and is of type function.",
    ],
    'a group that is null': [
        (t) => t.analytics.identify('u1', {}, { groupId: null }), "'options.groupId' is given and has no value.",
    ],
    'a blank visitor': [(t) => t.analytics.track('X', {}, { anonymousId: ' ' }), "'options.anonymousId' is blank."],
    'a misspelled user': [
        (t) => t.analytics.track('X', {}, { userID: 'u1' }), "'options.userID' is not known; did you mean 'userId'?",
    ],
    'a misspelled visitor': [(t) => t.analytics.page('X', {}, { anonymousld: 'v1' }), "did you mean 'anonymousId'?"],
    'a misspelled group': [(t) => t.analytics.track('X', {}, { group_id: 'g1' }), "did you mean 'groupId'?"],
    'a group with a long id': [
        (t) => t.analytics.page('X', {}, { groupId: 'é'.repeat(513) }), "'options.groupId' has more than 1,024 bytes.",
    ],
    'a time that is none': [
        (t) => t.analytics.track('X', {}, { timestamp: '2025-13-01T00:00:00Z' }), "'options.timestamp' must be a date and time",
    ],
    'a time without a zone': [
        (t) => t.analytics.track('X', {}, { timestamp: '2025-01-01T00:00:00' }), "'options.timestamp' must be a date and time",
    ],
    'a context that is an array': [(t) => t.analytics.track('X', {}, { context: [] }), "'options.context' must be an object"],
}

const raise = () => {
    throw new Error('boom')
}
const revoked = () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
}

/** Tracking calls with a value that throws when it is read. */
const UNREADABLE = {
    'a getter in the options': (t) => t.analytics.track('A', {}, { get userId() { return raise() } }),
    'a getter of the message id': (t) => t.track('A', {}, null, { get messageId() { return raise() } }),
    'options that are a revoked proxy': (t) => t.analytics.track('A', {}, revoked()),
    'options without keys': (t) => t.analytics.track('A', {}, new Proxy({}, { ownKeys: raise })),
    'properties that are a revoked proxy': (t) => t.track('A', revoked()),
    'a name that is a revoked proxy': (t) => t.track(revoked()),
    'an id without a text': (t) => t.analytics.identify({ toString: raise }),
    'an id with a getter': (t) => t.analytics.identify({ get toJSON() { return raise() } }),
    'an error that has no text': (t) => t.identify({ toString() { throw { get message() { return raise() } } } }),
    'a getter in the scope': (t) => t.analytics.with({ get userId() { return raise() } }, () => t.analytics.track('A')),
    'a scope that is a revoked proxy': (t) => t.analytics.with(revoked(), () => t.analytics.track('A')),
    'an id of a scope without a text': (t) => t.analytics.with({ userId: { toString: raise } }, () => t.analytics.track('A')),
}

test('an argument that must be a whole number may be a BigInt', () => {
    const row = { params: [{ name: 'stars', kind: 'integer', isRequired: true, fault: 'INVALID_VALUE' }], gives: 'outcome' }

    assert.equal(writeParams(row, [-5n], { maxBytes: 1000, warn: assert.fail }), '{"stars":-5}')
})

test('an argument may have 128 levels in every call, and one more is told and never thrown', { skip: withoutHost }, async (t) => {
    const { tracker } = await realTracker(t)
    const deep = (levels) => JSON.parse('{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1))
    const { analytics, basic } = tracker
    await analytics.initialize({ writeKey: 'k', ingestionHost: 'http://127.0.0.1:9' })
    await basic.initialize('k', 'http://127.0.0.1:9')

    await analytics.setDefaults({ a: 1 }, deep(128))
    assert.equal((await basic.identify('u1', deep(128))).status, 'queued')
    assert.equal((await analytics.identify('u1', deep(128))).status, 'queued')
    await assert.rejects(analytics.setDefaults({ a: 1 }, deep(129)), { code: 'SERIALIZATION_ERROR' })
    assert.equal((await basic.identify('u1', deep(129))).reason, 'SERIALIZATION_ERROR')
    await assert.rejects(tracker.init('925', deep(128)), { code: 'INVALID_CONFIGURATION' })
})

suite('a wrong argument of a tracking call', () => {
    for (const [what, [call, reason, words]] of Object.entries(WRONG)) {
        test(`is an outcome and a warning with the caller's line: ${what}`, async (t) => {
            const { tracker, warnings } = fakeTracker(t)

            const { fault, ...outcome } = await call(tracker)
            assert.deepEqual(outcome, { status: 'dropped', reason })

            assert.equal(warnings.length, 1)
            assert.ok(warnings[0].includes(words), warnings[0])
            assert.match(warnings[0], / \(at .*client-arguments\.test\.js:\d+:\d+\)$/)
        })
    }

    test('that no host sees has its kind and its limits as data', async (t) => {
        const { tracker } = fakeTracker(t)
        const given = { reason: 'wrongKind', option: 'attributes', expected: 'object', given: 'function' }

        assert.deepEqual((await tracker.track('X', () => 1)).fault, given)
        assert.deepEqual((await tracker.identify(2 ** 53)).fault, { reason: 'inexact', option: 'userId', type: 'BigInt' })
    })

    for (const [what, [call, reason, option, words, hint = '']] of Object.entries(OTHER_KIND)) {
        test(`is one with the host's words for the kind that it must have: ${what}`, { skip: withoutHost }, async (t) => {
            const { tracker, warnings } = await realTracker(t)

            const { fault, ...outcome } = await call(tracker)

            assert.deepEqual(outcome, { status: 'dropped', reason })
            assert.equal(fault.option, option)
            assert.equal(sentenceOf(fault.reason, fault), `'${option}' ${words}`)
            assert.equal(warnings.length, 1)
            assert.ok(warnings[0].includes(` was dropped: ${reason}. '${option}' ${words}.${hint} (at `), warnings[0])
            assert.match(warnings[0], / \(at .*client-arguments\.test\.js:\d+:\d+\)$/)
        })
    }

    for (const [what, [call, words]] of Object.entries(REFUSED)) {
        test(`is one with the host's words: ${what}`, { skip: withoutHost }, async (t) => {
            const { tracker, warnings, collector, config } = await realTracker(t)
            await tracker.init('925', config())
            await tracker.analytics.initialize({ writeKey: 'w', ingestionHost: collector.url })

            const outcome = await call(tracker)

            assert.deepEqual([outcome.status, outcome.reason], ['dropped', 'INVALID_VALUE'])
            assert.equal(warnings.length, 1)
            assert.ok(warnings[0].includes(words), warnings[0])
            assert.match(warnings[0], / \(at .*client-arguments\.test\.js:\d+:\d+\)$/)
        })
    }

    for (const [what, call] of Object.entries(UNREADABLE)) {
        test(`that throws drops the call: ${what}`, { skip: withoutHost }, async (t) => {
            const { tracker, warnings } = await realTracker(t)

            const { fault, ...outcome } = await call(tracker)
            assert.deepEqual([outcome, fault.reason], [{ status: 'dropped', reason: 'SERIALIZATION_ERROR' }, 'unreadable'])

            assert.equal(warnings.length, 1)
            assert.ok(warnings[0].includes(`SERIALIZATION_ERROR. ${sentenceOf('unreadable', fault)}. (at `), warnings[0])
            assert.match(warnings[0], / cannot be read: .* \(at .*client-arguments\.test\.js:\d+:\d+\)$/)
        })
    }

    test('has the line in its warning behind thousands of calls that wait too', async (t) => {
        const { tracker, warnings } = fakeTracker(t)
        const calls = Array.from({ length: 3000 }, () => tracker.track('X'))

        const outcome = await tracker.track(() => 'X')
        assert.deepEqual([outcome.reason, outcome.fault.reason, outcome.fault.option], ['INVALID_EVENT_NAME', 'wrongKind', 'eventName'])

        assert.match(warnings[0], / \(at .*client-arguments\.test\.js:\d+:\d+\)$/)
        await Promise.all(calls)
    })

    test('does not end a service, whether it is awaited or not', { skip: withoutHost }, async (t) => {
        const { tracker, warnings } = await realTracker(t)
        const server = createServer(async (request, response) => {
            tracker.identify(1.5)
            const { reason } = await tracker.track(request.headers['x-event'])
            response.end(reason)
        })
        await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
        t.after(() => server.close())

        const answer = await fetch(`http://127.0.0.1:${server.address().port}/`, { headers: { connection: 'close' } })

        assert.equal(await answer.text(), 'INVALID_EVENT_NAME')
        assert.equal(warnings.length, 2)
    })

    test('that only the host finds is an outcome as well', async (t) => {
        const fault = { reason: 'wrongKind', option: 'eventName', expected: 'string' }
        const data = { code: 'INVALID_PARAMS', method: 'track', param: 'eventName', fault }
        const error = { code: -32602, message: "track: 'eventName' must be a string", data }
        const { tracker, warnings } = fakeTracker(t, { errors: { track: error } })

        assert.deepEqual(await tracker.track('X'), { status: 'dropped', reason: 'INVALID_VALUE', fault })
        assert.ok(warnings[0].includes("INVALID_VALUE. 'eventName' must be a string. (at "), warnings[0])
    })

    test('is no warning with warnings: false', async (t) => {
        const warnings = captureWarnings(t)
        const tracker = createTracker({ warnings: false })

        assert.equal((await tracker.track(undefined)).status, 'dropped')
        assert.deepEqual(warnings, [])
    })
})

suite('what has no effect is told', () => {
    const calls = {
        'a misspelled message id': [
            (t) => t.track('X', {}, {}, { messageID: 'm1' }), "the option 'messageID' has no effect: it is not known", "the nearest is 'messageId'",
        ],
        'a user of a call of the tracker': [
            (t) => t.track('X', {}, {}, { userId: 'u1' }), "the option 'userId' has no effect: it is not known",
        ],
        'a misspelled time of an analytics call': [
            (t) => t.analytics.track('X', {}, { timestmp: '2025-01-01T00:00:00Z' }), "the option 'timestmp' has no effect",
            "the nearest is 'timestamp'",
        ],
        'any other option': [(t) => t.reset(true, { retries: 3 }), "reset: the option 'retries' has no effect"],
        'a message id among the metadata': [
            (t) => t.track('X', {}, { messageId: 'm1' }), "'messageId' is in metadata",
            '(eventName, attributes, metadata, { messageId })',
        ],
        'a function among the attributes': [
            (t) => t.track('X', { a: { then: () => 1 } }), "'attributes.a.then' is of type function, which JSON does not have; it is left out",
        ],
    }
    for (const [what, [call, ...words]] of Object.entries(calls)) {
        test(`of ${what}, with the caller's line, and the call is made`, async (t) => {
            const { tracker, warnings, lives } = fakeTracker(t)

            await call(tracker)

            assert.equal(warnings.length, 1)
            for (const word of words) assert.ok(warnings[0].includes(word), warnings[0])
            assert.match(warnings[0], /client-arguments\.test\.js:\d+:\d+\)$/)
            assert.equal(lives()[0].length, 1)
        })
    }

    for (const [where, call] of Object.entries({
        attributes: (t, data) => t.track('ERROR', data),
        metadata: (t, data) => t.track('ERROR', {}, data),
        profileData: (t, data) => t.set(data),
    })) {
        test(`of a message id among the ${where} in any spelling, and of no other word`, async (t) => {
            const { tracker, warnings } = fakeTracker(t)
            const meant = ['messageId', 'messageid', 'message_id', 'MessageID', 'message-id', 'mesageId', 'messageIdd', 'messagId']
            const others = ['message', 'messages', 'Message', 'messageIds', 'message_ids', 'messaged', 'massageId', 'imageId']

            for (const key of [...meant, ...others]) await call(tracker, { [key]: 'no' })

            const named = warnings.map((warning) => / '(\S+)' is in (\w+), /.exec(warning).slice(1))
            assert.deepEqual(named, meant.map((key) => [key, where]))
        })
    }

    test('of an option of createTracker, with the nearest', (t) => {
        const warnings = captureWarnings(t)

        createTracker({ hostArgument: [] })

        const words = "createTracker: the option 'hostArgument' has no effect: it is not known, and the nearest is 'hostArguments'."
        assert.deepEqual(warnings, [`[MobileTracker] ${words}`])
    })
})

suite('createTracker refuses', () => {
    const wrong = {
        'no object': [null, 'the options must be an object'],
        'a host that is no path': [{ hostPath: new URL('file:///bin/true') }, "'hostPath' must be a string"],
        'arguments in one string': [{ hostArguments: '--storage-dir /tmp' }, "'hostArguments' must be an array of strings"],
        'arguments that are no strings': [{ hostArguments: ['--max', 1] }, "'hostArguments' must be an array of strings"],
        'a misspelled place for the log': [{ stderr: 'ignroe' }, "'stderr' must be 'inherit' or 'ignore'"],
        'a name that is no string': [{ appName: 7 }, "'appName' must be a string"],
        'a logger without a method': [{ logger: {} }, "'logger' must be an object with one of the methods debug, info, warn and error"],
        'a filter that is no function': [{ beforeSend: 7 }, "'beforeSend' must be a function"],
    }
    for (const [what, [options, sentence]] of Object.entries(wrong)) {
        test(`${what} at once`, () => {
            assert.throws(() => createTracker(options), { name: 'TypeError', message: `createTracker: ${sentence}.` })
        })
    }
})

suite('any other call', () => {
    const error = { code: 1001, message: 'Brand ID must be a number', data: { code: 'INVALID_BRAND_ID' } }

    test('with a value that throws rejects', async (t) => {
        const { tracker } = fakeTracker(t)

        await assert.rejects(tracker.init('925', { get apiUrl() { return raise() } }), { code: 'SERIALIZATION_ERROR' })
        await assert.rejects(tracker.reset(false, { get messageId() { return raise() } }), { code: 'SERIALIZATION_ERROR' })
    })

    test('rejects with the caller\'s line in the stack', async (t) => {
        const { tracker, warnings } = fakeTracker(t, { errors: { init: error, setConsent: error, getSessionId: error } })

        for (const call of [
            () => tracker.init('x', config), () => tracker.setConsent('granted'), () => tracker.getSessionId(),
            () => tracker.init('\ud800'), () => tracker.getCrossDomainUrl('\ud800'),
        ]) {
            const thrown = await call().catch((caught) => caught)
            assert.match(thrown.stack, /^MobileTrackerError: .*\n.*client-arguments\.test\.js/)
        }
        assert.deepEqual(warnings, [])
    })

    test('warns of a rejection that is not handled', async (t) => {
        const { tracker, warnings } = fakeTracker(t, { errors: { init: error } })

        tracker.init('x', config)
        tracker.init('\ud800')
        await tracker.track('A')
        await new Promise((resolve) => setImmediate(resolve))
        await new Promise((resolve) => setImmediate(resolve))

        assert.equal(warnings.length, 2)
        assert.match(warnings[0], /init failed, and its error was not handled: INVALID_BRAND_ID: init: 'brandId' holds half a surrogate pair, which is no character\. \(at /)
        assert.match(warnings[1], /init failed, and its error was not handled: INVALID_BRAND_ID: Brand ID must be a number \(at .*:\d+\)$/)
    })

    test('gives promises that all combinators take', async (t) => {
        const { tracker } = fakeTracker(t, { errors: { init: error } })

        const results = await Promise.allSettled([tracker.init('x', config), tracker.track('A'), tracker.flush()])

        assert.deepEqual(results.map(({ status }) => status), ['rejected', 'fulfilled', 'fulfilled'])
        assert.equal(await tracker.track('A').then(({ status }) => status).finally(() => {}), 'queued')
    })
})

suite('calls that the state of the tracker drops', () => {
    const early = { track: { status: 'dropped', reason: 'NOT_INITIALIZED' } }

    test('are one warning with a count', async (t) => {
        // However long the answers take, they come within the time that is gathered.
        t.mock.timers.enable({ apis: ['setTimeout'] })
        const { tracker, warnings } = fakeTracker(t, { results: early })

        await Promise.all(Array.from({ length: 1000 }, (_, i) => tracker.track(`E${i}`)))
        t.mock.timers.tick(1000)

        assert.equal(warnings.length, 1)
        assert.match(warnings[0], /1,000 calls were dropped: NOT_INITIALIZED\. .*Call init\(\) first\. The first was track "E0" \(at /)
    })

    test('one after the other are a warning, and a count when calls are accepted again', async (t) => {
        const { tracker, warnings } = fakeTracker(t, { results: early })

        for (let i = 0; i < 10; i++) await tracker.track(`E${i}`)
        assert.equal(warnings.length, 1)
        await tracker.identify('u1')

        assert.equal(warnings.length, 2)
        assert.match(warnings[0], /track "E0" was dropped: NOT_INITIALIZED/)
        assert.match(warnings[1], /9 more calls were dropped: NOT_INITIALIZED/)
    })

    test('name what initialises their client', async (t) => {
        const dropped = { status: 'dropped', reason: 'NOT_INITIALIZED' }
        const { tracker, warnings } = fakeTracker(t, { results: { 'basic.track': dropped } })

        await tracker.basic.track('A')

        assert.match(warnings[0], /basic\.track "A" was dropped: .* Call basic\.initialize\(\) first\./)
    })
})

suite('ids', () => {
    class UUID {
        toString() {
            return '123E4567-e89b-12d3-a456-426614174000'
        }
    }
    const ids = { 'a number': [42, '42'], 'a BigInt': [2n ** 64n, '18446744073709551616'], 'a UUID': [new UUID(), String(new UUID())] }
    for (const [what, [id, text]] of Object.entries(ids)) {
        test(`may be ${what}, which stands for its text`, async (t) => {
            const { tracker, lives } = fakeTracker(t)
            const { analytics, basic } = tracker

            await tracker.identify(id)
            await analytics.identify(id)
            await analytics.group(id)
            await analytics.alias(id)
            await basic.identify(id)
            await analytics.track('A', null, { userId: id, anonymousId: id, groupId: id })

            const sent = lives()[0].map(({ params: { messageId, event, options, ...rest } }) => Object.values(options ?? rest))
            assert.deepEqual(sent, [[text], [text], [text], [text], [text], [text, text, text]])
        })
    }

    /** Those of brands are texts. */
    const TEXTS = ['brandId']

    test('stand for their text in every call, in its options and in its scope', async (t) => {
        const { tracker, lives } = fakeTracker(t)
        const namesOf = (members) => members.filter(({ kind }) => kind === 'id').map(({ name }) => name)
        const filled = (members, id) => Object.fromEntries(namesOf(members).map((name) => [name, id]))
        const expected = []
        for (const [method, { params, options = [], isScoped }] of Object.entries(METHODS)) {
            const named = [...params, ...options, ...SCOPE].filter(({ name }) => name.endsWith('Id') && !TEXTS.includes(name))
            for (const { name, kind } of named) assert.equal(kind, 'id', `${method}: ${name}`)
            if (!isScoped && namesOf(params).length === 0) continue
            const [name, client] = method.split('.').reverse()
            const call = (client ? tracker[client] : tracker)[name]
            for (const [id, text] of Object.values(ids)) {
                const args = params.map(({ kind }) => (kind === 'id' ? id : kind === 'string' ? 'x' : null))
                await tracker.analytics.with(filled(SCOPE, id), () => call(...args, filled(options, id)))
                expected.push([method, filled(params, text), filled(options, text), isScoped ? [filled(SCOPE, text)] : []])
            }
        }

        const sent = lives()[0].map(({ method, params: { options = {}, scope = [], ...own } }) => [
            method, Object.fromEntries(namesOf(METHODS[method].params).map((name) => [name, own[name]])), options, scope,
        ])
        assert.deepEqual(sent, expected)
    })
})

suite('a setup in another shape', { skip: withoutHost }, () => {
    const shapes = [
        ['analytics', 'initialize', ['key', { ingestionHost: 'https://a' }], /'options' must be an object, such as \{"writeKey": "key", "ingestionHost": "https:/],
        ['analytics', 'initialize', [{ options: { writeKey: 'k' } }], /'options' is not known, and holds 'writeKey': give that without 'options' around it/],
        ['analytics', 'initialize', [{ writeKey: 'k', api: 'RudderStack' }], /'api' must be .* \(for 'RudderStack' it is 'segment'\)$/],
        ['analytics', 'initialize', [{ writeKey: 'k', api: 'posthog' }], /'api' must be .* \(did you mean 'postHog'\?\)$/],
        [null, 'init', ['925', 'https://a', 'key'], /'config' must be an object, such as \{"apiUrl": "https:.*", "xApiKey": "key"\}/],
        [null, 'init', ['925', { config: { apiUrl: 'https://a' } }], /'config' is not known, and holds 'apiUrl'/],
    ]
    for (const [client, method, args, sentence] of shapes) {
        test(`says which is right: ${method} of ${JSON.stringify(args)}`, async (t) => {
            const { tracker } = await realTracker(t)

            await assert.rejects((client ? tracker[client] : tracker)[method](...args), sentence)
        })
    }
})
