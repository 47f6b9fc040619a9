import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { apiOf } from '../collector/apis/index.js'
import { itemsOf } from '../collector/items.js'
import { bodyIn, readRecording } from '../collector/recording.js'
import { routeOf } from '../collector/routes.js'
import { CommandError, counted, FAILURE, runAction, runCommand, UsageError, writing } from '../command-line.js'
import { harmless, painter, wrap } from '../terminal.js'
import { PlanError } from './plan.js'
import { pythonCalls } from './python.js'
import { readPlan } from './read.js'
import { SCHEMA_KEYWORDS } from './schema.js'
import { swiftCalls } from './swift.js'
import { typescriptCalls } from './typescript.js'

const FORMAT = `A plan is JSON:

  {
      "events": {
          "PURCHASE": {
              "description": "An order was paid.",
              "data": { "type": "object", "properties": { "total": { "type": "number" } }, "required": ["total"] },
              "examples": [{ "total": 149.99 }]
          }
      },
      "screens": { "Home": { "data": { "type": "object", "additionalProperties": false } } },
      "identify": { "traits": { "type": "object", "required": ["email"] } },
      "group": { "traits": { "type": "object" } },
      "others": "forbid",
      "$defs": {}
  }

"data" and "traits" are JSON Schemas of Draft 2020-12 with these keywords:
  ${wrap(`${SCHEMA_KEYWORDS.join(', ')}.`, 100, 2)}
"$ref" names one of "$defs", as in {"$ref": "#/$defs/price"}.
"others" says what an event or a screen is that the plan does not name: "forbid" (broken, the default) or "allow".
Without "screens", "identify" or "group" those calls are not judged.`

/** @type {import('../command-line.js').CommandSpec} */
const CHECK = {
    name: 'plan check',
    operands: 'FILE…',
    least: 1,
    about: 'Checks plan files: their form, and that their examples keep to them. Ends with 1 if there is anything wrong.',
    options: {
        recording: { value: 'file', help: 'check also the calls that mobile-tracker collect --record has recorded' },
        json: { help: 'print JSON, one object a file' },
    },
    more: FORMAT,
    examples: [
        ['plan.json', 'says what is wrong with it'],
        ['plan.json --recording run.jsonl', 'says also which recorded calls break it'],
    ],
}

/** @type {import('../command-line.js').CommandSpec} */
export const TYPES = {
    name: 'plan types',
    operands: 'FILE',
    least: 1,
    most: 1,
    about: 'Makes typed calls from a plan, one function each. A call that breaks the plan does not compile.',
    options: {
        ts: {
            value: 'file.d.ts',
            help: 'the TypeScript declarations; the module goes beside them, as file.js',
        },
        swift: { value: 'file.swift', help: 'the same for Swift' },
        python: { value: 'file.py', help: 'the same for Python' },
    },
    examples: [
        ['plan.json --ts src/events.d.ts', 'then: plannedEvents(MobileTracker).purchase({ total: 149.99 })'],
        ['plan.json --swift Sources/App/PlannedEvents.swift', 'then: await PlannedEvents().purchase(total: 149.99)'],
        ['plan.json --python shop/events.py', 'then: PlannedEvents(tracker).purchase({"total": 149.99})'],
    ],
}

const HELP = `Usage: mobile-tracker plan <check | types> [options] FILE

A plan says which events and screens there are, and what their data and traits must be.

Commands:
  check  says what is wrong with a plan, and which recorded calls break it
  types  makes typed calls for TypeScript, Swift and Python

Examples:
  mobile-tracker collect --infer-plan plan.json
      writes a plan from what your program sends
  mobile-tracker collect --plan plan.json
      says of each call whether it keeps to the plan
  mobile-tracker plan check plan.json
      says what is wrong with it
  mobile-tracker plan types plan.json --ts src/events.d.ts
      makes typed calls

${FORMAT}
`

/** Runs `mobile-tracker plan`. @param {string[]} words @returns {Promise<number>} The exit status. */
export function plan(words) {
    return runAction('plan', { check, types }, HELP, words)
}

function check(words) {
    return runCommand(CHECK, words, async ({ recording, json }, paths) => {
        const paint = painter(process.stdout)
        let isGood = true
        for (const path of paths) {
            const { faults, events, screens } = faultsAt(path, recording)
            const size = [counted(events, 'event'), ...(screens > 0 ? [counted(screens, 'screen')] : [])].join(', ')
            isGood &&= faults.length === 0
            if (json) process.stdout.write(`${JSON.stringify({ file: path, events, screens, faults })}\n`)
            else if (faults.length === 0) process.stdout.write(
                `${paint('green', '✔')} ${path}  ${paint('dim', size)}\n`,
            )
            else {
                process.stdout.write(`${paint('red', '✘')} ${path}  ${paint('dim', counted(faults.length, 'fault'))}\n`)
                for (const fault of faults) process.stdout.write(`    ${harmless(fault)}\n`)
            }
        }
        return isGood ? 0 : FAILURE
    })
}

function faultsAt(path, recording) {
    try {
        const plan = readPlan(path)
        const sizes = { events: plan.events.size, screens: plan.screens?.size ?? 0 }
        return { ...sizes, faults: recording === undefined ? [] : breaksIn(recording, plan) }
    } catch (error) {
        if (error instanceof PlanError) return { events: 0, screens: 0, faults: error.faults }
        throw error
    }
}

function breaksIn(path, plan) {
    return readRecording(path).flatMap(({ request: { method, path: target, body }, place }) => {
        const value = bodyIn(body)
        const route = routeOf(method, target, { anyPath: true })
        const api = apiOf(route, value)
        const judged = plan.judgeRequest(route.kind, api, itemsOf(route, api, value), value)
        return judged.flatMap(({ judgement: { name, reasons } }) => reasons.map((reason) => `${place} ${name}: ${reason}`))
    })
}

function types(words) {
    return runCommand(TYPES, words, async ({ ts, swift, python }, [path]) => {
        if (ts === undefined && swift === undefined && python === undefined) {
            throw new UsageError('plan types needs --ts <file.d.ts>, --swift <file.swift>, --python <file.py> or several.')
        }
        if (ts !== undefined && !ts.endsWith('.d.ts')) {
            throw new UsageError(`--ts is "${ts}"; it must end in .d.ts. The module goes beside it.`)
        }
        const files = []
        try {
            const plan = readPlan(path)
            if (ts !== undefined) {
                const calls = typescriptCalls(plan)
                files.push([ts, calls.types], [ts.replace(/\.d\.ts$/, '.js'), calls.module])
            }
            if (swift !== undefined) files.push([swift, swiftCalls(plan)])
            if (python !== undefined) files.push([python, pythonCalls(plan)])
        } catch (error) {
            if (error instanceof PlanError) throw new CommandError(`${path} cannot be used: ${error.message}`)
            throw error
        }
        for (const [file, text] of files) write(file, text)
        return 0
    })
}

/** Writes a file, with the folder that it is in, and says so. */
function write(path, text) {
    writing(path, () => {
        mkdirSync(dirname(path), { recursive: true })
        writeFileSync(path, text)
    })
    process.stdout.write(`Wrote ${path}.\n`)
}
