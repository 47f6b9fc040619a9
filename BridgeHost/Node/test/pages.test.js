import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startCollector } from '@mobiletracker/bridge/collector'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { run, runProgram } from '../testsupport/programs.js'
import { patientHost, problemsOf, WAIT_MS, withoutHost } from '../testsupport/real-host.js'

const SCRIPTS = fileURLToPath(new URL('../../../Tests/Scripts/', import.meta.url))

/** A repository with these pages. */
function repository(t, pages) {
    const folder = freshFolder(t)
    mkdirSync(join(folder, 'Docs'))
    for (const [name, text] of Object.entries(pages)) writeFileSync(join(folder, name), text)
    return folder
}

/** What the script says of it, without the last line. */
async function faults(t, pages) {
    const { code, stdout } = await run(t, 'python3', [join(SCRIPTS, 'links.py'), repository(t, pages)])
    return { code, lines: stdout.trimEnd().split('\n').slice(0, -1) }
}

suite('The check of the pages', () => {
    test('finds no fault in pages whose links lead somewhere', async (t) => {
        const { code, lines } = await faults(t, {
            'README.md': '# Front\n\n[A page](Docs/A.md#two-words-1) and `[no link](gone.md)`\n',
            'Docs/A.md': '# A\n\n**For** readers.\n\n## Two words\n\n## Two `words`\n\n[Back](../README.md), [a](#a)\n',
        })

        assert.deepEqual({ code, lines }, { code: 0, lines: [] })
    })

    test('finds links, anchors and paths that lead nowhere, and pages that nobody is led to', async (t) => {
        const { code, lines } = await faults(t, {
            'README.md': '# Front\n\n[A page](Docs/B.md)\n\n[A](Docs/A.md#gone)\n',
            'Docs/A.md': '# A\n\n**For** readers.\n\nSee `Tests/Gone.swift` and ![a picture](gone.png).\n',
            'Docs/Architecture.md': '# B\n\n**For** readers.\n\n`Runtime/Gone`\n',
            'Docs/C.md': '# C\n\nSomething.\n',
        })

        assert.equal(code, 1)
        assert.deepEqual(lines, [
            'Docs/A.md:5: gone.png leads nowhere',
            'Docs/A.md:5: there is no Tests/Gone.swift',
            'Docs/Architecture.md:5: there is no Runtime/Gone',
            'Docs/C.md: does not begin with its reader, a paragraph "**For** …"',
            'README.md:3: Docs/B.md leads nowhere',
            'README.md:5: Docs/A.md#gone: there is no such heading',
            'Docs/Architecture.md: no link of README.md leads here',
            'Docs/C.md: no link of README.md leads here',
        ])
    })
})

suite('The reference of the API', () => {
    test('has no room for a public declaration without a comment', async (t) => {
        const program = `
import docs, json
place = {"uri": f"file://{docs.ROOT}/Modules/A.swift", "position": {"line": 6}}
symbols = [
    {"pathComponents": ["A", "said"], "location": place, "docComment": {}},
    {"pathComponents": ["A", "unsaid"], "location": place},
    {"pathComponents": ["A", "made"]},
]
print("\\n".join(docs.undocumented({"symbols": symbols})))`

        const { code, stdout, stderr } = await run(t, 'python3', ['-c', program], { cwd: SCRIPTS })

        assert.equal(code, 0, stderr)
        assert.equal(stdout, 'Modules/A.swift:7: A.unsaid has no comment\n')
    })
})

/** The example in Node on a page that has these words in it. */
function example(page, words) {
    const text = readFileSync(join(SCRIPTS, '../../Docs', page), 'utf8')
    const blocks = [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code)
    const found = blocks.find((code) => code.includes(words))
    assert.ok(found, `${page} has no example with ${words}.`)
    return found
}

/** What makes the example of a service take one request, during which it gets a signal. */
const ONE_REQUEST = `
import { once } from 'node:events'
async function getsSignal() {
    const signal = once(process, 'SIGTERM')
    process.kill(process.pid, 'SIGTERM')
    await signal
}
if (!server.listening) await once(server, 'listening')
await (await fetch('http://127.0.0.1:' + server.address().port + '/hello')).text()`

/** Has the example of a service get a signal at the beginning of its request. */
const inRequest = (program) => program.replace(/createServer\((.*) => \{/, 'createServer(async $1 => {\n    await getsSignal()')

/** One call that the example's `beforeSend` drops, and one that it lets pass. */
const TWO_CALLS = `
await MobileTracker.track('INTERNAL')
await MobileTracker.track('PURCHASE', { email: 'ada@example.com' })`

suite('The examples in Node', { skip: withoutHost }, () => {
    const cases = [
        ['GettingStarted.md', 'PURCHASE', ['PURCHASE']],
        ['Node.md', 'createServer', ['REQUEST'], ONE_REQUEST, inRequest],
        ['Node.md', 'outcome.status', ['PURCHASE']],
        ['Node.md', 'account, lastError', []],
        ['Node.md', 'refused.retry', ['PURCHASE']],
        ['Node.md', "userId: 'user-2'", ['Order Completed', 'Order Completed']],
        ['Node.md', 'personOf(request)', ['Page Served'], `${ONE_REQUEST}\nserver.close()\nserver.closeAllConnections()`],
        ['Node.md', 'beforeSend', ['PURCHASE'], TWO_CALLS],
        ['Node.md', 'logger: console', []],
        ['Node.md', 'node:test', []],
        ['Migration.md', 'Order Completed', ['Order Completed']],
        ['Migration.md', "api: 'segment'", ['Plan Changed']],
        ['Migration.md', "api: 'amplitude'", ['Plan Bought']],
        ['Migration.md', "api: 'otlp'", ['Plan Upgraded']],
        ['Backends.md', "userId: 'user-17'", ['Order Completed']],
        ['Backends.md', 'MobileTracker.init', ['PURCHASE', 'PURCHASE']],
        ['Testing.md', 'node:test', []],
    ]
    for (const [page, words, events, rest = '', change = (program) => program] of cases) {
        test(`of ${page} with ${words} do what they say`, async (t) => {
            const collector = await startCollector()
            afterwards(t, () => collector.close())
            if (words === 'refused.retry') collector.faults(['200', '422'])
            const env = { XDG_STATE_HOME: freshFolder(t), MOBILE_TRACKER_HOST: patientHost(t), PORT: '0' }
            const program = example(page, words).replaceAll('http://127.0.0.1:8123', collector.url)
                .replaceAll("'state'", `'${freshFolder(t)}'`)

            const { code, stdout, stderr } = await runProgram(t, change(program) + rest, { env })

            assert.equal(code, 0, stdout + stderr)
            await collector.wait({ type: TYPES, count: events.length, timeoutMs: WAIT_MS })
            assert.deepEqual(namesOf(collector), events)
            assert.deepEqual(problemsOf(collector), [])
        })
    }

    test('of Node.md for a test ends also if an assertion fails', async (t) => {
        const env = { XDG_STATE_HOME: freshFolder(t), MOBILE_TRACKER_HOST: patientHost(t) }
        const program = example('Node.md', 'node:test').replace('total, 149.99)', 'total, 1)')

        const { code, stdout } = await runProgram(t, program, { env })

        assert.equal(code, 1, stdout)
        assert.match(stdout, /149\.99 !== 1/)
    })

    test('of Operations.md end a service as that of Node.md does', () => {
        const ending = example('Operations.md', 'server.close')

        assert.ok(example('Node.md', 'createServer').includes(ending), ending)
    })

    test('of Migration.md name the user in each call, and leave the client without one', async (t) => {
        const collector = await startCollector()
        afterwards(t, () => collector.close())
        const env = { XDG_STATE_HOME: freshFolder(t), MOBILE_TRACKER_HOST: patientHost(t) }
        const program = example('Migration.md', 'Order Completed').replaceAll('http://127.0.0.1:8123', collector.url)

        const { code, stderr } = await runProgram(t, program, { env })

        assert.equal(code, 0, stderr)
        await collector.wait({ kind: 'batch', count: 2, timeoutMs: WAIT_MS })
        const events = collector.received({ kind: 'batch' }).flatMap(({ body }) => body.batch)
        // A call that carried the client's own user would have its anonymousId.
        assert.deepEqual(events.map(({ type, userId, anonymousId }) => [type, userId, anonymousId]), [
            ['identify', 'user-17', undefined], ['track', 'user-17', undefined],
        ])
    })
})

/** What an event is, alone or in a batch. */
const TYPES = ['event', 'track']

/** The names of the events that came. */
function namesOf(collector) {
    const items = collector.received({ accepted: true }).flatMap((request) => request.items)
    return items.filter(({ type }) => TYPES.includes(type)).map(({ name }) => name)
}

suite('The front page', () => {
    test('has the figures of the performance page', () => {
        const [front, performance] = ['README.md', 'Docs/Performance.md'].map(
            (page) => readFileSync(join(SCRIPTS, '../..', page), 'utf8'))
        const names = { 'mobile-tracker': 'this package, from Python', Segment: 'segment', PostHog: 'posthog', RudderStack: 'rudder',
            Snowplow: 'snowplow' }
        for (const [name, measured] of Object.entries(names)) {
            const shown = new RegExp(`^\\| ${name},.* (\\S+ ×) \\|$`, 'm').exec(front)?.[1]
            const figures = new RegExp(`^\\| (?:\\*\\*)?${measured}\\b.*$`, 'm').exec(performance)?.[0]

            const isSame = shown && figures?.includes(`| ${shown} |`)
            assert.ok(isSame, `${name}: ${shown} on the front page, measured: ${figures}`)
        }
    })
})
