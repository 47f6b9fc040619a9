import { described } from './errors.js'

/** The deepest nesting of arrays and objects; the outermost counts. */
export const MAX_LEVELS = 128

/** A value that cannot be sent as it is. */
export class ValueFault extends Error {
    /**
     * @param {string} path Where it is, such as `attributes.items[2].price`.
     * @param {string} reason What is wrong with it, such as `is NaN`. It contains nothing of the value.
     * @param {boolean} [isTooLarge] Whether only the size is wrong.
     */
    constructor(path, reason, isTooLarge = false) {
        super(`${path} ${reason}`)
        this.path = path
        /** The argument that it is in. */
        this.argument = path.split(/[.[]/, 1)[0]
        this.isTooLarge = isTooLarge
    }
}

/**
 * Writes a value as JSON text, as `JSON.stringify` does: `toJSON` is called, a Date becomes its ISO text, a URL its
 * text, and undefined members are left out. In addition, a BigInt becomes an exact number, a Map an object, a Set an
 * array, and an Error its name, message and stack. What JSON has no form for is refused instead of changed to null.
 *
 * @param {unknown} value
 * @param {string} name The name of the value in a fault's path.
 * @param {number} [maxLength] How long the text may become, in UTF-16 units.
 * @param {(path: string, kind: string) => void} [omit] Called for each member that is left out and is not undefined.
 * @returns {string | undefined} Undefined for undefined, functions, symbols, promises and other values of which JSON
 *     would show nothing.
 * @throws {ValueFault} For NaN, infinities, cycles, lone surrogates, invalid dates, more than 128 levels, too
 *     much text, and getters or `toJSON` methods that throw.
 */
export function serialize(value, name, maxLength = Infinity, omit = () => {}) {
    const place = { keys: [name], containers: [], maxLength, omit }
    try {
        return write(value, place, 0)
    } catch (error) {
        if (error instanceof ValueFault) throw error
        throw new ValueFault(pathOf(place.keys), `cannot be read: ${described(error, 'message')}`)
    }
}

/**
 * The keys and containers that lead to a value. Entries beyond `level` are stale.
 *
 * @typedef {{ keys: (string | number)[], containers: object[], maxLength: number, omit: Function }} Place
 */

/** @param {Place} place @param {number} level How many containers the value is in. */
function write(value, place, level) {
    switch (typeof value) {
        case 'string': return writeString(value, place, level)
        case 'number': return writeNumber(value, place, level)
        case 'boolean': return value ? 'true' : 'false'
        case 'object': return value === null ? 'null' : writeObject(value, place, level)
        case 'bigint': return writeBigInt(value, place, level)
        case 'undefined': return undefined
        default: return leaveOut(typeof value, place, level)
    }
}

function leaveOut(kind, place, level) {
    if (level > 0) place.omit(pathOf(place.keys.slice(0, level + 1)), kind)
    return undefined
}

function writeString(value, place, level) {
    if (!value.isWellFormed()) fault(place, level, 'holds a lone surrogate')
    return JSON.stringify(value)
}

/** A cache of the JSON texts of keys: the same few keys come with every event. */
const keyTexts = new Map()
const MAX_KEY_TEXTS = 1000
const MAX_KEY_LENGTH = 64

function writeKey(key, place, level) {
    const known = keyTexts.get(key)
    if (known !== undefined) return known
    const text = writeString(key, place, level)
    if (key.length <= MAX_KEY_LENGTH && keyTexts.size < MAX_KEY_TEXTS) keyTexts.set(key, text)
    return text
}

function writeNumber(value, place, level) {
    if (!Number.isFinite(value)) fault(place, level, `is ${value}`)
    return value === 0 ? '0' : `${value}`
}

function writeBigInt(value, place, level) {
    if (typeof value.toJSON !== 'function') return String(value)
    return writePlain(value.toJSON(keyAt(place, level)), place, level)
}

function writeObject(value, place, level) {
    if (typeof value.toJSON !== 'function') return writePlain(value, place, level)
    if (value instanceof Date && Number.isNaN(value.getTime())) fault(place, level, 'is an invalid Date')
    return writePlain(value.toJSON(keyAt(place, level)), place, level)
}

/** Writes a value without calling its `toJSON`. */
function writePlain(value, place, level) {
    if (typeof value === 'bigint') return String(value)
    if (typeof value !== 'object' || value === null) return write(value, place, level)
    if (value instanceof Number) return writeNumber(Number(value), place, level)
    if (value instanceof String) return writeString(String(value), place, level)
    if (value instanceof Boolean || value instanceof BigInt) return String(value.valueOf())
    if (level >= MAX_LEVELS) faultOfDepth(place, level)
    place.containers[level] = value
    const text = writeContainer(value, place, level)
    place.keys.length = level + 1
    return text
}

/** Types of which JSON shows nothing. A promise among the values is usually a forgotten `await`. */
const OPAQUE = [Promise, RegExp, WeakMap, WeakSet]

/** The name of such a type; undefined for any other value. */
export function opaqueName(value) {
    return OPAQUE.find((type) => value instanceof type)?.name
}

function writeContainer(value, place, level) {
    if (Array.isArray(value)) return writeArray(value, place, level)
    if (value instanceof Set) return writeArray([...value], place, level)
    if (value instanceof Map) return writeMembers([...value.keys()], (key) => value.get(key), place, level)
    // The standard members of an error are not enumerable.
    const keys = value instanceof Error ? ['name', 'message', 'stack'] : Object.keys(value)
    const opaque = keys.length === 0 && opaqueName(value)
    if (opaque) return leaveOut(opaque, place, level)
    return writeMembers(keys, (key) => value[key], place, level)
}

function writeArray(value, place, level) {
    let text = '['
    for (let i = 0; i < value.length; i++) {
        place.keys[level + 1] = i
        if (i > 0) text += ','
        text += write(value[i], place, level + 1) ?? 'null'
        if (text.length > place.maxLength) faultOfSize(place, level)
    }
    return text + ']'
}

function writeMembers(names, read, place, level) {
    let text = ''
    for (const name of names) {
        const isName = typeof name === 'string' || typeof name === 'number' || typeof name === 'bigint'
        if (!isName) fault(place, level, 'has a key that is no string')
        const key = String(name)
        place.keys[level + 1] = key
        const member = write(read(name), place, level + 1)
        if (member === undefined) continue
        text += `${text === '' ? '{' : ','}${writeKey(key, place, level)}:${member}`
        if (text.length > place.maxLength) faultOfSize(place, level)
    }
    return text === '' ? '{}' : text + '}'
}

/** A cycle shows up as too deep a nesting: a container that is twice on the path contains itself. */
function faultOfDepth(place, level) {
    const repeated = place.containers.findIndex((container, i) => place.containers.indexOf(container) < i)
    if (repeated >= 0) fault(place, repeated, 'is part of a cycle')
    fault(place, level, `is nested deeper than ${MAX_LEVELS} levels`)
}

function fault(place, level, reason) {
    throw new ValueFault(pathOf(place.keys.slice(0, level + 1)), reason)
}

function faultOfSize(place, level) {
    throw new ValueFault(pathOf(place.keys.slice(0, level + 1)), 'is too large', true)
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
