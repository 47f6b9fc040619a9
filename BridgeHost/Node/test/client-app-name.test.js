import assert from 'node:assert/strict'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { appName } from '../src/client/app-name.js'
import { freshFolder } from '../testsupport/hosts.js'
import { runFile } from '../testsupport/programs.js'
import { withoutHost } from '../testsupport/real-host.js'

const CLIENT = new URL('../src/client/index.js', import.meta.url)

/** A package with a script in a folder of its own, which has a nameless package.json. */
function packageNamed(t, name, source = '') {
    const folder = freshFolder(t)
    mkdirSync(join(folder, 'bin'))
    if (name) writeFileSync(join(folder, 'package.json'), JSON.stringify({ name }))
    writeFileSync(join(folder, 'bin', 'package.json'), '{"type":"module"}')
    writeFileSync(join(folder, 'bin', 'serve.js'), source)
    return folder
}

suite('the name of the program is', () => {
    test('that in the package.json of its entry', (t) => {
        const folder = packageNamed(t, '@acme/shop')

        assert.equal(appName(join(folder, 'bin', 'serve.js')), '@acme/shop')
    })

    test('also behind a link', (t) => {
        const folder = packageNamed(t, 'shop')
        const link = join(freshFolder(t), 'shop-command')
        symlinkSync(join(folder, 'bin', 'serve.js'), link)

        assert.equal(appName(link), 'shop')
    })

    test('that of the entry script without a package', (t) => {
        const folder = packageNamed(t, null)

        assert.equal(appName(join(folder, 'bin', 'serve.js')), 'serve')
    })

    test('unknown without a script', () => assert.equal(appName(''), null))
})

suite('programs of one user', { skip: withoutHost }, () => {
    const source = `
        import { createTracker } from '${CLIENT}'
        const tracker = createTracker({ stderr: 'ignore', ...JSON.parse(process.env.OPTIONS) })
        await tracker.basic.initialize('key', 'http://127.0.0.1:9/in')
        await tracker.shutdown()`

    const cases = {
        'their package\'s name': ['@acme/shop', {}, '@acme%2Fshop'],
        'the name they give': ['shop', { appName: '../other' }, '%2E.%2Fother'],
        'the name in the host\'s arguments': ['shop', { hostArguments: ['--app-name', 'third'] }, 'third'],
    }
    for (const [what, [name, options, folder]] of Object.entries(cases)) {
        test(`have state folders of their own, by ${what}`, async (t) => {
            const home = freshFolder(t)
            const script = join(packageNamed(t, name, source), 'bin', 'serve.js')

            const env = { XDG_STATE_HOME: home, OPTIONS: JSON.stringify(options) }
            const { code, stderr } = await runFile(t, script, { env })

            assert.deepEqual([code, stderr], [0, ''])
            assert.ok(existsSync(join(home, 'mobile-tracker', folder)), folder)
        })
    }
})
