import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { test } from 'node:test'
import * as collector from '@mobiletracker/bridge/collector'
import { checkTypes, withoutCompiler } from '../testsupport/typescript.js'

test('the type definitions of the collector are strict and complete', { skip: withoutCompiler }, () => {
    assert.equal(checkTypes('testsupport/collector-program.mts'), '')
})

test('the collector can be required', () => {
    const required = createRequire(import.meta.url)('@mobiletracker/bridge/collector')

    assert.equal(required.startCollector, collector.startCollector)
    assert.equal(required.WaitError, collector.WaitError)
})

test('the collector gives what its types say, and nothing else', () => {
    assert.deepEqual(Object.keys(collector).sort(), ['WaitError', 'startCollector'])
})
