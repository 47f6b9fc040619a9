import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startCollector } from '@mobiletracker/bridge/collector'
import { createTestTracker } from '@mobiletracker/bridge/testing'
import { hasUnknownSyntax } from '../src/plan/pattern.js'
import { Plan } from '../src/plan/plan.js'
import { SCHEMA_KEYWORDS } from '../src/plan/schema.js'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { send } from '../testsupport/http.js'
import { KEY, withoutHost } from '../testsupport/real-host.js'
import { analyticsEvent, batchHeaders } from '../testsupport/samples.js'

/** What `.ci/setup tests` has fetched: the official JSON Schema Test Suite, https://github.com/json-schema-org/JSON-Schema-Test-Suite. */
const FOLDER = fileURLToPath(new URL('../../../.build/schemas/tests/draft2020-12', import.meta.url))

/** Fewer cases than these are not the suite. */
const FEWEST = { cases: 700, schemas: 160, ofFormats: 150 }

/** What an implementation of the specification may leave out, and plans have. */
const OPTIONAL = ['optional/bignum', 'optional/ecmascript-regex', 'optional/float-overflow', 'optional/non-bmp-regex']

/** Plans take a text for a date or an address by its form alone, and so take some that the suite does not. */
const FORMATS = ['date-time', 'date', 'time', 'email', 'uri', 'uuid'].map((name) => `optional/format/${name}`)

/** Keywords that change nothing. `$id` does where a `$ref` leads through it, which is no `$ref` of plans. */
const SILENT = ['$schema', '$id', '$comment', 'title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly']

/** The schemas of the draft itself. A schema of another one has other keywords. */
const DRAFT = 'https://json-schema.org/draft/2020-12/schema'

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The schemas inside a keyword's value. */
function partsOf(keyword, value) {
    if (['properties', '$defs'].includes(keyword)) return Object.values(value)
    if (['anyOf', 'oneOf', 'allOf'].includes(keyword)) return value
    return ['items', 'additionalProperties', 'not'].includes(keyword) ? [value] : []
}

/** Why a schema cannot be part of a plan: its keywords that plans do not have. */
function strangersIn(schema, known, isRoot = true) {
    if (!isObject(schema)) return []
    return Object.entries(schema).flatMap(([keyword, value]) => {
        if (keyword === '$defs' && !isRoot) return ['$defs inside a schema']
        if (keyword === '$schema' && value !== DRAFT) return ['$schema of another draft']
        if (keyword !== '$defs' && !known.has(keyword)) return [keyword]
        if (keyword === 'pattern' && hasUnknownSyntax(value)) return ['pattern with what plans do not know']
        if (keyword === '$ref') return /^#\/\$defs\/[^/%~]+$/.test(value) ? [] : ['$ref to something else than $defs']
        return partsOf(keyword, value).flatMap((part) => strangersIn(part, known, false))
    })
}

/** The schema with its definitions under names of its own, since those of a plan are common to all events. */
function renamed(schema, prefix) {
    if (!isObject(schema)) return schema
    const inner = (value) => renamed(value, prefix)
    return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== '$defs').map(([keyword, value]) => {
        if (keyword === '$ref') return [keyword, value.replace('#/$defs/', `#/$defs/${prefix}`)]
        if (keyword === 'properties') return [keyword, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, inner(part)]))]
        if (partsOf(keyword, value).length === 0) return [keyword, value]
        return [keyword, Array.isArray(value) ? value.map(inner) : inner(value)]
    }))
}

/** The suite's cases as the events of one plan, and how many cases are left out for which keyword. */
function readSuite() {
    const plan = { events: {}, $defs: {} }
    const cases = []
    const leftOut = new Map()
    const own = readdirSync(FOLDER).filter((name) => name.endsWith('.json')).sort().map((name) => name.slice(0, -'.json'.length))
    for (const file of [...own, ...OPTIONAL, ...FORMATS]) {
        const isFormat = FORMATS.includes(file)
        // In the specification a format is an annotation unless one asks for more; plans always check it.
        const known = new Set([...SCHEMA_KEYWORDS.filter((keyword) => keyword !== 'format' || isFormat), ...SILENT])
        for (const { description, schema, tests } of JSON.parse(readFileSync(join(FOLDER, `${file}.json`), 'utf8'))) {
            const strangers = new Set(strangersIn(schema, known))
            for (const keyword of strangers) leftOut.set(keyword, (leftOut.get(keyword) ?? 0) + tests.length)
            if (strangers.size > 0) continue
            const name = `S${Object.keys(plan.events).length}`
            plan.events[name] = { data: { properties: { value: renamed(schema, `${name}-`) } } }
            for (const [key, part] of Object.entries(schema.$defs ?? {})) plan.$defs[`${name}-${key}`] = renamed(part, `${name}-`)
            for (const { data, valid, ...more } of tests) {
                cases.push({ name, value: data, valid, isFormat, title: `${file}: ${description}: ${more.description}` })
            }
        }
    }
    return { plan, cases, leftOut }
}

suite('The official JSON Schema Test Suite', () => {
    let plan, cases, leftOut

    before(() => ({ plan, cases, leftOut } = readSuite()))

    /** The cases that are not judged as the suite says. */
    const wrong = (kept) => cases.filter(({ valid, isFormat }, i) => !isFormat && kept[i] !== valid).map(({ title }) => title)

    test('has the cases with the keywords of plans', (t) => {
        const schemas = Object.keys(plan.events).length
        const rest = [...leftOut].sort(([, one], [, other]) => other - one).map(([keyword, count]) => `${keyword} ${count}`)
        const judge = new Plan(plan)
        const loose = cases.filter(({ name, value, valid, isFormat }) => isFormat && (judge.judge(name, { value }).verdict === 'kept') !== valid)
        t.diagnostic(`${cases.length} cases of ${schemas} schemas; ${loose.length} of formats are judged by their form alone`)
        t.diagnostic(`Left out, in cases: ${rest.join(', ')}`)

        assert.ok(cases.length >= FEWEST.cases && schemas >= FEWEST.schemas, `only ${cases.length} cases of ${schemas} schemas`)
        assert.ok(cases.filter(({ isFormat }) => isFormat).length >= FEWEST.ofFormats)
        for (const keyword of SCHEMA_KEYWORDS) {
            assert.ok(JSON.stringify(plan).includes(`"${keyword}":`), `no case has ${keyword}`)
        }
        assert.ok(cases.some(({ valid }) => valid) && cases.some(({ valid }) => !valid))
    })

    test('is judged by the collector as it says', async (t) => {
        const collector = await startCollector({ plan })
        afterwards(t, () => collector.close())
        const batch = cases.map(({ name, value }, i) => ({ ...analyticsEvent('track', i), event: name, properties: { value } }))

        await send(collector.url, { path: '/v1/batch', headers: batchHeaders(batch), body: { batch } })

        const judgements = collector.received()[0].plan
        assert.equal(judgements.length, cases.length)
        assert.deepEqual(wrong(judgements.map(({ verdict }) => verdict === 'kept')), [])
    })

    test('is judged by the host as it says, and formats as by the collector', { skip: withoutHost }, async (t) => {
        const file = join(freshFolder(t), 'plan.json')
        writeFileSync(file, JSON.stringify(plan))
        const tracker = createTestTracker({ stderr: 'ignore', warnings: false })
        afterwards(t, () => tracker.shutdown())
        await tracker.init('925', { apiUrl: 'https://api.example.com', xApiKey: KEY, plan: { file, onBroken: 'drop' } })

        const outcomes = await Promise.all(cases.map(({ name, value }) => tracker.track(name, { value })))

        assert.ok(outcomes.every(({ status, reason }) => status === 'queued' || reason === 'PLAN'))
        assert.deepEqual(wrong(outcomes.map(({ status }) => status === 'queued')), [])
        const collectors = new Plan(plan)
        const differing = cases.filter(({ name, value }, i) => {
            return (collectors.judge(name, { value }).verdict === 'kept') !== (outcomes[i].status === 'queued')
        })
        assert.deepEqual(differing.map(({ title }) => title), [])
    })
})
