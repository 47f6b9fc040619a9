import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import MobileTracker from '@mobiletracker/bridge'
import { createTestTracker } from '@mobiletracker/bridge/testing'
import { findHost } from '../src/client/finder.js'
import { PROTOCOL_VERSION } from '../src/client/handshake.js'
import { MEMBERS } from '../src/client/hooks.js'
import { METHODS } from '../src/client/methods.js'
import { SCOPE } from '../src/client/scope.js'
import { withoutHost } from '../testsupport/real-host.js'

/** What the host answers to a question that needs no tracker. */
function ask(method) {
    const input = JSON.stringify({ jsonrpc: '2.0', id: 1, method }) + '\n'
    return JSON.parse(spawnSync(findHost(), { input, encoding: 'utf8' }).stdout).result
}

/** What the tables say of each of the host's methods, by its name. */
function describeTables() {
    const saysRepeats = ['user', 'ends', 'endsBrand']
    return new Map(Object.entries(METHODS).map(([name, { params, options, isScoped, messageId, restores }]) => [
        name,
        [
            ...params.map((param) => param.name), ...(options ? ['options'] : []), ...(isScoped ? ['scope'] : []),
            ...(saysRepeats.includes(restores) ? ['repeats'] : []), ...(messageId ? ['messageId'] : []),
        ],
    ]))
}

/** What the host says of its methods for clients. */
function describeHost() {
    const { methods } = ask('rpc.discover')
    const forClients = methods.filter(({ name }) => !/^(host|rpc)\./.test(name))
    return new Map(forClients.map(({ name, params }) => [name, params.map((param) => param.name)]))
}

suite('the client and the host agree', { skip: withoutHost }, () => {
    test('on all methods and their params', () => {
        const tables = describeTables()
        for (const [name, params] of describeHost()) {
            assert.deepEqual(
                tables.get(name), params,
                `${name}: src/client/methods.js is not what the host's table says: build the host, and run make generate`,
            )
        }
    })

    test('on what an analytics call may say for itself, and a scope for the calls in it', () => {
        const { AnalyticsCallOptions, AnalyticsScope } = ask('rpc.discover').components.schemas

        assert.deepEqual(
            METHODS['analytics.track'].options.map(({ name }) => name), Object.keys(AnalyticsCallOptions.properties))
        assert.deepEqual(SCOPE.map(({ name }) => name), Object.keys(AnalyticsScope.properties))
    })

    test('on the version of the protocol and of the product', () => {
        const { protocolVersion, version } = ask('host.info')

        assert.equal(protocolVersion, PROTOCOL_VERSION)
        assert.equal(version, JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version)
    })
})

suite('the program that the types are tested with', () => {
    const program = readFileSync(new URL('../testsupport/types-program.mts', import.meta.url), 'utf8')

    test('makes every call', () => {
        for (const method of describeTables().keys()) {
            const call = method.includes('.') ? method.replace(/^record\./, 'test.') : `tracker.${method}`
            assert.ok(
                program.includes(`${call}(`),
                `no call of ${call}: add one to testsupport/types-program.mts (Docs/Contributing.md, "Adding a method")`,
            )
        }
    })

    test('gives every option', { skip: withoutHost }, () => {
        const { schemas } = ask('rpc.discover').components
        for (const name of ['TrackerConfig', 'AnalyticsOptions', 'BasicOptions', 'AnalyticsCallOptions', 'AnalyticsScope']) {
            // Spellings such as api_url are those of other packages.
            for (const option of Object.keys(schemas[name].properties).filter((key) => !key.includes('_'))) {
                assert.match(
                    program, new RegExp(`\\b${option}\\b`),
                    `${name}.${option} is not given: add it to testsupport/types-program.mts`,
                )
            }
        }
    })
})

const declarations = ['index.d.cts', 'protocol.d.cts']
    .map((name) => readFileSync(new URL(`../src/client/${name}`, import.meta.url), 'utf8')).join('')

suite('beforeSend', () => {
    test('sees every argument of every tracking call', () => {
        const [, members] = /export interface OutgoingCall {([^]*?)\n}/.exec(declarations)
        for (const member of MEMBERS) {
            const edit = 'add one to OutgoingCallType.swift (Docs/Contributing.md, "Adding a method")'
            assert.match(members, new RegExp(`^    ${member}\\?:`, 'm'), `OutgoingCall has no member '${member}': ${edit}`)
        }
    })
})

suite('the client has a function', () => {

    for (const method of describeTables().keys()) {
        test(`${method}, and a type for it`, () => {
            const [name, group] = method.split('.').reverse()
            // A tracker for tests has those of the recorder.
            const owner = group === 'record' ? createTestTracker() : group ? MobileTracker[group] : MobileTracker
            const types = {
                analytics: 'AnalyticsMethods', basic: 'BasicMethods', refused: 'RefusedMethods', record: 'RecordMethods',
                host: 'HostMethods',
            }
            const type = types[group] ?? 'TrackerMethods'
            const [, members] = new RegExp(`export interface ${type} {([^]*?)\\n}`).exec(declarations)
            const edit = '"swift run BridgeGenerator" makes it (Docs/Contributing.md, "Adding a method")'

            assert.equal(typeof owner?.[name], 'function', `${method} is no function of the client: ${edit}`)
            assert.match(members, new RegExp(`^    ${name}\\(`, 'm'), `${type} has no ${name}: ${edit}`)
        })
    }
})
