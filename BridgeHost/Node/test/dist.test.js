import assert from 'node:assert/strict'
import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startCollector } from '@mobiletracker/bridge/collector'
import { afterwards, freshFolder } from '../testsupport/hosts.js'
import { packAndInstall, withoutNpm } from '../testsupport/packages.js'
import { run } from '../testsupport/programs.js'
import { against, exampleIn } from '../testsupport/readme.js'
import { eventNames, problemsOf } from '../testsupport/real-host.js'

const RELEASE = fileURLToPath(new URL('../../../.build/release/BridgeHost', import.meta.url))
const PAGE = new URL('../README.md', import.meta.url)

const isMissing = withoutNpm || (existsSync(RELEASE) ? false : 'there is no release host; "make dist" builds it')

suite('the package that is distributed', { skip: isMissing }, () => {
    test('runs the README\'s example where there is nothing but Node and libcurl', async (t) => {
        const folder = freshFolder(t)
        const { packed, home, installed } = packAndInstall(folder, RELEASE)
        assert.equal(packed.status, 0, packed.stderr)
        const { size } = statSync(join(installed, 'host', `${process.platform}-${process.arch}`, 'BridgeHost'))
        assert.ok(size <= 12_000_000, `The host has ${size} bytes.`)
        const collector = await startCollector()
        afterwards(t, () => collector.close())
        writeFileSync(join(home, 'example.mjs'), against(collector.url, exampleIn(PAGE, 'js')))
        mkdirSync(join(folder, 'bin'))
        symlinkSync(process.execPath, join(folder, 'bin', 'node'))
        const env = { PATH: join(folder, 'bin'), HOME: home, XDG_STATE_HOME: join(folder, 'state') }

        const { code, stderr } = await run(t, 'node', ['example.mjs'], { cwd: home, env })

        assert.equal(code, 0, stderr)
        assert.deepEqual(eventNames(collector), ['PURCHASE'])
        assert.deepEqual(problemsOf(collector), [])
    })
})
