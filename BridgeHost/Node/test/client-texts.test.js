import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { clientText, filled, sentenceOf } from '../src/client/fault.js'

/** The readers of Swift and Python fill the same texts: `FaultWordTests`, `test_texts.py`. */
const [TEMPLATES, FAULTS, CLIENTS] = ['templates', 'faults', 'clients'].map((name) =>
    JSON.parse(readFileSync(new URL(`../../../Tests/Texts/${name}.json`, import.meta.url), 'utf8')))

suite('a text', () => {
    for (const { text, facts, gives } of TEMPLATES) {
        test(`is filled with its facts: ${text} ${JSON.stringify(facts)}`, () => {
            assert.equal(filled(text, facts), gives)
        })
    }

    for (const { word, facts, gives } of FAULTS) {
        test(`says what is wrong with an option: ${word} ${JSON.stringify(facts)}`, () => {
            assert.equal(sentenceOf(word, facts), gives)
        })
    }

    for (const { word, facts, gives } of CLIENTS) {
        test(`says what a client says: ${word} ${JSON.stringify(facts)}`, () => {
            assert.equal(clientText(word, facts), gives)
        })
    }

    test('that lacks a fact is none', () => {
        assert.equal(filled('{a} and {b}', { a: 'A' }), undefined)
        assert.equal(filled('version [{a}|unknown]', { a: null }), 'version unknown')
    })

    test('about several options has a sentence for each', () => {
        const facts = { option: 'a', suggestion: 'b', others: [{ option: 'c', suggestion: 'd' }, { option: 'e' }], known: ['f', 'g'] }

        assert.equal(
            sentenceOf('unknown', facts),
            "'a' is not known; did you mean 'b'? 'c' is not known; did you mean 'd'? 'e' is not known. There are: f, g.",
        )
    })
})
