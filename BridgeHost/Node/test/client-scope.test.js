import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'
import { suite, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { currentScope } from '../src/client/scope.js'
import { createTracker } from '../src/client/tracker.js'
import { doubling } from '../testsupport/doubling.js'
import { KEY, problemsOf, realTracker, withoutHost } from '../testsupport/real-host.js'
import { afterwards, fakeTracker, inTime } from '../testsupport/hosts.js'

/** A tracker whose analytics client is ready and belongs to the user `own`, and what the backend has got since. */
async function analyticsOf(t, changes = {}) {
    const { tracker, collector, ...rest } = await realTracker(t)
    await tracker.analytics.initialize({ writeKey: KEY, ingestionHost: collector.url, maxBatchSize: 1000, ...changes })
    await tracker.analytics.identify('own')
    const events = async () => {
        await tracker.analytics.flush()
        const batches = collector.received({ kind: 'batch', accepted: true, repeats: false })
        return batches.flatMap(({ body }) => body.batch).slice(1)
    }
    return { tracker, analytics: tracker.analytics, collector, events, ...rest }
}

/** The ids of events. */
const idsOf = (events) => events.map(({ userId, anonymousId, groupId }) => [userId, anonymousId, groupId])

suite('analytics.with', { skip: withoutHost }, () => {
    test('files 1,000 interleaved requests each under its own user', async (t) => {
        const { analytics, collector, events } = await analyticsOf(t)
        const steps = [
            async () => pause(1),
            async () => new Promise((resolve) => setImmediate(resolve)),
            async () => new Promise((resolve) => process.nextTick(resolve)),
            async () => {
                for await (const _ of Readable.from(['a', 'b'])) await null
            },
            async () => analytics.track('Awaited'),
        ]
        const request = (user) => analytics.with({ userId: user, properties: { user }, context: { user } }, async () => {
            for (let i = 0; i < steps.length; i++) {
                await steps[(user + i) % steps.length]()
                void analytics.track('Step', { step: i })
            }
            return user
        })

        const results = await inTime(Promise.all(Array.from({ length: 1000 }, (_, user) => request(user))))

        assert.deepEqual(results, Array.from({ length: 1000 }, (_, user) => user))
        const all = await events()
        assert.equal(all.length, 6000)
        assert.ok(all.every(({ userId, properties, context }) =>
            userId === String(properties.user) && context.user === properties.user))
        assert.ok(all.every(({ anonymousId, groupId }) => anonymousId === undefined && groupId === undefined))
        assert.equal((await analytics.getDebugInfo()).userId, 'own')
        assert.deepEqual(problemsOf(collector), [])
    })

    test('holds in the handlers of a server of node:http', async (t) => {
        const { analytics, events } = await analyticsOf(t)
        const server = createServer((request, response) => {
            const user = request.headers['x-user']
            void analytics.with(user ? { userId: user } : { anonymousId: 'nobody' }, async () => {
                // A listener runs in the scope of whoever emits, unless it is bound to that in which it is added.
                request.once('end', AsyncResource.bind(() => void analytics.track('Ended', { user })))
                for await (const chunk of request) void analytics.track('Read', { user, chunk: String(chunk) })
                response.end((await analytics.track('Answered', { user })).status)
            })
        })
        server.listen(0, '127.0.0.1')
        afterwards(t, () => new Promise((resolve) => server.close(resolve)))
        await once(server, 'listening')
        const url = `http://127.0.0.1:${server.address().port}/`

        const answers = await inTime(Promise.all(Array.from({ length: 100 }, async (_, i) => {
            const headers = i % 10 === 0 ? {} : { 'x-user': `u${i}` }
            return (await fetch(url, { method: 'POST', body: 'x', headers })).text()
        })))

        assert.ok(answers.every((answer) => answer === 'queued'))
        const all = await events()
        assert.equal(all.length, 300)
        assert.ok(all.every(({ userId, anonymousId, properties: { user } }) =>
            userId === user && (anonymousId === 'nobody') === (user === undefined)))
    })

    test('yields to the call, and an inner scope to nothing of another user', async (t) => {
        const { analytics, events } = await analyticsOf(t)
        await analytics.setDefaults({ release: 1, a: 'default' }, { app: { name: 'Shop' }, region: 'eu' })
        const outer = {
            userId: 7n, anonymousId: 'v', groupId: 'g', properties: { a: 'scope', b: 'scope' }, context: { region: 'us' },
        }

        await analytics.with(outer, async () => {
            await analytics.track('Scope', { b: 'call' })
            await analytics.track('Call', null, { groupId: 'g2', context: { region: 'call' } })
            await analytics.track('Another', null, { userId: 'u2' })
            await analytics.with({ properties: { b: 'inner' } }, () => analytics.track('Inner'))
            await analytics.with({ userId: 'u3' }, () => analytics.page('Another inner'))
            await analytics.identify('7', { plan: 'pro' })
            await analytics.alias('u9')
        })
        await analytics.track('Outside')

        const [scope, call, another, inner, anotherInner, identify, alias, outside] = await events()
        assert.deepEqual(scope.properties, { release: 1, a: 'scope', b: 'call' })
        assert.deepEqual([scope.context.region, scope.context.app], ['us', { name: 'Shop' }])
        assert.deepEqual([call.context.region, call.properties], ['call', { release: 1, a: 'scope', b: 'scope' }])
        assert.deepEqual(inner.properties, { release: 1, a: 'scope', b: 'inner' })
        assert.deepEqual(identify.traits, { plan: 'pro' })
        assert.deepEqual(outside.properties, { release: 1, a: 'default' })
        assert.deepEqual(idsOf([scope, call, another, inner, anotherInner, identify, alias]), [
            ['7', 'v', 'g'], ['7', 'v', 'g2'], ['u2', undefined, undefined], ['7', 'v', 'g'],
            ['u3', undefined, undefined], ['7', 'v', 'g'], ['u9', 'v', 'g'],
        ])
        assert.equal(outside.userId, 'own')
        assert.equal((await analytics.getDebugInfo()).userId, 'own')
    })

    test('that code schedules in itself does not nest, while any other does', async (t) => {
        const { analytics, events } = await analyticsOf(t)
        const scope = { userId: 'u1', properties: { a: 1 } }
        const sizes = []
        const poll = (rounds) => analytics.with(scope, async () => {
            sizes.push(currentScope().text.length)
            void analytics.track('Polled')
            await new Promise((resolve) => setImmediate(resolve))
            if (rounds > 1) await poll(rounds - 1)
        })

        await poll(50)
        await analytics.with(scope, () => analytics.with({ userId: 'u2' }, () => analytics.with(scope, () => {
            assert.deepEqual(JSON.parse(currentScope().text), [scope, { userId: 'u2' }, scope])
        })))

        assert.deepEqual(new Set(sizes), new Set([JSON.stringify([scope]).length]))
        const all = await events()
        assert.equal(all.length, 50)
        assert.ok(all.every(({ userId, properties }) => userId === 'u1' && properties.a === 1))
    })

    for (const scope of [
        { userId: undefined }, { userId: null }, { anonymousId: '' }, { userId: ' ' }, { user_id: 'u1' }, { userId: true },
    ]) {
        test(`drops every call in ${JSON.stringify(scope)}, and names the scope`, async (t) => {
            const { analytics, warnings, events } = await analyticsOf(t)

            const outcomes = await analytics.with(scope, () =>
                Promise.all([analytics.track('A'), analytics.track('B', {}, { userId: 'u1' })]))

            assert.deepEqual(outcomes.map(({ reason }) => reason), ['INVALID_VALUE', 'INVALID_VALUE'])
            assert.match(warnings[0], /'scope\.\w+' (is|must be)/)
            assert.deepEqual(await events(), [])
        })
    }

    test('drops the calls in a scope that JSON cannot hold, at their own lines', async (t) => {
        const { analytics, warnings } = await analyticsOf(t)

        const { reason } = await analytics.with({ userId: 'u1', properties: { n: NaN } }, () => analytics.track('A'))

        assert.equal(reason, 'SERIALIZATION_ERROR')
        assert.match(warnings[0], /'scope\.properties\.n' is NaN.*client-scope\.test\.js/s)
    })

    test('and the options of a call may be a Map', async (t) => {
        const { analytics, events } = await analyticsOf(t)

        await analytics.with(new Map([['userId', 'u1']]), () => analytics.track('A'))
        await analytics.track('B', {}, new Map([['userId', 2n]]))
        const { reason } = await analytics.track('C', {}, new Map([['userId', undefined]]))

        assert.equal(reason, 'INVALID_VALUE')
        assert.deepEqual((await events()).map(({ userId }) => userId), ['u1', '2'])
    })

    test('drops the calls in a scope of far more than the host takes, and reads little of it', async (t) => {
        const { tracker: { analytics } } = fakeTracker(t, { maxMessageBytes: 10_000 })
        await analytics.track('A')

        const { reason } = await analytics.with({ userId: 'u1', properties: doubling() }, () => analytics.track('B'))

        assert.equal(reason, 'TOO_LARGE')
    })

    test('refuses arguments that are no scope and no function, and returns or throws what the function does', (t) => {
        const { tracker: { analytics } } = fakeTracker(t)

        assert.throws(() => analytics.with('u1', () => {}), TypeError)
        assert.throws(() => analytics.with({ userId: 'u1' }), TypeError)
        assert.throws(() => analytics.with({}, () => { throw new RangeError('own') }), RangeError)
        assert.equal(analytics.with({}, () => 1), 1)
    })

    test('takes no identifier of an advertiser, which is that of the own user', async (t) => {
        const { analytics } = await analyticsOf(t)

        const inside = await analytics.with({ userId: 'u1' }, () => analytics.setAdvertisingId('ad-1'))
        const nobody = await analytics.with({ properties: {} }, () => analytics.setAdvertisingId('ad-1'))

        assert.deepEqual([inside.reason, nobody.status], ['INVALID_VALUE', 'queued'])
    })
})

const EXPRESS = fileURLToPath(new URL('../../../.build/express/node_modules/', import.meta.url))

test('the middleware for Express on the page gives each request its user', {
    skip: withoutHost || (existsSync(EXPRESS) ? false : 'Express is not there; .ci/setup tests unpacks it'),
}, async (t) => {
    const { analytics, events } = await analyticsOf(t)
    const page = readFileSync(new URL('../../../Docs/Node.md', import.meta.url), 'utf8')
    const [, middleware] = /^```js\n(app\.use\(.*analytics\.with.*)\n```$/m.exec(page)
    const personOf = ({ headers }) => ({ userId: headers['x-user'] })
    const express = createRequire(EXPRESS)('express')
    const app = express()
    app.use(express.json())
    new Function('app', 'analytics', 'personOf', middleware)(app, analytics, personOf)
    app.use((request, response, next) => setTimeout(next, 1))
    app.post('/', async (request, response) => {
        await pause(1)
        response.send((await analytics.track('Served', request.body)).status)
    })
    const server = app.listen(0, '127.0.0.1')
    afterwards(t, () => new Promise((resolve) => server.close(resolve)))
    await once(server, 'listening')
    const url = `http://127.0.0.1:${server.address().port}/`

    const answers = await inTime(Promise.all(Array.from({ length: 200 }, async (_, i) => {
        const headers = { 'x-user': `u${i}`, 'content-type': 'application/json' }
        return (await fetch(url, { method: 'POST', body: JSON.stringify({ user: `u${i}` }), headers })).text()
    })))

    assert.ok(answers.every((answer) => answer === 'queued'))
    const all = await events()
    assert.equal(all.length, 200)
    assert.ok(all.every(({ userId, properties }) => userId === properties.user))
})

suite('beforeSend in a scope', { skip: withoutHost }, () => {
    test('sees what the scopes give, and may change it', async (t) => {
        const seen = []
        const beforeSend = (call) => {
            seen.push(structuredClone(call.scope))
            for (const scope of call.scope ?? []) delete scope.properties?.email
        }
        const { analytics, events } = await analyticsOf(t, { beforeSend })

        await analytics.with({ userId: 'u1', properties: { email: 'a@example.com', plan: 'pro' } }, () =>
            analytics.with({ groupId: 'g' }, () => analytics.track('A')))

        const [event] = await events()
        assert.deepEqual(seen.at(-1), [
            { userId: 'u1', properties: { email: 'a@example.com', plan: 'pro' } }, { groupId: 'g' },
        ])
        assert.deepEqual([event.userId, event.groupId, event.properties], ['u1', 'g', { plan: 'pro' }])
    })

    test('may put ids there, which stand for their text as in an option', async (t) => {
        const uuid = '123e4567-e89b-12d3-a456-426614174000'
        const visitor = new Map([['anonymousId', { toString: () => uuid }], ['groupId', 2n ** 64n]])
        const scope = [{ userId: 42, properties: { n: 1 } }, visitor]
        const beforeSend = (call) => (call.name ? { ...call, scope } : call)
        const { analytics, events } = await analyticsOf(t, { beforeSend })

        await analytics.track('A')
        await analytics.with({ userId: 'u1' }, () => analytics.track('B'))

        const all = await events()
        assert.deepEqual(idsOf(all), Array(2).fill(['42', uuid, String(2n ** 64n)]))
        assert.deepEqual(all.map(({ properties }) => properties), Array(2).fill({ n: 1 }))
    })

    const faults = {
        'an id that is not exact': [
            [{}, { userId: 2 ** 53 }], 'INVALID_VALUE', /'scope\[1\]\.userId' is a number too large to be exact/,
        ],
        'a promise as an id': [[{ userId: Promise.resolve('u2') }], 'INVALID_VALUE', /'scope\[0\]\.userId' must be .*, and is of type Promise/],
        'an id of JSON without a value': [
            [{ userId: { toJSON() {} } }], 'INVALID_VALUE', /'scope\.userId' is given and has no value/,
        ],
        'a boxed id that is not exact': [
            [{ userId: Object(2 ** 53) }], 'INVALID_VALUE', /'scope\[0\]\.userId' is a number too large to be exact/,
        ],
        'an id without a value': [[{ userId: undefined }], 'INVALID_VALUE', /'scope\.userId' is given and has no value/],
        'an id that is none': [[{ groupId: {} }], 'INVALID_VALUE', /'scope\.groupId' must be a string or a whole number/],
        'what JSON cannot hold': [[{ properties: { n: NaN } }], 'SERIALIZATION_ERROR', /'scope\[0\]\.properties\.n' is NaN/],
        'no list': [new Set([{ userId: 2 ** 53 }]), 'INVALID_VALUE', /'scope' must be an array\./],
        'no value of a scope': [[7], 'INVALID_VALUE', /'scope' must be an object/],
    }
    for (const [what, [scope, reason, words]] of Object.entries(faults)) {
        test(`that puts ${what} there drops the call for the reason that an option has`, async (t) => {
            const beforeSend = (call) => (call.name === 'A' ? { ...call, scope } : call)
            const { analytics, events, warnings } = await analyticsOf(t, { beforeSend })

            const outcome = await analytics.with({ userId: 'u1' }, () => analytics.track('A', {}, { userId: 'u1' }))

            assert.equal(outcome.reason, reason)
            assert.match(warnings[0], words)
            assert.deepEqual(await events(), [])
        })
    }

    test('that takes the person away drops the call', async (t) => {
        const beforeSend = (call) => (call.name === 'A' ? { ...call, scope: [] } : call)
        const { analytics, events } = await analyticsOf(t, { beforeSend })

        const { reason } = await analytics.with({ userId: 'u1' }, () => analytics.track('A'))

        assert.equal(reason, 'INVALID_VALUE')
        assert.deepEqual(await events(), [])
    })
})

suite('analytics.setDefaults', { skip: withoutHost }, () => {
    test('holds again after the host was killed, and over a reset', async (t) => {
        const { analytics, collector, events, pid } = await analyticsOf(t)
        await analytics.setDefaults({ release: 1 }, null)
        await analytics.setDefaults({ release: 2 })
        process.kill(pid(), 'SIGKILL')
        await analytics.track('After a crash')
        const [crashed] = await events()
        await analytics.reset()
        await analytics.initialize({ writeKey: KEY, ingestionHost: collector.url })
        await analytics.track('After a reset')

        const all = await events()
        assert.deepEqual(crashed.properties, { release: 2 })
        assert.deepEqual(all.at(-1).properties, { release: 2 })
    })

    test('takes properties and context one after the other, or both in an object', async (t) => {
        const { analytics, events } = await analyticsOf(t)
        const forms = [
            [{ release: 1 }, { region: 'eu' }], [{ properties: { release: 1 }, context: { region: 'eu' } }],
            [{ context: { region: 'eu' } }], [{ properties: { release: 1 }, context: null }],
            [{ properties: 1 }], [{ properties: { release: 1 }, release: 2 }], [{ properties: { release: 1 } }, {}],
        ]
        for (const args of forms) {
            await analytics.setDefaults(...args)
            await analytics.track('A')
        }

        const found = (await events()).map(({ properties, context }) => [properties ?? {}, context.region])
        assert.deepEqual(found, [
            [{ release: 1 }, 'eu'], [{ release: 1 }, 'eu'], [{}, 'eu'], [{ release: 1 }, undefined],
            [{ properties: 1 }, undefined], [{ properties: { release: 1 }, release: 2 }, undefined],
            [{ properties: { release: 1 } }, undefined],
        ])
    })

    test('refuses more than 32 KiB, and goes on with those before', async (t) => {
        const { analytics, events } = await analyticsOf(t)
        await analytics.setDefaults({ a: 1 })

        await assert.rejects(analytics.setDefaults({ a: 'x'.repeat(32 * 1024) }), {
            code: 'INVALID_CONFIGURATION', message: /'properties' is too large: all defaults together have \d+ bytes, of 32768/,
        })
        await analytics.track('A')

        assert.deepEqual((await events())[0].properties, { a: 1 })
    })
})

test('a scope costs a program nothing that does not track in it', () => {
    const tracker = createTracker()

    assert.equal(tracker.analytics.with({ userId: 'u1' }, () => 7), 7)
})
