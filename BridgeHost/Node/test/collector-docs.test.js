import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { runCommand } from '../testsupport/commands.js'
import { freshFolder } from '../testsupport/hosts.js'
import { runProgram } from '../testsupport/programs.js'
import { checkSwift, withoutModules } from '../testsupport/swift.js'
import { checkTypes, withoutCompiler } from '../testsupport/typescript.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const PAGE = readFileSync(join(ROOT, 'Docs/Collector.md'), 'utf8')

/** The example of the collector's page, in a language, that has these words in it. */
function example(language, words) {
    const blocks = [...PAGE.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, name, code]) => ({ name, code }))
    const found = blocks.find(({ name, code }) => name === language && code.includes(words))
    assert.ok(found, `The page has no example in ${language} with ${words}.`)
    return found.code
}

/** A folder with the plan of the page and the calls made from it. */
async function planned(t) {
    const folder = freshFolder(t)
    const [plan, types, swift] = ['plan.json', 'events.d.ts', 'PlannedEvents.swift'].map((name) => join(folder, name))
    writeFileSync(plan, example('json', '"PURCHASE": {'))
    const { status, errors } = await runCommand(t, 'plan', 'types', plan, '--ts', types, '--swift', swift)
    assert.equal(status, 0, errors)
    return { folder, types, swift }
}

suite('the examples of the collector\'s page', () => {
    /** The example for a test, as a program that sends an event. */
    function testProgram() {
        const step = /^ *\/\/ … run what tracks.*$/m
        const code = example('js', 'collector.wait(')
        assert.match(code, step)
        const imports = `
            import { send } from './testsupport/http.js'
            import { sample } from './testsupport/samples.js'\n`
        return imports + code.replace(step, "await send(collector.url, sample('event'))")
    }

    test('run in a test', async (t) => {
        const { code: status, stdout, stderr } = await runProgram(t, testProgram())

        assert.equal(status, 0, stdout + stderr)
    })

    test('end also if an assertion fails', async (t) => {
        const { code: status, stdout } = await runProgram(t, testProgram().replace('149.99)', '1)'))

        assert.equal(status, 1, stdout)
        assert.match(stdout, /149\.99 !== 1/)
    })

    test('make calls for TypeScript that compile', { skip: withoutCompiler }, async (t) => {
        const { folder } = await planned(t)
        const program = join(folder, 'program.mts')
        mkdirSync(join(folder, 'node_modules/@mobiletracker'), { recursive: true })
        symlinkSync(join(ROOT, 'BridgeHost/Node'), join(folder, 'node_modules/@mobiletracker/bridge'))
        writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
        writeFileSync(program, example('js', 'plannedEvents('))

        assert.equal(checkTypes(program), '')
    })

    test('make calls for Swift that compile', { skip: withoutModules }, async (t) => {
        const { folder, swift } = await planned(t)
        const program = join(folder, 'main.swift')
        writeFileSync(program, example('swift', 'PlannedEvents('))

        assert.equal(checkSwift(program, swift), '')
    })
})

suite('the pictures of the collector\'s page', () => {
    const folder = join(ROOT, 'Docs/images')

    test('are each shown by the documentation, and none is large', () => {
        for (const name of readdirSync(folder).filter((name) => name.startsWith('collector'))) {
            assert.ok(PAGE.includes(`images/${name}`), `${name} is shown nowhere`)
            assert.ok(statSync(join(folder, name)).size <= 200_000, name)
        }
        assert.ok(readFileSync(join(ROOT, 'README.md'), 'utf8').includes('Docs/images/collector.png'))
    })
})
