import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { Plan, PlanError } from '../src/plan/plan.js'

const { schemas, faulty } = JSON.parse(readFileSync(new URL('../../../Tests/Plans/cases.json', import.meta.url), 'utf8'))

suite('The cases of plans that the collector and the host share', () => {
    for (const { schema, good, bad, $defs } of schemas) {
        test(`judge ${JSON.stringify(schema)}`, () => {
            const plan = new Plan({ events: { A: { data: { properties: { v: schema } } } }, $defs })
            const verdictOf = (v) => plan.judge('A', { v }).verdict

            assert.deepEqual(good.filter((value) => verdictOf(value) !== 'kept'), [])
            assert.deepEqual(bad.filter((value) => verdictOf(value) !== 'broken'), [])
        })
    }

    for (const plan of faulty) {
        test(`refuse the plan ${JSON.stringify(plan)}`, () => assert.throws(() => new Plan(plan), PlanError))
    }
})
