import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { startCollector } from '@mobiletracker/bridge/collector'
import { rowsOf } from '../src/collector/page/event.js'
import { PlanInference } from '../src/plan/infer.js'
import { Plan, PlanError } from '../src/plan/plan.js'
import { COMMAND, runCommand, startCommand } from '../testsupport/commands.js'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { send } from '../testsupport/http.js'
import { run, runProgram } from '../testsupport/programs.js'
import { patientHost, WAIT_MS, withoutHost } from '../testsupport/real-host.js'
import { apiOf } from '../src/collector/apis/index.js'
import { itemsOf } from '../src/collector/items.js'
import { routeOf } from '../src/collector/routes.js'
import { apiSample } from '../testsupport/api-samples.js'
import { analyticsEvent, batchHeaders, sample } from '../testsupport/samples.js'
import { checkTypes, checkTypesIn, withoutCompiler } from '../testsupport/typescript.js'
import { checkSwift, withoutModules } from '../testsupport/swift.js'
import { fileURLToPath, pathToFileURL } from 'node:url'

const inSupport = (name) => fileURLToPath(new URL(`../testsupport/plan/${name}`, import.meta.url))
const SWIFT = fileURLToPath(new URL('../../../Tests/Examples/PlannedEvents.swift', import.meta.url))
const SHOP = JSON.parse(readFileSync(inSupport('plan.json'), 'utf8'))

const planOf = (data, more = {}) => new Plan({ events: { A: { data } }, ...more })
const reasons = (schema, data, more) => planOf(schema, more).judge('A', data).reasons
const faults = (value) => {
    try {
        new Plan(value)
        return []
    } catch (error) {
        assert.ok(error instanceof PlanError)
        return error.faults
    }
}

suite('a plan', () => {
    test('is kept by an event as it should be', () => {
        const plan = new Plan(SHOP)
        const data = { total: 1, currency: 'EUR', items: [{ sku: 'x', price: 0.5 }], coupon: null, extra: [1] }
        assert.deepEqual(plan.judge('PURCHASE', data), { name: 'PURCHASE', verdict: 'kept', reasons: [] })
        assert.equal(plan.judge('LOGOUT', undefined).verdict, 'kept')
    })

    const object = (properties, more = {}) => ({ type: 'object', properties, ...more })
    for (const [what, schema, data, reason] of [
        ['type', object({ a: { type: 'number' } }), { a: '1' }, 'data.a is "1"; it must be a number.'],
        ['one of several types', object({ a: { type: ['integer', 'null'] } }), { a: 1.5 }, 'data.a is 1.5; it must be a whole number or null.'],
        ['enum', object({ a: { enum: ['EUR', 'USD'] } }), { a: 'EURO' }, 'data.a is "EURO"; it must be one of "EUR", "USD" (did you mean "EUR"?).'],
        ['const', object({ a: { const: 2 } }), { a: 3 }, 'data.a is 3; it must be 2.'],
        ['required', object({}, { required: ['a'] }), {}, 'data.a is missing.'],
        ['additionalProperties: false', object({ total: {} }, { additionalProperties: false }), { totl: 1 }, 'data.totl is not in the plan; did you mean total?'],
        ['additionalProperties as a schema', object({}, { additionalProperties: { type: 'string' } }), { a: 1 }, 'data.a is 1; it must be a string.'],
        ['items', object({ a: { type: 'array', items: { type: 'string' } } }), { a: ['x', 1] }, 'data.a[1] is 1; it must be a string.'],
        ['minItems', object({ a: { minItems: 1 } }), { a: [] }, 'data.a is an array; it must have at least 1 element.'],
        ['maxItems', object({ a: { maxItems: 1 } }), { a: [1, 2] }, 'data.a is an array; it must have at most 1 element.'],
        ['uniqueItems', object({ a: { uniqueItems: true } }), { a: [{ b: 1 }, { b: 1 }] }, 'data.a is an array; it must have no element twice.'],
        ['minimum', object({ a: { minimum: 0 } }), { a: -1 }, 'data.a is -1; it must be 0 or more.'],
        ['maximum', object({ a: { maximum: 5 } }), { a: 6 }, 'data.a is 6; it must be 5 or less.'],
        ['exclusiveMinimum', object({ a: { exclusiveMinimum: 0 } }), { a: 0 }, 'data.a is 0; it must be more than 0.'],
        ['exclusiveMaximum', object({ a: { exclusiveMaximum: 5 } }), { a: 5 }, 'data.a is 5; it must be less than 5.'],
        ['multipleOf', object({ a: { multipleOf: 0.01 } }), { a: 0.015 }, 'data.a is 0.015; it must be a multiple of 0.01.'],
        ['minLength', object({ a: { minLength: 2 } }), { a: '😀' }, 'data.a is "😀"; it must have at least 2 characters.'],
        ['maxLength', object({ a: { maxLength: 1 } }), { a: 'ab' }, 'data.a is "ab"; it must have at most 1 characters.'],
        ['pattern', object({ a: { pattern: '^[A-Z]+$' } }), { a: 'a' }, 'data.a is "a"; it must match ^[A-Z]+$.'],
        ['format', object({ a: { format: 'date-time' } }), { a: '31.1.2025' }, 'data.a is "31.1.2025"; it must be a time such as 2025-01-31T09:30:00Z.'],
        ['anyOf', object({ a: { anyOf: [{ type: 'string' }, { minimum: 3, type: 'number' }] } }), { a: 1 }, 'data.a fits none of the 2 forms that the plan allows. The nearest: data.a is 1; it must be a string.'],
        ['oneOf', object({ a: { oneOf: [{ type: 'number' }, { type: 'integer' }] } }), { a: 1 }, 'data.a fits 2 of the forms that the plan allows; it must fit one.'],
        ['allOf', object({ a: { allOf: [{ minimum: 1 }, { maximum: 3 }] } }), { a: 4 }, 'data.a is 4; it must be 3 or less.'],
        ['not', object({ a: { not: { const: '' } } }), { a: '' }, 'data.a is "", which the plan forbids.'],
        ['false', object({ a: false }), { a: 1 }, 'data.a does not belong here.'],
    ]) test(`says in words what breaks it: ${what}`, () => assert.deepEqual(reasons(schema, data), [reason]))

    test('may name definitions, also recursive ones', () => {
        const $defs = { tree: { type: 'object', properties: { next: { $ref: '#/$defs/tree' } }, additionalProperties: false } }
        assert.deepEqual(reasons({ $ref: '#/$defs/tree' }, { next: { next: { nxt: 1 } } }, { $defs }), ['data.next.next.nxt is not in the plan; did you mean next?'])
    })

    test('is not slowed down by a body of the largest size', () => {
        const many = Array.from({ length: 100_000 }, (_, i) => ({ a: i }))
        const list = { type: 'object', properties: { list: { uniqueItems: true, items: { type: 'string' } } } }
        assert.equal(reasons(list, { list: many }).length, 20)
        assert.equal(reasons({ additionalProperties: false }, Object.fromEntries(many.map((_, i) => [`m${i}`, 1]))).length, 20)
    })

    test('forbids other events unless it says otherwise, and names the one that was probably meant', () => {
        assert.deepEqual(planOf(true).judge('AA', {}), { name: 'AA', verdict: 'broken', reasons: ['The event is not in the plan; did you mean A?'] })
        assert.equal(planOf(true, { others: 'allow' }).judge('AA', {}), null)
    })

    for (const [value, fault] of [
        [7, 'The plan is 7; it must be an object with "events".'],
        [{ evnts: {}, events: {} }, 'The plan has "evnts"; did you mean "events"?'],
        [{ events: { A: { dta: {} } } }, 'events.A has "dta"; did you mean "data"?'],
        [{ events: { A: { data: { typ: 'string' } } } }, 'events.A.data has "typ", which plans do not know; did you mean "type"?'],
        [{ events: { A: { data: { type: 'text' } } } }, 'events.A.data.type is "text"; it must be one of string, number, integer, boolean, object, array, null, or a list of them.'],
        [{ events: { A: { data: { properties: { a: { pattern: '(' } } } } } }, 'events.A.data.properties.a.pattern is "("; it must be a regular expression of at most 10000 steps, without lookaround, named groups, references to groups, \\p, \\c and \\0.'],
        [{ events: { A: { data: { $ref: '#/$defs/b' } } }, $defs: { bb: {} } }, 'events.A.data.$ref names "b", which is not in $defs; did you mean "bb"?'],
        [{ events: { A: { data: { $defs: {} } } } }, 'events.A.data has "$defs", which plans do not know; put it beside "events".'],
        [{ events: {}, $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, '$defs.a leads back to itself without looking at a member.'],
        [{ events: {}, $defs: { a: { anyOf: [{ type: 'null' }, { not: { $ref: '#/$defs/a' } }] } } }, '$defs.a leads back to itself without looking at a member.'],
        [{ events: { A: { data: { type: 'object', required: ['a'] }, examples: [{}] } } }, 'events.A.examples[0].a is missing.'],
        [{ events: {}, screens: [] }, 'screens is an array; it must be an object: a name, and what the screen is.'],
        [{ events: {}, screens: { Home: { traits: {} } } }, 'screens.Home has "traits"; known are data, description, examples, $comment.'],
        [{ events: {}, identify: true }, 'identify is true; it must be an object such as {"traits": {…}}.'],
        [{ events: {}, group: { traits: { typ: 1 } } }, 'group.traits has "typ", which plans do not know; did you mean "type"?'],
        [{ events: {}, group: { traits: { required: ['seats'] }, examples: [{}] } }, 'group.examples[0].seats is missing.'],
    ]) test(`says what is wrong with itself: ${fault}`, () => assert.equal(faults(value)[0], fault))
})

suite('a plan of screens, users and groups', () => {
    const plan = new Plan({
        events: { 'Signed Up': {} },
        screens: { Home: { data: { properties: { tab: { type: 'integer' } }, additionalProperties: false } } },
        identify: { traits: { properties: { name: { type: 'string' } }, required: ['name'], additionalProperties: false } },
        group: { traits: { required: ['seats'] } },
    })
    /** What a plan says of each item of a request, and where in it. */
    const judged = (request, { of = plan } = {}) => {
        const { method = 'POST', path, body } = request
        const route = routeOf(method, path)
        const api = apiOf(route, body)
        return of.judgeRequest(route.kind, api, itemsOf(route, api, body), body).map(({ judgement: { item, name, reasons }, findings }) => {
            return [item, name, reasons, findings.map(({ path: place }) => place && place.join('.'))]
        })
    }
    const view = (data) => ({ path: '/v2/tracking-session-data', body: { event_name: 'VIEW_PAGE', data } })
    const profile = (body) => ({ method: 'PUT', path: '/v1/customer-profiles/set', body: { brand_id: 925, session_id: 's', ...body } })

    test('judges a screen of MobileTracker by its name, without what is no property of it', () => {
        assert.deepEqual(judged(view({ screen: 'Home', url: 'Home', tab: 1 })), [[0, 'screen Home', [], []]])
        assert.deepEqual(judged(view({ screen: 'Home', url: 'Home', tab: 'x' })), [
            [0, 'screen Home', ['data.tab is "x"; it must be a whole number.'], ['data.tab']],
        ])
        assert.deepEqual(judged(view({ screen: 'Hme' }))[0][2], ['The screen is not in the plan; did you mean Home?'])
    })

    test('judges it as the event where the plan names that, or no screens', () => {
        const named = new Plan({ events: { VIEW_PAGE: { data: { required: ['tab'] } } }, screens: {} })
        assert.deepEqual(judged(view({ screen: 'Home' }), { of: named })[0].slice(0, 3), [0, 'VIEW_PAGE', ['data.tab is missing.']])
        assert.deepEqual(judged(view({ screen: 'Home' }), { of: new Plan({ events: {} }) })[0].slice(1, 3), ['VIEW_PAGE', ['The event is not in the plan.']])
    })

    test('judges a profile as a part of the traits, each where it stands', () => {
        assert.deepEqual(judged(profile({ user_id: 'u1', name: 'Ada' })), [[0, 'identify', [], []]])
        assert.deepEqual(judged(profile({ name: 1, extra: { colour: 'red' } })), [[0, 'identify', [
            'traits.colour is not in the plan.', 'traits.name is 1; it must be a string.',
        ], ['extra.colour', 'name']]])
        assert.deepEqual(judged(profile({})), [[0, 'identify', [], []]])
        assert.deepEqual(judged(profile({ metadata: { flow: 'v2' } })), [])
    })

    for (const [name, found] of Object.entries({
        segment: [
            [0, 'Signed Up', [], []], [1, 'identify', [], []], [2, 'group', [], []], [3, 'screen Home', [], []],
        ],
        postHog: [
            [0, 'Signed Up', [], []], [1, 'identify', [], []], [2, 'group', [], []], [3, 'screen Home', [], []],
        ],
        amplitude: [[0, 'Signed Up', [], []], [1, 'identify', [], []], [2, 'group', [], []]],
        mixpanel: [[0, 'Signed Up', [], []]],
        'mixpanel people': [[0, 'identify', [], []]],
        'mixpanel groups': [[0, 'group', [], []]],
        otlp: [[0, 'Signed Up', [], []], [1, 'identify', [], []]],
    })) test(`judges each call of a batch for ${name}`, () => assert.deepEqual(judged(apiSample(name)), found))

    test('says where in a batch a trait stands', () => {
        const broken = (name, change) => {
            const sent = apiSample(name)
            change(sent.body)
            return judged(sent).filter(([, , reasons]) => reasons.length > 0)
        }
        assert.deepEqual(broken('segment', ({ batch }) => (batch[1].traits.name = 1)), [[1, 'identify', ['traits.name is 1; it must be a string.'], ['traits.name']]])
        assert.deepEqual(broken('postHog', ({ batch }) => delete batch[2].properties.$group_set.seats), [
            [2, 'group', ['traits.seats is missing.'], ['properties.$group_set.seats']],
        ])
        assert.deepEqual(broken('mixpanel people', (list) => (list[0].$set.name = 1))[0][3], ['$set.name'])
    })

    test('judges an event of Amplitude and Mixpanel that a screen has become as that screen', () => {
        const sent = apiSample('amplitude')
        Object.assign(sent.body.events[0], { event_type: 'Viewed Home', event_properties: { tab: 1 } })
        assert.deepEqual(judged(sent)[0], [0, 'screen Home', [], []])
        sent.body.events[0].event_properties = { tab: 'x' }
        assert.deepEqual(judged(sent)[0][3], ['event_properties.tab'])
        const named = new Plan({ events: { 'Viewed Home': {} }, screens: { Home: {} } })
        assert.deepEqual(judged(sent, { of: named })[0].slice(1, 3), ['Viewed Home', []])
        Object.assign(sent.body.events[0], { event_type: 'Viewed Hme' })
        assert.deepEqual(judged(sent)[0].slice(1, 3), ['Viewed Hme', ['The event is not in the plan.']])

        const other = apiSample('mixpanel')
        other.body[0].event = 'Home'
        assert.deepEqual(judged(other)[0].slice(1, 3), ['screen Home', ['data.plan is not in the plan.']])
    })

    test('does not take the membership in a group for a trait of the user', () => {
        const sent = apiSample('amplitude')
        Object.assign(sent.body.events[1], { user_properties: { $set: { company: 'g-1' } }, groups: { company: 'g-1' } })
        assert.deepEqual(judged(sent).map(([, name]) => name), ['Signed Up', 'group'])
    })

    test('judges the calls of BasicTracker, and never a user\'s traits as an event\'s data', () => {
        const of = new Plan({ events: { Clicked: { data: { additionalProperties: false } } }, screens: { Home: {} }, identify: { traits: { required: ['name'] } } })
        const user = { userId: 'u1', traits: { plan: 'pro' } }
        const body = [{ type: 'track', name: 'Clicked', ...user }, { type: 'identify', ...user }, { type: 'screen', name: 'Hom', ...user }]
        assert.deepEqual(judged({ path: '/events', body }, { of }).map(([, name, reasons]) => [name, reasons]), [
            ['Clicked', []], ['identify', ['traits.name is missing.']], ['screen Hom', ['The screen is not in the plan; did you mean Home?']],
        ])
    })
})

suite('collecting with a plan', () => {
    const event = (name, data) => ({ ...sample('event'), body: { brand_id: 925, session_id: 's', event_name: name, data } })

    test('distinguishes events that keep to the plan from those that break it', async (t) => {
        const collector = await startCollector({ plan: SHOP })
        afterwards(t, () => collector.close())
        await send(collector.url, { ...event('SEARCH', {}), headers: { ...sample('event').headers, 'Idempotency-Key': 'b' } })
        await send(collector.url, event('PURCHASE', { total: '1', currency: 'EUR', items: [] }))

        const [kept, broken] = collector.received({ kind: 'event' })
        assert.deepEqual(kept.plan, [{ item: 0, name: 'SEARCH', verdict: 'kept', reasons: [] }])
        assert.deepEqual(broken.problems, [
            'Plan, PURCHASE: data.total is "1"; it must be a number.',
            'Plan, PURCHASE: data.items is an array; it must have at least 1 element.',
        ])
        assert.equal(broken.plan[0].verdict, 'broken')
        const { kept: keptCount, broken: brokenCount } = collector.totals()
        assert.deepEqual([keptCount, brokenCount], [1, 1])
    })

    test('checks each track of a batch, and nothing else in it if it is about events alone', async (t) => {
        const collector = await startCollector({ plan: { events: { 'Signed Up': { data: { required: ['seats'] } } } } })
        afterwards(t, () => collector.close())
        const events = ['track', 'identify', 'screen'].map(analyticsEvent)
        await send(collector.url, { path: '/v1/batch', headers: batchHeaders(events), body: { batch: events } })

        assert.deepEqual(collector.received()[0].plan, [{ item: 0, name: 'Signed Up', verdict: 'broken', reasons: ['data.seats is missing.'] }])
    })

    test('says of each call of a batch what the plan says, also on its row', async (t) => {
        const plan = { events: {}, others: 'allow', identify: { traits: { required: ['email'] } }, screens: { Home: {} } }
        const collector = await startCollector({ plan })
        afterwards(t, () => collector.close())
        const events = ['track', 'identify', 'screen', 'group'].map((type, i) => analyticsEvent(type, i + 1))
        await send(collector.url, { path: '/v1/batch', headers: batchHeaders(events), body: { batch: events } })

        const [record] = collector.received()
        assert.deepEqual(record.problems.filter((text) => text.startsWith('Plan')), ['Plan, identify: traits.email is missing.'])
        assert.deepEqual(rowsOf(record).map((row) => row.plan?.verdict ?? null), [null, 'broken', 'kept', null])
        assert.deepEqual(record.findings.find(({ kind }) => kind === 'plan').path, ['traits', 'email'])
    })

    test('has nothing to say of a batch without events, nor of an event that is no object', async (t) => {
        const collector = await startCollector({ plan: SHOP })
        afterwards(t, () => collector.close())
        for (const body of [{ resourceLogs: [] }, { resourceLogs: [{ scopeLogs: [{ logRecords: [7, null] }] }] }]) {
            assert.equal((await send(collector.url, { ...apiSample('otlp'), body })).status, 200)
        }

        assert.deepEqual(collector.received().map(({ plan }) => plan), [[], []])
    })

    test('refuses broken events when it is strict', async (t) => {
        const collector = await startCollector({ plan: SHOP, strict: true })
        afterwards(t, () => collector.close())
        assert.equal((await send(collector.url, event('SEARC', {}))).status, 422)
    })

    test('shows both on the terminal, and counts them', async (t) => {
        const { child, line, rest } = startCommand(t, 'collect', '--port', '0', '--plan', inSupport('plan.json'))
        const [, url] = /(http:\/\/[\d.:]+)/.exec(await line())
        const { headers } = sample('event')
        await send(url, { ...event('SEARCH', { words: 'x' }), headers: { ...headers, 'Idempotency-Key': '0b8f6f3e-6a0c-4a5e-9a53-0f3f3a3b6a02' } })
        await send(url, { ...event('SEARC', {}), headers: { ...headers, 'X-Sequence': '2' } })
        child.kill('SIGTERM')

        const lines = await rest()
        assert.match(lines[0], /SEARCH {2}words=x {2}✔ kept$/)
        assert.match(lines[2], /^ {14}✘ Plan, SEARC: The event is not in the plan; did you mean SEARCH\?$/)
        assert.match(lines[3], /the plan: 1 kept, 1 broken/)
    })

    test('explains a plan that it cannot use', async (t) => {
        const path = join(freshFolder(t), 'plan.json')
        writeFileSync(path, '{"evnts":{}}')
        const { status, errors } = await runCommand(t, 'collect', '--port', '0', '--plan', path)

        assert.equal(status, 64)
        assert.match(errors, /plan\.json cannot be used\. The plan has "evnts"; did you mean "events"\?/)
    })

    test('infers what screens, users and groups came with', () => {
        const inference = new PlanInference()
        const record = ({ method = 'POST', path, body }) => {
            const route = routeOf(method, path)
            const api = apiOf(route, body)
            return { accepted: true, kind: route.kind, api, items: itemsOf(route, api, body), body }
        }
        const came = [
            apiSample('segment'), { path: '/v2/tracking-session-data', body: { event_name: 'VIEW_PAGE', data: { screen: 'Cart', url: 'Cart', items: 2 } } },
            { method: 'PUT', path: '/v1/customer-profiles/set', body: { brand_id: 925, session_id: 's', name: 'Bo', extra: { seats: 2 } } },
        ].map(record)
        for (const one of came) inference.add(one)

        const inferred = JSON.parse(inference.toText())
        assert.deepEqual(Object.keys(inferred.events), ['Signed Up'])
        assert.deepEqual(inferred.screens.Cart.data.properties, { items: { type: 'integer' } })
        assert.deepEqual(Object.keys(inferred.screens), ['Cart', 'Home'])
        assert.deepEqual(inferred.identify.traits, {
            type: 'object', properties: { name: { type: 'string' }, seats: { type: 'integer' } }, required: ['name'], additionalProperties: false,
        })
        assert.deepEqual(inferred.group.traits.properties, { seats: { type: 'integer' } })
        assert.deepEqual([inference.size, inference.screens], [1, 2])
        const plan = new Plan(inferred)
        for (const { kind, api, items, body } of came) {
            for (const { judgement } of plan.judgeRequest(kind, api, items, body)) assert.deepEqual(judgement.reasons, [])
        }
    })

    test('infers nothing from a batch without events', () => {
        const inference = new PlanInference()
        const body = { resourceLogs: [] }
        const route = routeOf('POST', '/v1/logs')
        inference.add({ accepted: true, kind: route.kind, api: 'otlp', items: itemsOf(route, 'otlp', body), body })

        assert.deepEqual(JSON.parse(inference.toText()), { others: 'forbid', events: {} })
    })

    test('infers one that it can use from what nests too deep for a plan', () => {
        const inference = new PlanInference()
        for (const [open, close] of [['{"a":', '}'], ['[', ']']]) {
            const body = JSON.parse(`{"event_name":"DEEP","data":{"v":${open.repeat(70)}1${close.repeat(70)}}}`)
            inference.add({ accepted: true, kind: 'event', api: null, items: [{ type: 'track', name: 'DEEP' }], body })
        }
        const plan = new Plan(JSON.parse(inference.toText()))

        const valueOf = (levels, end) => JSON.parse(`{"v":${'{"a":'.repeat(levels)}${end}${'}'.repeat(levels)}}`)
        assert.equal(plan.judge('DEEP', valueOf(63, '{"b":1}')).verdict, 'kept')
        assert.equal(plan.judge('DEEP', valueOf(63, '1')).verdict, 'broken')
        assert.equal(plan.judge('DEEP', valueOf(62, '{"b":1}')).verdict, 'broken')
    })

    test('infers one that what came keeps to', async (t) => {
        const path = join(freshFolder(t), 'plan.json')
        const { child, line, ended } = startCommand(t, 'collect', '--port', '0', '--infer-plan', path)
        const [, url] = /(http:\/\/[\d.:]+)/.exec(await line())
        const all = [{ total: 1, at: '2025-01-31T09:30:00Z', tags: ['x'], who: { id: 'a' } }, { total: 1.5, at: '2025-01-31T09:30:00Z', note: null, tags: [] }]
        for (const [i, data] of all.entries()) await send(url, { ...event('A', data), headers: { ...sample('event').headers, 'Idempotency-Key': `k${i}` } })
        child.kill('SIGTERM')
        assert.equal(await ended, 0)
        assert.match(child.errors, /Wrote a plan of 1 event to /)

        const inferred = JSON.parse(readFileSync(path, 'utf8'))
        assert.deepEqual(inferred.events.A.data, {
            type: 'object',
            properties: {
                total: { type: 'number' },
                at: { type: 'string', format: 'date-time' },
                tags: { type: 'array', items: { type: 'string' } },
                who: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'], additionalProperties: false },
                note: { type: 'null' },
            },
            required: ['total', 'at', 'tags'],
            additionalProperties: false,
        })
        const plan = new Plan(inferred)
        for (const data of all) assert.equal(plan.judge('A', data).verdict, 'kept')
        assert.match((await runCommand(t, 'collect', '--infer-plan', path)).errors, /is there already\. Give another name to --infer-plan, or remove it\./)
    })

    test('says before it collects that an inferred plan cannot be written', async (t) => {
        const { status, errors } = await runCommand(t, 'collect', '--port', '0', '--infer-plan', '/nowhere/plan.json')

        assert.equal(status, 1)
        assert.match(errors, /^mobile-tracker: \/nowhere\/plan\.json cannot be written: ENOENT/)
    })
})

suite('mobile-tracker plan', () => {
    test('check says what is wrong, a line each, and ends with 1', async (t) => {
        const path = join(freshFolder(t), 'plan.json')
        writeFileSync(path, JSON.stringify({ events: { A: { data: { typ: 1 } } } }))
        const { status, out } = await runCommand(t, 'plan', 'check', inSupport('plan.json'), path)

        assert.equal(status, 1)
        assert.deepEqual(out.split('\n'), [
            `✔ ${inSupport('plan.json')}  4 events, 2 screens`, `✘ ${path}  1 fault`,
            '    events.A.data has "typ", which plans do not know; did you mean "type"?',
        ])
    })

    test('check finds the recorded events that break it', async (t) => {
        const path = join(freshFolder(t), 'run.jsonl')
        const body = JSON.stringify({ brand_id: 925, session_id: 's', event_name: 'SEARC', data: {} })
        writeFileSync(path, `${JSON.stringify({ method: 'POST', path: '/v2/tracking-session-data', headers: {}, body })}\n`)
        const { status, out } = await runCommand(t, 'plan', 'check', inSupport('plan.json'), '--recording', path)

        assert.equal(status, 1)
        assert.equal(out.split('\n')[1], `    ${path}:1 SEARC: The event is not in the plan; did you mean SEARCH?`)
    })

    test('check goes on after a recorded body that is not JSON', async (t) => {
        const path = join(freshFolder(t), 'run.jsonl')
        const bodies = ['{broken', '', 'null', JSON.stringify({ brand_id: 925, session_id: 's', event_name: 'SEARC', data: {} })]
        const lines = bodies.map((body) => JSON.stringify({ method: 'POST', path: '/v2/tracking-session-data', headers: {}, body }))
        writeFileSync(path, lines.join('\n'))
        const { status, out, errors } = await runCommand(t, 'plan', 'check', inSupport('plan.json'), '--recording', path)

        assert.deepEqual([status, errors], [1, ''])
        assert.equal(out.split('\n')[1], `    ${path}:4 SEARC: The event is not in the plan; did you mean SEARCH?`)
    })

    test('check goes on after a recorded batch without events', async (t) => {
        const path = join(freshFolder(t), 'run.jsonl')
        const lines = [
            { path: '/v1/logs', body: { resourceLogs: [] } }, { path: '/v2/tracking-session-data', body: { event_name: 'SEARC', data: {} } },
        ].map((line) => JSON.stringify({ method: 'POST', headers: {}, ...line, body: JSON.stringify(line.body) }))
        writeFileSync(path, lines.join('\n'))
        const { status, out, errors } = await runCommand(t, 'plan', 'check', inSupport('plan.json'), '--recording', path)

        assert.deepEqual([status, errors], [1, ''])
        assert.equal(out.split('\n')[1], `    ${path}:2 SEARC: The event is not in the plan; did you mean SEARCH?`)
    })

    for (const [what, line] of [['null', 'null'], ['an object', '{"a":1}'], ['what collect --json prints', '{"event":"started","url":"http://127.0.0.1:1"}']]) {
        test(`check says that a file with ${what} is no recording`, async (t) => {
            const path = join(freshFolder(t), 'run.jsonl')
            writeFileSync(path, line)
            const { status, errors } = await runCommand(t, 'plan', 'check', inSupport('plan.json'), '--recording', path)

            assert.equal(status, 1)
            assert.equal(errors, `mobile-tracker: ${path}:1 is no recorded request: it needs method, path, headers and body.\n`)
        })
    }

    for (const [words, status, reason] of [
        [['plan'], 64, /plan needs check or types\./],
        [['plan', 'chek'], 64, /There is no plan chek; did you mean plan check\?/],
        [['plan', 'check'], 64, /^mobile-tracker: plan check needs FILE…\./],
        [['plan', 'types', 'x.json'], 64, /plan types needs --ts <file\.d\.ts>, --swift <file\.swift>, --python <file\.py> or several\./],
        [['plan', 'types', 'x.json', '--ts', 'x.ts'], 64, /--ts is "x\.ts"; it must end in \.d\.ts\./],
        [['plan', 'types', '/nowhere.json', '--ts', 'x.d.ts'], 1, /\/nowhere\.json cannot be read: ENOENT/],
    ]) {
        test(`explains ${words.join(' ')}`, async (t) => {
            const ended = await runCommand(t, ...words)
            assert.equal(ended.status, status)
            assert.match(ended.errors, reason)
        })
    }

    /** Events, members and values that are no names of code as they stand. */
    const NAMES = {
        events: {
            'Покупка': {
                data: {
                    properties: {
                        'сумма': { type: 'number' },
                        'ガチャ': { enum: ['🙂', '日本', 'café', '', 'self', 'rawValue'] },
                        paid_at: { type: 'string', format: 'date-time' },
                        dates: { type: 'array', items: { type: 'string', format: 'date-time' } },
                        order: {
                            type: 'object', required: ['self'],
                            properties: { self: { type: 'string' }, init: { type: 'string' }, at: { type: ['string', 'null'], format: 'date-time' } },
                        },
                        options: { type: 'boolean' },
                    },
                    required: ['сумма', 'paid_at'], type: 'object', additionalProperties: false,
                },
            },
            '日本': {}, then: {}, new: {}, class: {}, init: {}, '🙂': {}, '1st': {},
        },
    }

    /** The calls of that plan, in a folder that is not there before. */
    async function namedCalls(t) {
        const folder = join(freshFolder(t), 'made', 'by types')
        const plan = join(freshFolder(t), 'plan.json')
        writeFileSync(plan, JSON.stringify(NAMES))
        const [types, swift] = [join(folder, 'events.d.ts'), join(folder, 'swift', 'PlannedEvents.swift')]
        const { status, errors } = await runCommand(t, 'plan', 'types', plan, '--ts', types, '--swift', swift)
        assert.equal(status, 0, errors)
        return { folder, swift, module: join(folder, 'events.js') }
    }

    test('types makes calls that pass on what follows the data, and are no thenable', async (t) => {
        const { module } = await namedCalls(t)
        const { plannedEvents } = await import(pathToFileURL(module))
        const calls = []
        const events = await plannedEvents({ track: (...call) => calls.push(call) })
        const given = { userId: 'u1', messageId: 'm1' }
        events.покупка({ сумма: 1, paid_at: new Date(0) }, given)
        events.then_()
        events.日本({ a: 1 }, null, given)
        events.u1F642(undefined, given)

        assert.deepEqual(calls, [
            ['Покупка', { сумма: 1, paid_at: new Date(0) }, given], ['then', {}], ['日本', { a: 1 }, null, given], ['🙂', {}, given],
        ])
        assert.deepEqual(Object.keys(events), ['покупка', '日本', 'then_', 'new', 'class', 'init', 'u1F642', '_1st'])
    })

    test('types makes calls for TypeScript in any script, with dates and options', { skip: withoutCompiler }, async (t) => {
        const { folder } = await namedCalls(t)
        mkdirSync(join(folder, 'node_modules/@mobiletracker'), { recursive: true })
        symlinkSync(fileURLToPath(new URL('..', import.meta.url)), join(folder, 'node_modules/@mobiletracker/bridge'))
        writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
        writeFileSync(join(folder, 'program.mts'), `
            import MobileTracker from '@mobiletracker/bridge'
            import { plannedEvents } from './events.js'

            const events = plannedEvents(MobileTracker)
            const ofUsers = plannedEvents(MobileTracker.analytics)
            await events.покупка({ сумма: 1, paid_at: new Date(), ガチャ: '🙂', dates: ['2025-01-31T09:30:00Z', new Date()] })
            await events.покупка({ сумма: 1, paid_at: 'now' }, { flow_id: 'v2' }, { messageId: 'm1' })
            await ofUsers.new({}, { userId: 'u1', messageId: 'm1' })
            // @ts-expect-error There is no such option.
            await ofUsers.class({}, { usrId: 'u1' })
            // @ts-expect-error There is no such value.
            await events.покупка({ сумма: 1, paid_at: new Date(), ガチャ: '🙃' })
        `)

        assert.equal(checkTypesIn(folder, 'program.mts'), '')
    })

    test('types makes calls for Swift in any script, with dates and options', { skip: withoutModules }, async (t) => {
        const { folder, swift } = await namedCalls(t)
        const program = join(folder, 'main.swift')
        writeFileSync(program, `
            import Foundation
            import TrackerCore

            let events = PlannedEvents()
            await events.покупка(сумма: 1, paidAt: Date(), ガチャ: .u1F642, order: .init(self_: "x", at: nil), messageId: "m1")
            await events.покупка(сумма: 1, paidAt: Date(), ガチャ: .self_, options_: true, metadata: ["flow_id": "v2"])
            await events.日本()
            await events.\`class\`(data: ["a": 1])
            let ofUsers = PlannedAnalyticsEvents(AnalyticsClient())
            ofUsers.покупка(сумма: 1, paidAt: Date(), dates: [Date()], options: CallOptions(userId: "u1"), messageId: "m1")
            ofUsers.u1F642()
        `)

        assert.equal(checkSwift(program, swift), '')
    })

    /** Makes the calls of a plan in a folder, in three languages. */
    async function callsOf(t, plan) {
        const folder = freshFolder(t)
        writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan))
        const [types, swift, python] = ['events.d.ts', 'PlannedEvents.swift', 'events.py'].map((name) => join(folder, name))
        const ended = await runCommand(t, 'plan', 'types', join(folder, 'plan.json'), '--ts', types, '--swift', swift, '--python', python)
        assert.equal(ended.status, 0, ended.errors)
        mkdirSync(join(folder, 'node_modules/@mobiletracker'), { recursive: true })
        symlinkSync(fileURLToPath(new URL('..', import.meta.url)), join(folder, 'node_modules/@mobiletracker/bridge'))
        writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
        return { folder, types, swift, python }
    }

    /** Events whose types would have the names of others, and texts that are no comment. */
    const CLASHES = {
        events: {
            TRACK: { description: 5, data: { properties: { outcome: { enum: ['ok'], description: 7 } } } },
            MOBILE: { data: { properties: { tracker: { type: 'object', properties: { a: { type: 'string' } } } } } },
            TRUE: { data: { type: 'object', properties: { a: { type: 'string' } } } },
            'A\nlet x = 1 //': { data: { properties: { b: { enum: ['c'] }, d: { type: 'object', additionalProperties: false } } } },
        },
    }

    test('types writes for TypeScript no character that ends a line inside a text', { skip: withoutCompiler }, async (t) => {
        const properties = { 'a\u2028b': { enum: ['\u2028', 'c\u2029d'] } }
        const { folder, types } = await callsOf(t, { events: { 'Line\u2028Separator': { data: { type: 'object', properties } } } })

        const text = readFileSync(types, 'utf8')
        assert.ok(text.includes(String.raw`"a\u2028b"?: "\u2028" | "c\u2029d"`), text)
        assert.equal(checkTypesIn(folder, types), '')
    })

    test('types gives types names of their own, and keeps comments in their lines', async (t) => {
        const { types, swift, python } = await callsOf(t, CLASHES)

        assert.match(readFileSync(types, 'utf8'), /Tracks "TRACK"\./)
        const text = readFileSync(swift, 'utf8')
        assert.deepEqual([...text.matchAll(/public (?:enum|struct) (\w+)/g)].map(([, name]) => name), [
            'PlannedEvents', 'TrackOutcome2', 'MobileTracker2', 'ALetX1B', 'ALetX1D', 'PlannedAnalyticsEvents',
        ])
        assert.doesNotMatch(text, /^let/m)
        const { code, stderr } = await run(t, 'python3', [python])
        assert.equal(code, 0, stderr)
    })

    test('types gives types names of their own in Swift', { skip: withoutModules }, async (t) => {
        const { swift } = await callsOf(t, CLASHES)

        assert.equal(checkSwift(swift), '')
    })

    /** Events whose data is described in several places. */
    const JOINED = {
        $defs: { order: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] } },
        events: {
            REF: { data: { $ref: '#/$defs/order' } },
            BESIDE: { data: { $ref: '#/$defs/order', properties: { extra: { type: 'string' } }, required: ['extra', 'note', 'note'] } },
            ALL: {
                data: {
                    type: 'object', properties: { a: { type: 'number' } },
                    allOf: [{ properties: { a: { type: 'integer' }, b: { type: 'string' } }, required: ['b'] }],
                },
            },
            CHOICES: {
                data: {
                    allOf: [
                        { anyOf: [{ type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }, { properties: { b: { type: 'string' } }, required: ['b'] }] },
                        { type: 'object', properties: { c: { type: 'string' } }, required: ['c'] },
                    ],
                },
            },
            CLOSED: {
                data: {
                    type: 'object', properties: { c: { type: 'string' } }, required: ['c'], additionalProperties: false,
                    oneOf: [{ required: ['d'] }, { required: ['c'] }],
                },
            },
            EITHER: { data: { anyOf: [{ required: ['a'] }, { required: ['b'] }] } },
            NULLABLE: { data: { $ref: '#/$defs/order', required: [], type: ['object', 'null'] } },
        },
    }

    test('types joins what a plan asks in several places', { skip: withoutCompiler }, async (t) => {
        const { folder } = await callsOf(t, JOINED)
        writeFileSync(join(folder, 'program.mts'), `
            import MobileTracker from '@mobiletracker/bridge'
            import { plannedEvents } from './events.js'

            const events = plannedEvents(MobileTracker)
            await events.ref({ id: 'x' })
            await events.beside({ id: 'x', extra: 'y', note: 1 })
            await events.all({ b: 'y', a: 1 })
            await events.choices({ a: 'x', c: 'z' })
            await events.choices({ b: 'y', c: 'z' })
            await events.closed({ c: 'z' })
            await events.either({ a: 1 })
            // @ts-expect-error The id is missing, which a definition requires.
            await events.ref()
            // @ts-expect-error The member beside the $ref is missing.
            await events.beside({ id: 'x', note: 1 })
            // @ts-expect-error What is required alone is missing.
            await events.beside({ id: 'x', extra: 'y' })
            // @ts-expect-error The member of allOf is missing.
            await events.all({ a: 1 })
            // @ts-expect-error The choice is missing.
            await events.choices({ c: 'z' })
            // @ts-expect-error What is asked beside the choice is missing.
            await events.choices({ a: 'x' })
            // @ts-expect-error There is no such member.
            await events.closed({ c: 'z', d: 1 })
            // @ts-expect-error Both choices are missing.
            await events.either()
        `)

        assert.equal(checkTypesIn(folder, 'program.mts'), '')
    })

    test('types joins what a plan asks in several places in Swift and Python', async (t) => {
        const { swift, python } = await callsOf(t, JOINED)

        const functions = [...readFileSync(swift, 'utf8').matchAll(/func (\w+)\((.*), metadata:/g)].map(([, name, given]) => `${name}(${given})`)
        assert.deepEqual(functions, [
            'ref(id: String)', 'beside(extra: String, id: String, note: JSONValue)', 'all(b: String, a: Int? = nil)',
            'choices(data: [String: Any])', 'closed(c: String)', 'either(data: [String: Any])', 'nullable(id: String)',
        ])
        const program = `import json, runpy, sys, typing
types = runpy.run_path(sys.argv[1])
print(json.dumps({name: sorted(type.__required_keys__) for name, type in types.items() if typing.is_typeddict(type) and "Options" not in name}))`
        const { code, stdout, stderr } = await run(t, 'python3', ['-c', program, python])
        assert.equal(code, 0, stderr)
        assert.deepEqual(JSON.parse(stdout), {
            Ref: ['id'], Beside: ['extra', 'id', 'note'], All: ['b'], Choices: ['a', 'c'], Choices2: ['b', 'c'], Closed: ['c'], Nullable: ['id'],
        })
        assert.match(readFileSync(python, 'utf8'), /def choices\(self, data: Choices \| Choices2, \*\*options: Unpack\[TrackOptions\]\)/)
    })

    test('types joins what a plan asks in several places so that Swift compiles', { skip: withoutModules }, async (t) => {
        const { folder, swift } = await callsOf(t, JOINED)
        const program = join(folder, 'main.swift')
        writeFileSync(program, `
            import TrackerCore

            let events = PlannedEvents()
            await events.ref(id: "x")
            await events.beside(extra: "y", id: "x", note: 1)
            await events.all(b: "y", a: 1)
            await events.choices(data: ["a": "x", "c": "z"])
        `)

        assert.equal(checkSwift(program, swift), '')
    })

    /** Definitions that hold themselves, `node` at once and `user` by way of `team`, and one that does not. */
    const RECURSIVE = {
        $defs: {
            node: {
                type: 'object',
                properties: { left: { $ref: '#/$defs/node' }, right: { $ref: '#/$defs/node' }, mark: { $ref: '#/$defs/label' } },
            },
            user: { type: 'object', properties: { teams: { type: 'array', items: { $ref: '#/$defs/team' } } } },
            team: { type: 'object', properties: { head: { $ref: '#/$defs/user' } } },
            label: { type: 'object', properties: { text: { type: 'string' } } },
        },
        events: {
            GROWN: { data: { $ref: '#/$defs/node' } },
            JOINED: { data: { $ref: '#/$defs/user' } },
            MARKED: { data: { $ref: '#/$defs/label', properties: { before: { $ref: '#/$defs/label' }, after: { $ref: '#/$defs/label' } } } },
        },
    }

    test('types does not repeat a definition inside itself, and writes any other wherever it is used', async (t) => {
        const { types, swift, python } = await callsOf(t, RECURSIVE)
        const [declared, inSwift, inPython] = [types, swift, python].map((path) => readFileSync(path, 'utf8'))

        const members = [...declared.matchAll(/^ +(\w+)\??: (.*)$/gm)].map(([, name, type]) => `${name}: ${type}`)
        assert.deepEqual(members, [
            'left: unknown', 'right: unknown', 'mark: {', 'text: string', 'teams: Array<{', 'head: unknown',
            'before: {', 'text: string', 'after: {', 'text: string', 'text: string',
        ])
        const structures = [...inSwift.matchAll(/public struct (\w+): Sendable \{\n((?: +public var .*\n)+)/g)]
        assert.deepEqual(structures.map(([, name, variables]) => [name, ...[...variables.matchAll(/var (.*)/g)].map(([, one]) => one)]), [
            ['GrownMark', 'text: String?'], ['JoinedTeam', 'head: JSONValue?'],
            ['MarkedBefore', 'text: String?'], ['MarkedAfter', 'text: String?'],
        ])
        assert.deepEqual([...inSwift.matchAll(/func (\w+)\((.*), metadata:/g)].map(([, name, given]) => `${name}(${given})`), [
            'grown(left: JSONValue? = nil, right: JSONValue? = nil, mark: PlannedEvents.GrownMark? = nil)',
            'joined(teams: [PlannedEvents.JoinedTeam]? = nil)',
            'marked(before: PlannedEvents.MarkedBefore? = nil, after: PlannedEvents.MarkedAfter? = nil, text: String? = nil)',
        ])
        const dictionaries = [...inPython.matchAll(/^(\w+) = TypedDict\(.*\n((?:    .*\n)*)/gm)]
        assert.deepEqual(dictionaries.map(([, name, lines]) => [name, ...[...lines.matchAll(/"(\w+)": NotRequired\[(.*)\]/g)].map(([, ...one]) => one.join(': '))]), [
            ['GrownMark', 'text: str'], ['Grown', 'left: Any', 'right: Any', 'mark: GrownMark'],
            ['JoinedTeamsElement', 'head: Any'], ['Joined', 'teams: Sequence[JoinedTeamsElement]'],
            ['MarkedBefore', 'text: str'], ['MarkedAfter', 'text: str'], ['Marked', 'before: MarkedBefore', 'after: MarkedAfter', 'text: str'],
        ])
    })

    /** A schema inside so many others. */
    const nested = (levels) => '{"properties":{"a":'.repeat(levels) + 'true' + '}}'.repeat(levels)

    /** So many definitions, each made by one and the index of the next. */
    const chain = (count, make) => Object.fromEntries(Array.from({ length: count }, (_, i) => {
        return [`d${i}`, i + 1 < count ? make({ $ref: `#/$defs/d${i + 1}` }) : { type: 'string' }]
    }))
    const first = { data: { $ref: '#/$defs/d0' } }
    const a30 = `${'a'.repeat(40)}!`

    const tooMuch = {
        'that is 3,000 levels deep': [`{"events":{"A":{"data":${nested(3000)}}}}`, /nests deeper than 64 schemas; name its parts in \$defs/],
        'with 24 doubling members': [
            { $defs: chain(25, (next) => ({ properties: { a: next, b: next } })), events: { A: first } },
            /events\.A\.data holds more than 20000 schemas once every \$ref is followed/,
        ],
        'with 24 doubling demands': [
            { $defs: chain(25, (next) => ({ allOf: [next, next] })), events: { A: first } },
            /events\.A\.data holds more than 20000 schemas/,
        ],
        'with 24 doubling choices and an example': [
            { $defs: chain(25, (next) => ({ anyOf: [next, next] })), events: { A: { ...first, examples: [{}] } } },
            /events\.A\.data holds more than 20000 schemas/,
        ],
        'with 50,000 definitions in a row': [
            { $defs: chain(50_000, (next) => ({ properties: { a: next } })), events: { A: first } },
            /The plan nests too deep to be followed|holds more than 20000 schemas/,
        ],
        'with a pattern that takes for ever': [
            { events: { A: { data: { properties: { a: { pattern: '^(a+)+$' } } }, examples: [{ a: a30 }] } } },
            /events\.A\.examples\[0\]\.a cannot be judged: \^\(a\+\)\+\$ takes too long/,
        ],
    }

    /** Has the types of a plan written in every language. What takes for ever is ended, and has no status. */
    const typesOf = (t, value) => {
        const folder = freshFolder(t)
        const [plan, ts, swift, python] = ['plan.json', 'x.d.ts', 'x.swift', 'x.py'].map((name) => join(folder, name))
        writeFileSync(plan, typeof value === 'string' ? value : JSON.stringify(value))
        const words = [COMMAND, 'plan', 'types', plan, '--ts', ts, '--swift', swift, '--python', python]
        const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 60_000, killSignal: 'SIGKILL' })
        return { status, errors: stderr, files: [ts, swift, python].filter(existsSync) }
    }

    for (const [what, [value, reason]] of Object.entries(tooMuch)) {
        test(`types refuses a plan ${what}`, (t) => {
            const { status, errors, files } = typesOf(t, value)

            assert.deepEqual([status, files], [1, []], errors)
            assert.match(errors, reason)
        })
    }

    test('types tries no pattern where there is no example', (t) => {
        const plan = (more) => ({ events: { A: { data: { properties: { a: { type: 'string', pattern: '^(a+)+$', ...more } } } } } })
        for (const more of [{}, { enum: [a30] }]) {
            const { status, errors, files } = typesOf(t, plan(more))

            assert.equal(status, 0, errors)
            assert.equal(files.length, 3)
        }
    })

    test('types refuses definitions that lead to one another in every order', async (t) => {
        const folder = freshFolder(t)
        const names = Array.from({ length: 10 }, (_, i) => `d${i}`)
        const properties = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]))
        const $defs = Object.fromEntries(names.map((name) => [name, { type: 'object', properties }]))
        writeFileSync(join(folder, 'plan.json'), JSON.stringify({ $defs, events: { A: first } }))
        for (const words of [['--ts', join(folder, 'x.d.ts')], ['--swift', join(folder, 'x.swift')], ['--python', join(folder, 'x.py')]]) {
            const { status, errors } = await runCommand(t, 'plan', 'types', join(folder, 'plan.json'), ...words)

            assert.equal(status, 1, words.join(' '))
            assert.match(errors, /events\.A needs types of more than 20000 parts/)
        }
    })

    test('a value that takes for ever to be judged breaks its plan', () => {
        const slow = new Plan({ events: { A: { data: { properties: { a: { pattern: '^(b+)+$' } } } } } })
        const text = `${'b'.repeat(40)}!`
        for (let i = 0; i < 1000; i++) assert.match(slow.judge('A', { a: text }).reasons[0], /^data\.a cannot be judged/)

        const { $defs } = { $defs: { d0: { allOf: Array(8).fill({ properties: { a: { $ref: '#/$defs/d0' } } }) } } }
        const value = JSON.parse('{"a":'.repeat(24) + '1' + '}'.repeat(24))
        assert.match(new Plan({ $defs, events: { A: first } }).judge('A', value).reasons[0], /too many schemas\.$/)
        assert.equal(new Plan({ $defs, events: { A: first } }).judge('A', { a: { a: 1 } }).verdict, 'kept')
    })

    test('types gives calls of one name names of their own', async (t) => {
        const folder = freshFolder(t)
        const plan = { events: { screenHome: {}, identify: {}, group: {} }, screens: { home: {}, '🙂': {} }, identify: {} }
        writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan))
        const [types, python] = [join(folder, 'events.d.ts'), join(folder, 'events.py')]
        const { status, errors } = await runCommand(t, 'plan', 'types', join(folder, 'plan.json'), '--ts', types, '--python', python)
        assert.equal(status, 0, errors)
        writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
        const { plannedEvents } = await import(pathToFileURL(join(folder, 'events.js')))
        const calls = []
        const note = (method) => (...given) => calls.push([method, ...given])
        const events = plannedEvents({ track: note('track'), screen: note('screen'), identify: note('identify') })
        events.screenHome_({ tab: 1 }, { messageId: 'm1' })
        events.identify('u1', { name: 'Ada' }, { messageId: 'm2' })
        events.identify_()

        assert.deepEqual(Object.keys(events), ['screenHome', 'identify_', 'group', 'screenHome_', 'screenU1F642', 'identify'])
        assert.deepEqual(calls, [
            ['screen', 'home', { tab: 1 }, { messageId: 'm1' }], ['identify', 'u1', { name: 'Ada' }, { messageId: 'm2' }], ['track', 'identify', {}],
        ])
        const made = [...readFileSync(python, 'utf8').matchAll(/^    def ([a-z]\w*)\(self, /gm)].map(([, code]) => code)
        assert.deepEqual(made.slice(0, 6), ['screen_home', 'identify_', 'group', 'screen_home_', 'screen_u1f642', 'identify'])
    })

    test('types makes a module that Python reads, whatever characters a description has', async (t) => {
        const folder = freshFolder(t)
        const description = 'Bought\u0000 \u001b[1mnow\u007f\u0085\u2028"""\\'
        writeFileSync(join(folder, 'plan.json'), JSON.stringify({ events: { 'A\u0001': { description } } }))
        const { status, errors } = await runCommand(t, 'plan', 'types', join(folder, 'plan.json'), '--python', join(folder, 'events.py'))
        assert.equal(status, 0, errors)

        const program = 'import ast, sys; print(ast.get_docstring(ast.parse(open(sys.argv[1]).read()).body[-1].body[-1]))'
        const { code, stdout, stderr } = await run(t, 'python3', ['-c', program, join(folder, 'events.py')])

        assert.equal(code, 0, stderr)
        assert.equal(stdout, "Bought [1mnow '''\\\n")
    })

    test('types refuses two events that would have one name', async (t) => {
        const folder = freshFolder(t)
        writeFileSync(join(folder, 'plan.json'), JSON.stringify({ events: { SIGN_UP: {}, signUp: {} } }))
        const { status, errors } = await runCommand(t, 'plan', 'types', join(folder, 'plan.json'), '--ts', join(folder, 'x.d.ts'))

        assert.equal(status, 1)
        assert.match(errors, /Among the events, "SIGN_UP" and "signUp" would both be named signUp\./)
    })

    test('types makes the calls that the examples use', async (t) => {
        const folder = freshFolder(t)
        const [types, swift, python] = ['events.d.ts', 'PlannedEvents.swift', 'events.py'].map((name) => join(folder, name))
        const words = ['--ts', types, '--swift', swift, '--python', python]
        const { status } = await runCommand(t, 'plan', 'types', inSupport('plan.json'), ...words)

        assert.equal(status, 0)
        for (const [made, kept] of [
            [types, inSupport('events.d.ts')], [join(folder, 'events.js'), inSupport('events.js')], [swift, SWIFT],
            [python, inSupport('events.py')],
        ]) {
            assert.equal(readFileSync(made, 'utf8'), readFileSync(kept, 'utf8'), `${kept} is stale: make it again with mobile-tracker plan types`)
        }
    })

    test('types makes calls that compile, and do not compile when they break the plan', { skip: withoutCompiler }, () => {
        assert.equal(checkTypes('testsupport/plan/example.mts'), '')
    })

    test('types makes calls that keep to the plan', { skip: withoutHost }, async (t) => {
        const collector = await startCollector({ plan: SHOP })
        afterwards(t, () => collector.close())
        const { code, stderr } = await runProgram(t, `
            import MobileTracker from '@mobiletracker/bridge'
            import { plannedEvents } from './testsupport/plan/events.js'
            await MobileTracker.init('925', { apiUrl: '${collector.url}', xApiKey: 'api-key-12345678' })
            const events = plannedEvents(MobileTracker)
            await events.purchase({ total: 149.99, currency: 'EUR', items: [{ sku: 'A-1', price: 149.99 }] })
            await events.signedUp({ plan: 'pro', invited_by: null })
            await events.logout()
            await events.screenHome()
            await events.screenProduct({ sku: 'A-1' })
            await events.identify('u1', { email: 'ada@example.com', plan: 'pro' })`, { env: { XDG_STATE_HOME: freshFolder(t), MOBILE_TRACKER_HOST: patientHost(t) } })

        assert.equal(code, 0, stderr)
        await collector.wait({ kind: 'profile', timeoutMs: WAIT_MS })
        assert.deepEqual(collector.received().flatMap(({ plan }) => plan.map(({ name, verdict }) => [name, verdict])), [
            ['PURCHASE', 'kept'], ['Signed Up', 'kept'], ['LOGOUT', 'kept'], ['screen Home', 'kept'], ['screen Product', 'kept'],
            ['identify', 'kept'],
        ])
    })
})
