import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { nearest } from '../src/nearest.js'
import { COMMAND, runCommand } from '../testsupport/commands.js'
import { freshFolder } from '../testsupport/hosts.js'
import { run } from '../testsupport/programs.js'

suite('the command', () => {
    for (const words of [
        ['collect'], ['replay'], ['doctor'], ['plan'], ['plan', 'check'], ['plan', 'types'],
        ['refused'], ...['list', 'show', 'retry', 'drop', 'export'].map((word) => ['refused', word]),
    ]) {
        test(`explains itself with examples: ${words.join(' ')} --help`, async (t) => {
            const { status, out } = await runCommand(t, ...words, '--help')

            assert.equal(status, 0)
            assert.match(out, new RegExp(`^Usage: mobile-tracker ${words.join(' ')} `))
            assert.match(out, /^Examples:\n {2}mobile-tracker /m)
            assert.deepEqual(out.split('\n').filter((line) => line.length > 120), [])
        })
    }

    test('names every command', async (t) => {
        const { out } = await runCommand(t, '--help')
        for (const word of ['collect', 'doctor', 'plan', 'refused', 'replay']) assert.match(out, new RegExp(`^ {2}${word} `, 'm'))
    })

    test('shows the help of a command after the word help', async (t) => {
        assert.match((await runCommand(t, 'help', 'doctor')).out, /^Usage: mobile-tracker doctor /)
    })

    test('ends quietly when its reader wants no more, as head does', async (t) => {
        const script = 'mkfifo "$1/pipe"; exec 3<>"$1/pipe" 4>"$1/pipe" 3>&-; shift; exec "$@" >&4'
        const words = ['-c', script, 'sh', freshFolder(t), process.execPath, COMMAND]
        const { code, stderr } = await run(t, '/bin/sh', [...words, 'doctor', '--storage-dir', '/nowhere', '--api-url', 'http://127.0.0.1:9'])

        // As a program that SIGPIPE ends.
        assert.deepEqual([code, stderr], [141, ''])
    })

    for (const [words, reason] of [
        [['docter'], /There is no command "docter"; did you mean doctor\?/],
        [['replay', 'x', '--ot', 'y'], /There is no option --ot; did you mean --to\?/],
        [['doctor', '--api-ulr', 'x'], /There is no option --api-ulr; did you mean --api-url\?/],
        [['plan', 'types', '--swfit', 'x'], /There is no option --swfit; did you mean --swift\?/],
        [['replay', 'x', 'y'], /"y" does not belong here\./],
    ]) {
        test(`names the nearest right word: ${words.join(' ')}`, async (t) => {
            const { status, errors } = await runCommand(t, ...words)
            assert.equal(status, 64)
            assert.match(errors, reason)
        })
    }
})

suite('the nearest word', () => {
    for (const [word, words, found] of [
        ['colect', ['collect', 'replay'], 'collect'], ['PURCHAES', ['PURCHASE', 'SEARCH'], 'PURCHASE'],
        ['purchase', ['PURCHASE'], 'PURCHASE'], ['x', ['collect'], undefined], ['sign_up', ['logout'], undefined],
    ]) test(`to ${word} is ${found}`, () => assert.equal(nearest(word, words), found))
})
