import { types } from 'node:util'
import { described } from './errors.js'
import { clientText, sentenceOf } from './fault.js'

/** The deepest nesting of arrays and objects; the outermost counts. */
export const MAX_LEVELS = 128

/** A value that cannot be sent as it is. */
export class ValueFault extends Error {
    /**
     * @param {string} word What is wrong with it: the key of a text.
     * @param {string | undefined} option Where it is, such as `attributes.items[2].price`; undefined for the whole call.
     * @param {Record<string, unknown>} [facts] What the text has marks for besides. They contain nothing of the value.
     * @param {string} [argument] The argument that it is in.
     */
    constructor(word, option, facts = {}, argument = option) {
        const data = { reason: word, ...option === undefined ? {} : { option }, ...facts }
        super(sentenceOf(word, data))
        this.argument = argument
        /** What is wrong, as the host says it. */
        this.data = data
    }
}

/** A call that is longer than the host accepts. */
export class SizeFault extends Error {}

/** Whether a text is longer than so many bytes. A UTF-16 unit has three of them at most. */
export function isLonger(text, maxBytes) {
    return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes
}

/**
 * What a value of the program has thrown while it was read, as a fault.
 *
 * @param {unknown} thrown
 * @param {string} [path] Where it is; undefined for the whole call.
 * @param {string} [argument] The argument that it is in.
 * @returns {ValueFault | SizeFault}
 */
export function faultFrom(thrown, path, argument) {
    if (thrown instanceof ValueFault || thrown instanceof SizeFault) return thrown
    return new ValueFault('unreadable', path, { error: described(thrown) }, argument)
}

/**
 * What a value becomes: its leaves, and its arrays and objects, which are made entry by entry.
 *
 * @typedef {object} Form
 * @property {unknown} nothing Null.
 * @property {(value: boolean) => unknown} boolean
 * @property {(value: number) => unknown} number
 * @property {(value: bigint) => unknown} bigint
 * @property {(value: string) => unknown} string Of a value or of a key.
 * @property {() => any} list Begins an array.
 * @property {(list: any, value: unknown) => any} item Gives the array with one more value.
 * @property {(list: any) => unknown} endList
 * @property {() => any} object Begins an object.
 * @property {(object: any, key: unknown, value: unknown) => any} member Gives the object with one more member.
 * @property {(object: any) => unknown} endObject
 * @property {(made: any, place: Place) => boolean} isTooLong Whether more was made than there may be.
 */

/** JSON text. @type {Form} */
export const TEXT = {
    nothing: 'null',
    boolean: (value) => (value ? 'true' : 'false'),
    number: (value) => (value === 0 ? '0' : `${value}`),
    bigint: (value) => `${value}`,
    string: (value) => JSON.stringify(value),
    list: () => '',
    item: (list, value) => `${list === '' ? '[' : `${list},`}${value}`,
    endList: (list) => (list === '' ? '[]' : `${list}]`),
    object: () => '',
    member: (object, key, value) => `${object === '' ? '{' : `${object},`}${key}:${value}`,
    endObject: (object) => (object === '' ? '{}' : `${object}}`),
    isTooLong: (made, { maxLength }) => made.length > maxLength,
}

/** What JSON text is read as, but with exact BigInts. Arrays and objects are new ones. @type {Form} */
export const PLAIN = {
    nothing: null,
    boolean: (value) => value,
    number: (value) => (value === 0 ? 0 : value),
    bigint: (value) => value,
    string: (value) => value,
    list: () => [],
    item(list, value) {
        list.push(value)
        return list
    },
    endList: (list) => list,
    object: () => ({}),
    member(object, key, value) {
        // An assignment to this one would change the prototype.
        if (key === '__proto__') Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
        else object[key] = value
        return object
    },
    endObject: (object) => object,
    isTooLong: (_made, { length, maxLength }) => length > maxLength,
}

/**
 * Writes a value as `JSON.stringify` does: `toJSON` is called, a Date becomes its ISO text, a URL its text, and undefined
 * members are left out. In addition, a BigInt becomes an exact number, a Map an object, a Set an array, and an Error its
 * name, message and stack. What JSON has no form for is refused instead of changed to null.
 *
 * @param {unknown} value
 * @param {string} name The name of the value in a fault's path.
 * @param {number} [maxLength] How long the text may become, in UTF-16 units.
 * @param {(path: string, kind: string) => void} [omit] Called for each member that is left out and is not undefined.
 * @param {object} [options]
 * @param {Form} [options.form] By default JSON text.
 * @param {(value: unknown, path: string) => unknown} [options.convert] Receives each value that JSON has no form for, and
 *     returns what stands for it, or undefined.
 * @param {boolean} [options.isWhole] Whether a member that would be left out is refused instead.
 * @param {string} [options.argument] The argument that the value is in; by default it is one.
 * @returns {any} Undefined for undefined, functions, symbols, promises and other values of which JSON would show nothing.
 * @throws {ValueFault} For NaN, infinities, cycles, lone surrogates, invalid dates, more than 128 levels, and getters or
 *     `toJSON` methods that throw.
 * @throws {SizeFault} For too much text.
 */
export function serialize(
    value, name, maxLength = Infinity, omit = () => {},
    { form = TEXT, convert, isWhole, argument = name, maxLevels = MAX_LEVELS } = {},
) {
    const place = {
        form, keys: [name], argument, containers: [], length: 0, maxLength, maxLevels, omit, convert, isWhole, convertsAt: -1,
    }
    try {
        return write(value, place, 0)
    } catch (error) {
        throw faultFrom(error, pathOf(place.keys), argument)
    }
}

/**
 * JSON text of plain values, which were checked when they were made: only their size was not.
 *
 * @param {unknown} plain
 * @param {number} [maxBytes] How long the text may become.
 * @returns {string}
 * @throws {SizeFault}
 */
export function textOf(plain, maxBytes = Infinity) {
    const text = serialize(plain, 'params', maxBytes, undefined, { maxLevels: Infinity })
    if (isLonger(text, maxBytes)) throw new SizeFault()
    return text
}

/**
 * The keys and containers that lead to a value. Entries beyond `level` are stale.
 *
 * @typedef {object} Place
 * @property {Form} form
 * @property {(string | number)[]} keys
 * @property {string} argument
 * @property {object[]} containers
 * @property {number} length What the entries and the texts come to so far: the JSON text is longer.
 * @property {number} maxLength
 * @property {number} maxLevels
 * @property {Function} omit
 * @property {Function} [convert]
 * @property {boolean} [isWhole]
 * @property {number} convertsAt At which level what `convert` has returned is being written; -1 if it is not.
 */

/** @param {Place} place @param {number} level How many containers the value is in. */
function write(value, place, level) {
    switch (typeof value) {
        case 'string': return writeString(value, place, level)
        case 'number': return writeNumber(value, place, level)
        case 'boolean': return place.form.boolean(value)
        case 'object': return value === null ? place.form.nothing : writeObject(value, place, level)
        case 'bigint': return writeBigInt(value, place, level)
        case 'undefined': return undefined
        default: return leaveOut(value, typeof value, place, level)
    }
}

/** What the program's `convert` makes of a value; undefined if it makes nothing of it. */
function converted(value, place, level) {
    if (!place.convert || place.convertsAt === level) return undefined
    const other = place.convert(value, pathOf(place.keys.slice(0, level + 1)))
    if (other === undefined) return undefined
    const last = place.convertsAt
    place.convertsAt = level
    const made = write(other, place, level)
    place.convertsAt = last
    return made
}

/** What `convert` makes of a value that JSON has no form for, or the fault. */
function convertedOrFault(value, place, level, shown) {
    const made = converted(value, place, level)
    return made === undefined ? fault(place, level, 'notJSON', { value: shown }) : made
}

function leaveOut(value, kind, place, level) {
    const made = converted(value, place, level)
    if (made === undefined && level > 0) place.omit(pathOf(place.keys.slice(0, level + 1)), kind)
    return made
}

function writeString(value, place, level) {
    if (!value.isWellFormed()) fault(place, level, 'loneSurrogate')
    place.length += value.length
    return place.form.string(value)
}

/** A cache of the JSON texts of keys: the same few keys come with every event. */
const keyTexts = new Map()
const MAX_KEY_TEXTS = 1000
const MAX_KEY_LENGTH = 64

function writeKey(key, place, level) {
    const known = place.form === TEXT ? keyTexts.get(key) : undefined
    if (known !== undefined) return known
    const made = writeString(key, place, level)
    if (place.form === TEXT && key.length <= MAX_KEY_LENGTH && keyTexts.size < MAX_KEY_TEXTS) keyTexts.set(key, made)
    return made
}

function writeNumber(value, place, level) {
    if (Number.isFinite(value)) {
        if (place.form === PLAIN) place.length += `${value}`.length
        return place.form.number(value)
    }
    return convertedOrFault(value, place, level, String(value))
}

function writeBigInt(value, place, level) {
    if (typeof value.toJSON !== 'function') return writeDigits(value, place)
    return writePlain(value.toJSON(keyAt(place, level)), place, level)
}

function writeDigits(value, place) {
    if (place.form === PLAIN) place.length += `${value}`.length
    return place.form.bigint(value)
}

function writeObject(value, place, level) {
    if (typeof value.toJSON !== 'function') return writePlain(value, place, level)
    if (types.isDate(value) && Number.isNaN(value.getTime())) {
        return convertedOrFault(value, place, level, 'Invalid Date')
    }
    return writePlain(value.toJSON(keyAt(place, level)), place, level)
}

/** Writes a value without calling its `toJSON`. */
function writePlain(value, place, level) {
    if (typeof value === 'bigint') return writeDigits(value, place)
    if (typeof value !== 'object' || value === null) return write(value, place, level)
    if (types.isBoxedPrimitive(value) && !types.isSymbolObject(value)) return writePlain(value.valueOf(), place, level)
    if (level >= place.maxLevels) faultOfDepth(place, level)
    place.containers[level] = value
    const made = writeContainer(value, place, level)
    place.length += 2
    place.keys.length = level + 1
    return made
}

/**
 * Types of which JSON shows nothing. A promise among the values is usually a forgotten `await`. None of these checks is
 * `instanceof`: a value may come from another context, as in Jest.
 */
const OPAQUE = {
    Promise: types.isPromise, RegExp: types.isRegExp, WeakMap: types.isWeakMap, WeakSet: types.isWeakSet,
}

/**
 * Says what is left out of a call.
 *
 * @param {{ path: string, kind: string }[]} omitted At least one value, and of which kind it is.
 */
export function omission(omitted) {
    const [{ path, kind }] = omitted
    return clientText('omitted', { option: path, type: kind, count: omitted.length > 1 ? omitted.length - 1 : undefined })
}

/** The name of such a type; undefined for any other value. */
export function opaqueName(value) {
    return Object.keys(OPAQUE).find((name) => OPAQUE[name](value))
}

function writeContainer(value, place, level) {
    if (Array.isArray(value)) return writeArray(value, place, level)
    if (types.isSet(value)) return writeArray([...value], place, level)
    if (types.isMap(value)) return writeMap(value, place, level)
    // The standard members of an error are not enumerable.
    const isError = value instanceof Error || types.isNativeError(value)
    const keys = isError ? ['name', 'message', 'stack'] : Object.keys(value)
    const opaque = keys.length === 0 && opaqueName(value)
    if (opaque) return leaveOut(value, opaque, place, level)
    return writeMembers(keys, (key) => value[key], place, level)
}

function writeMap(value, place, level) {
    const names = new Map()
    for (const key of value.keys()) {
        const isName = typeof key === 'string' || typeof key === 'number' || typeof key === 'bigint'
        if (!isName) fault(place, level, 'wrongKey')
        const name = String(key)
        if (names.has(name)) fault(place, level, 'sameKeys', { key: JSON.stringify(name.slice(0, 80)) })
        names.set(name, key)
    }
    return writeMembers(names.keys(), (name) => value.get(names.get(name)), place, level)
}

function writeArray(value, place, level) {
    const { form } = place
    let list = form.list()
    for (let i = 0; i < value.length; i++) {
        place.keys[level + 1] = i
        const item = write(value[i], place, level + 1)
        list = form.item(list, item === undefined ? form.nothing : item)
        place.length += 1
        if (form.isTooLong(list, place)) throw new SizeFault()
    }
    return form.endList(list)
}

function writeMembers(names, read, place, level) {
    const { form } = place
    let object = form.object()
    for (const key of names) {
        place.keys[level + 1] = key
        const member = write(read(key), place, level + 1)
        if (member === undefined) {
            if (place.isWhole) fault(place, level + 1, 'leftOut')
            continue
        }
        object = form.member(object, writeKey(key, place, level), member)
        place.length += 1
        if (form.isTooLong(object, place)) throw new SizeFault()
    }
    return form.endObject(object)
}

/** A cycle shows up as too deep a nesting: a container that is twice on the path contains itself. */
function faultOfDepth(place, level) {
    const repeated = place.containers.findIndex((container, i) => place.containers.indexOf(container) < i)
    if (repeated >= 0) fault(place, repeated, 'cycle')
    fault(place, level, 'tooDeep', { most: MAX_LEVELS })
}

function fault(place, level, word, facts) {
    throw new ValueFault(word, pathOf(place.keys.slice(0, level + 1)), facts, place.argument)
}

/** The key with which `JSON.stringify` would call `toJSON`. */
function keyAt(place, level) {
    return level === 0 ? '' : String(place.keys[level])
}

/** The path as text. A long path is cut. */
function pathOf([name, ...keys]) {
    const shown = keys.slice(0, 8).map((key) => {
        if (typeof key === 'number') return `[${key}]`
        return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key.slice(0, 80))}]`
    })
    return name + shown.join('') + (keys.length > shown.length ? '…' : '')
}
