import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startCollector } from '@mobiletracker/bridge/collector'
import { FIRST_EVENT } from '../src/collector/page/first-event.js'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { run } from '../testsupport/programs.js'
import { eventNames, patientHost, problemsOf, WAIT_MS, withoutHost } from '../testsupport/real-host.js'

const PYTHON = fileURLToPath(new URL('../../Python/src', import.meta.url))

/** What runs each language's lines: a program and the words before them. */
const RUNNERS = {
    Node: [process.execPath, '--input-type=module', '--eval'],
    Python: ['python3', '-c'],
    curl: ['sh', '-c'],
}

const missing = {
    Node: withoutHost,
    Python: withoutHost,
    curl: spawnSync('curl', ['--version']).error ? 'there is no curl here' : false,
}

suite('the lines on the empty page', () => {
    for (const [language, [command, ...words]] of Object.entries(RUNNERS)) {
        test(`make a first event come, without problems: ${language}`, { skip: missing[language] }, async (t) => {
            const collector = await startCollector({ strict: true })
            afterwards(t, () => collector.close())
            const env = {
                ...process.env, NODE_OPTIONS: '', PYTHONPATH: PYTHON, PYTHONDONTWRITEBYTECODE: '1',
                XDG_STATE_HOME: freshFolder(t), ...(withoutHost ? {} : { MOBILE_TRACKER_HOST: patientHost(t) }),
            }
            const { code, stderr } = await run(t, command, [...words, FIRST_EVENT[language](collector.url)], { env })

            assert.equal(code, 0, stderr)
            await collector.wait({ kind: 'event', timeoutMs: WAIT_MS })
            assert.deepEqual(eventNames(collector), ['PURCHASE'])
            assert.deepEqual(problemsOf(collector), [])
        })
    }
})
