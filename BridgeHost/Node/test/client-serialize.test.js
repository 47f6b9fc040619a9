import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { runInNewContext } from 'node:vm'
import { randomFrom } from '../testsupport/random.js'
import { MAX_LEVELS, PLAIN, SizeFault, ValueFault, serialize } from '../src/client/serialize.js'

/** Arrays in arrays, so many in all. */
function nested(levels) {
    let value = []
    for (let i = 1; i < levels; i++) value = [value]
    return value
}

/** The same value with nothing but what JSON has, and BigInts. */
const plain = (value, omit) => serialize(value, 'value', Infinity, omit, { form: PLAIN })

function faultOf(value, form) {
    try {
        serialize(value, 'attributes', Infinity, undefined, { form })
    } catch (error) {
        assert.ok(error instanceof ValueFault, String(error.stack))
        return error.message
    }
    return assert.fail('It was accepted.')
}

suite('serialize writes what JSON.stringify writes', () => {
    test('for keys that come again, and for more of them than it remembers', () => {
        const keys = [...Array(1500).keys()].map((number) => `"k\\${number}é`).concat('x'.repeat(100), '', '__proto__')
        for (let round = 0; round < 2; round++) {
            for (const key of keys) {
                const value = Object.fromEntries([[key, 1]])
                assert.equal(serialize(value, 'attributes'), JSON.stringify(value))
            }
        }
        assert.throws(() => serialize({ '\ud800': 1 }, 'attributes'), ValueFault)
        assert.throws(() => serialize({ '\ud800': 1 }, 'attributes'), ValueFault)
    })

    const cyclicOnlyByName = { a: { b: 1 } }
    const values = {
        'null': null,
        'texts': ['', 'a"b\\c\n\u2028', 'é漢🐙', '\u0000\u001f'],
        'numbers': [0, -0, 1, -1.5, 1e21, 1e-7, 5e-324, Number.MAX_VALUE, 2 ** 53],
        'booleans': [true, false],
        'empty things': [{}, [], [[]], [{}]],
        'keys that need escapes or look like numbers': { 'a"b': 1, '': 2, 10: 3, 2: 4, '__proto__x': 5 },
        'members that are left out': { a: undefined, b: () => 1, c: Symbol('c'), d: 1 },
        'URLs': { page: new URL('https://shop.example.com/a?b=c') },
        'elements that cannot be left out': [undefined, () => 1, Symbol('c'), 1],
        'holes': [1, , 3], // eslint-disable-line no-sparse-arrays
        'dates': { at: new Date(0) },
        'toJSON': { a: { toJSON: (key) => `${key}!` }, b: [{ toJSON: (key) => key }], c: { toJSON() {}, d: 1 } },
        'boxed values': [new Number(1), new String('x'), new Boolean(false)],
        'instances': [new (class { x = 1 })(), Object.create({ inherited: 1 })],
        'one object in two places': [cyclicOnlyByName, cyclicOnlyByName],
    }
    for (const [what, value] of Object.entries(values)) {
        test(what, () => {
            assert.equal(serialize(value, 'value'), JSON.stringify(value))
            assert.deepEqual(plain(value), JSON.parse(JSON.stringify(value)))
        })
    }

    test('the key that toJSON is asked with at the top', () => {
        assert.equal(serialize({ toJSON: (key) => [key] }, 'value'), JSON.stringify({ toJSON: (key) => [key] }))
    })

    test('any tree of values', (t) => {
        const random = randomFrom(t)
        for (let i = 0; i < 500; i++) {
            const value = anyValue(random, 4)
            const text = JSON.stringify(value)
            assert.equal(serialize(value, 'value'), text)
            assert.deepEqual(plain(value), text === undefined ? undefined : JSON.parse(text))
        }
    })
})

suite('serialize writes what JSON.stringify cannot', () => {
    const values = {
        'a BigInt, exactly': [[2n ** 64n, Object(-1n), { toJSON: () => 1n }], '[18446744073709551616,-1,1]'],
        'a Map as an object': [new Map([['b', 1], [2, new Map()], [3n, undefined]]), '{"b":1,"2":{}}'],
        'a Set as an array': [new Set(['a', [1], null]), '["a",[1],null]'],
    }
    for (const [what, [value, text]] of Object.entries(values)) {
        test(`holds ${what}`, () => assert.equal(serialize(value, 'value'), text))
    }

    test('an Error by its name, message and stack', () => {
        const error = new RangeError('Too far')

        const { name, message, stack, ...others } = JSON.parse(serialize({ error }, 'value')).error

        assert.deepEqual([name, message, stack, others], ['RangeError', 'Too far', error.stack, {}])
    })

    test('and says which functions and symbols it leaves out, and where', () => {
        const omitted = []
        const value = { a: undefined, b: [() => 1], c: { 'd e': Symbol('s') } }

        assert.equal(serialize(value, 'attributes', Infinity, (...what) => omitted.push(what)), '{"b":[null],"c":{}}')
        assert.deepEqual(omitted, [['attributes.b[0]', 'function'], ['attributes.c["d e"]', 'symbol']])
    })

    test('and says which promises and other objects without members it leaves out', () => {
        const omitted = []
        const value = { user: Promise.resolve('ada'), re: /x/, seen: new WeakSet(), none: {}, own: Object.assign(/y/, { a: 1 }) }

        assert.equal(serialize(value, 'attributes', Infinity, (...what) => omitted.push(what)), '{"none":{},"own":{"a":1}}')
        assert.deepEqual(omitted, [
            ['attributes.user', 'Promise'], ['attributes.re', 'RegExp'], ['attributes.seen', 'WeakSet'],
        ])
    })
})

suite('serialize gives plain values', () => {
    test('that are new, with BigInts as they are', () => {
        const list = [{ n: 1n }]
        const values = { list, map: new Map([['m', new Set([-0])]]), boxed: Object(2n ** 64n) }

        const made = plain(values)

        assert.deepEqual(made, { list: [{ n: 1n }], map: { m: [0] }, boxed: 2n ** 64n })
        assert.notEqual(made.list[0], list[0])
    })

    test('with any key, and without what JSON lacks', () => {
        const omitted = []

        const made = plain({ ['__proto__']: { a: 1 }, b: () => 1, c: [undefined] }, (...what) => omitted.push(what))

        assert.equal(JSON.stringify(made), '{"__proto__":{"a":1},"c":[null]}')
        assert.equal(Object.getPrototypeOf(made), Object.prototype)
        assert.deepEqual(omitted, [['value.b', 'function']])
    })

    test('also if convert makes null', () => {
        const made = serialize([NaN, () => 1], 'value', Infinity, assert.fail, { form: PLAIN, convert: () => null })

        assert.deepEqual(made, [null, null])
    })
})

test('serialize writes values of another context as its own', () => {
    const values = `({
        map: new Map([['a', new Set([1])]]), error: Object.assign(new TypeError('no'), { stack: 's' }), re: /x/,
        at: new Date(0), n: new Number(1), promise: Promise.resolve(),
    })`
    const omitted = []

    const text = serialize(runInNewContext(values), 'value', Infinity, (path, kind) => omitted.push(kind))

    assert.equal(text, '{"map":{"a":[1]},"error":{"name":"TypeError","message":"no","stack":"s"},"at":"1970-01-01T00:00:00.000Z","n":1}')
    assert.deepEqual(omitted, ['RegExp', 'Promise'])
})

suite('serialize leaves out', () => {
    for (const [what, value] of Object.entries({ undefined, 'a function': () => 1, 'a symbol': Symbol('s') })) {
        test(`${what} as the whole value`, () => assert.equal(serialize(value, 'value'), undefined))
    }
})

suite('serialize refuses, saying where', () => {
    const cycle = { list: [{ name: 'x' }] }
    cycle.list[0].back = cycle
    const faults = {
        "'attributes.total' is NaN, which JSON does not have": { total: NaN },
        "'attributes.items[2].price' is Infinity, which JSON does not have": { items: [0, 1, { price: Infinity }] },
        "'attributes' is -Infinity, which JSON does not have": -Infinity,
        [`'attributes["a b"].c' is NaN, which JSON does not have`]: { 'a b': new Map([['c', NaN]]) },
        "'attributes.tags[1]' is NaN, which JSON does not have": { tags: new Set(['a', NaN]) },
        "'attributes.map' has a key that is no string": { map: new Map([[{}, 1]]) },
        [`'attributes.map' has two keys that are "1" in JSON`]: { map: new Map([[1, 'a'], ['1', 'b']]) },
        "'attributes.a' is NaN, which JSON does not have": { a: new Number(NaN) },
        "'attributes.at' is Invalid Date, which JSON does not have": { at: new Date(NaN) },
        "'attributes.name' holds half a surrogate pair, which is no character": { name: 'a\udc00b' },
        "'attributes.inner' holds half a surrogate pair, which is no character": { inner: { '\ud800': 1 } },
        "'attributes.list[0].back' is part of a cycle": cycle,
        "'attributes.b' cannot be read: Error": { a: [1], get b() { throw new Error('no') } },
        "'attributes.d' cannot be read: what was thrown cannot be shown": { get d() { throw { stack: '', get name() { throw 1 } } } },
        "'attributes.e' cannot be read: object": { get e() { throw Object.create(null) } },
        "'attributes.f' cannot be read: TypeError": { get f() { throw new TypeError('no\n    at Ada Lovelace, 12:30:45') } },
        "'attributes.c' cannot be read: Error": { c: { toJSON() { throw new Error('never') } } },
    }
    for (const [message, value] of Object.entries(faults)) {
        test(message, () => {
            for (const form of [undefined, PLAIN]) assert.equal(faultOf(value, form)?.replace(/ at file:\S+$/, ''), message)
        })
    }

    test(`more than ${MAX_LEVELS} levels, and no fewer`, () => {
        assert.equal(serialize(nested(MAX_LEVELS), 'value'), JSON.stringify(nested(MAX_LEVELS)))
        assert.match(faultOf(nested(MAX_LEVELS + 1)), /nested more than 128 deep$/)
        assert.match(faultOf(nested(100_000)), /nested more than 128 deep$/)
    })

    test('a toJSON that nests for ever', () => {
        const endless = { toJSON: () => ({ endless: { toJSON: endless.toJSON } }) }
        assert.match(faultOf(endless), /nested more than/)
    })

    test('more text than asked for, without making it first', () => {
        const twice = (value) => [value, value]
        let large = 'x'.repeat(1000)
        for (let i = 0; i < 60; i++) large = twice(large)

        const digits = Array(600).fill(10n ** 1000n)
        const numbers = Array(6000).fill(0.12345678901234567)
        const empty = Array(40_000).fill({})

        for (const value of [large, digits, numbers, empty]) {
            for (const form of [undefined, PLAIN]) {
                const write = () => serialize(value, 'value', 100_000, undefined, { form })
                assert.throws(write, SizeFault)
            }
        }
    })
})

function anyValue(random, depth) {
    const many = Math.trunc(random() * 4)
    switch (Math.trunc(random() * (depth > 0 ? 8 : 6))) {
        case 0: return null
        case 1: return random() < 0.5
        case 2: return (random() - 0.5) * 10 ** Math.trunc(random() * 600 - 300)
        case 3: return Math.trunc(random() * 2 ** 53)
        case 4: return String.fromCodePoint(...Array.from({ length: many }, () => Math.trunc(random() * 0xd800)))
        case 5: return undefined
        case 6: return Array.from({ length: many }, () => anyValue(random, depth - 1))
        default: {
            const members = Array.from({ length: many }, (_, i) => [`k${i}`, anyValue(random, depth - 1)])
            return Object.fromEntries(members)
        }
    }
}
