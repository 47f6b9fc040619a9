import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { nearest } from '../src/nearest.js'
import { runCommand } from '../testsupport/commands.js'

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
