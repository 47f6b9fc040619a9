import { types } from 'node:util'
import { distance, folded, nearest } from '../nearest.js'
import { SCOPE } from './scope.js'
import { PLAIN, TEXT, SizeFault, ValueFault, isLonger, omission, opaqueName, serialize } from './serialize.js'

/** The options that every call with an effect takes, in an object after its arguments. */
const OPTIONS = ['messageId']

/** Keys of data that one letter makes of `messageid`. */
const NEAR_WORDS = ['massageid', 'messaged', 'messageids']

/** What an object must show as text to be taken for a UUID. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** An argument that the host cannot judge: JSON has no form for it, or its place is another. */
export class ArgumentFault extends ValueFault {}

/**
 * How params are written.
 *
 * @typedef {object} How
 * @property {() => string} [newID] Makes a message id, for calls that have one.
 * @property {number} maxBytes How long the params may become.
 * @property {(message: string) => void} warn Receives a warning about what is left out or misplaced.
 * @property {(value: unknown, path: string) => unknown} [convert] The program's own function for what JSON lacks.
 * @property {import('./scope.js').Scope} [scope] The scopes around the call.
 * @property {unknown} [scopes] What `beforeSend` has made of them.
 * @property {boolean} [isWhole] Whether what JSON would leave out is refused.
 */

/**
 * Writes a call's params as an object with their names.
 *
 * @param {import('./methods.js').BridgedMethod} row
 * @param {unknown[]} args
 * @param {How} how
 * @returns {string} JSON text.
 * @throws {ValueFault | SizeFault}
 */
export function writeParams(row, args, how) {
    const text = paramsAs(TEXT, row, args, how)
    if (isLonger(text, how.maxBytes)) throw new SizeFault()
    return text
}

/**
 * A call's params as plain values, by the same rules.
 *
 * @param {import('./methods.js').BridgedMethod} row
 * @param {unknown[]} args
 * @param {How} how
 * @returns {object} It shares nothing with the arguments. Whether it is too long is known once it is written.
 * @throws {ValueFault | SizeFault}
 */
export function plainParams(row, args, how) {
    return paramsAs(PLAIN, row, args, how)
}

function paramsAs(form, row, args, { maxBytes, convert, isWhole, warn, ...how }) {
    const omitted = []
    const omit = (path, kind) => omitted.push({ path, kind })
    const write = (value, name, argument) => serialize(value, name, maxBytes, omit, { form, convert, isWhole, argument })
    const isInOne = row.takesObject && isObject(args[0]) && holdsParams(row.params, args)
    const made = isInOne
        ? write(withTextsOfIDs(row, args[0]), 'argument')
        : named(row, args, { form, write, warn, isWhole, maxBytes, ...how })
    if (omitted.length > 0) warn(omission(omitted))
    // Such as a promise in place of the object with all params.
    if (made === undefined) throw new ValueFault('notJSON', undefined, { type: typeName(args[0]) ?? 'undefined' }, 'argument')
    return made
}

function named({ params, gives, options, isScoped }, args, { form, write, warn, isWhole, maxBytes, newID, scope, scopes }) {
    let made = form.object()
    const add = (name, value) => (made = form.member(made, form.string(name), value))
    for (let i = 0; i < params.length && i < args.length; i++) {
        const { name, kind } = params[i]
        const value = write(textOfID(args[i], params[i]), name)
        if (value !== undefined) add(name, value)
        // For the host it would be left out.
        else if ((gives === 'outcome' || isWhole) && isUnwritable(args[i])) {
            throw new ArgumentFault('wrongKind', name, { expected: kind, given: typeName(args[i]) })
        }
    }
    if (newID) {
        warnOfMisplaced(params, args, warn)
        const given = optionsOf(args[params.length])
        const own = writeMembers(given, options, 'options', { form, write, warn }, OPTIONS)
        if (own !== undefined) add('options', own)
        if (isScoped && scopes !== undefined) add('scope', writeScopes(scopes, { form, write, warn, maxBytes }))
        else if (isScoped && scope) add('scope', form === TEXT ? scope.text : write(scope.values, 'scope'))
        const { messageId } = given
        // What JSON cannot hold is no id either: the host refuses its call.
        add('messageId', isAbsent(messageId) ? form.string(newID()) : write(messageId, 'messageId') ?? form.string(''))
    }
    return form.endObject(made)
}

/** An id as it is sent: a whole number or a UUID as its text. What is none stays, and is refused. */
export function textOfID(value, { name, kind }) {
    if (kind !== 'id') return value
    if (typeof value === 'object' && types.isBoxedPrimitive(value)) return textOfID(value.valueOf(), { name, kind })
    if (typeof value === 'bigint') return String(value)
    if (typeof value === 'number' && Number.isInteger(value)) {
        if (Number.isSafeInteger(value)) return String(value)
        throw new ArgumentFault('inexact', name, { type: 'BigInt' })
    }
    if (!isObject(value) || typeof value.toJSON === 'function' || typeof value.toString !== 'function') return value
    const text = value.toString()
    return typeof text === 'string' && UUID.test(text) ? text : value
}

/** Whether the first argument, an object, holds the params by their names, and is not the first of them itself. */
function holdsParams(params, [first, ...others]) {
    if (params[0].kind !== 'object') return !isUUID(first, params[0])
    const names = Object.keys(first)
    return others.length === 0 && names.length > 0
        && names.every((name) => params.some((param) => param.name === name) && isObject(first[name] ?? {}))
}

/** Whether an object is an id, and holds no params by their names. */
function isUUID(value, { kind }) {
    if (kind !== 'id') return false
    const text = typeof value.toJSON === 'function' ? value.toJSON() : value.toString?.()
    return typeof text === 'string' && UUID.test(text)
}

/** The same params, with their ids as they are sent. */
function withTextsOfIDs({ params }, given) {
    const ids = params.filter(({ name, kind }) => kind === 'id' && name in given)
    return ids.length === 0 ? given : { ...given, ...Object.fromEntries(ids.map((param) => [param.name, textOfID(given[param.name], param)])) }
}

/** Scopes as `beforeSend` has left them, by the rules for those that a program gives. */
function writeScopes(scopes, { form, write, warn, maxBytes }) {
    // In a Set the ids would be overlooked.
    if (!Array.isArray(scopes)) throw new ArgumentFault('wrongKind', 'scope', { expected: 'array' })
    let list = form.list()
    for (const [i, scope] of scopes.entries()) {
        const place = `scope[${i}]`
        const given = typeof scope?.toJSON === 'function' ? scope.toJSON(String(i)) : scope
        const one = isObject(given)
            ? writeMembers(given, SCOPE, place, { form, write, warn }) ?? form.endObject(form.object())
            : write(given, place) ?? form.nothing
        list = form.item(list, one)
        if (form === TEXT && isLonger(list, maxBytes)) throw new SizeFault()
    }
    return form.endList(list)
}

/** The same object; of a Map one with its entries, as JSON has it: else whom a call is about would be overlooked. */
export function withMembers(value) {
    return types.isMap(value) ? Object.fromEntries(value) : value
}

/** Whether JSON has no form for a value. */
function isUnwritable(value) {
    return typeof value === 'function' || typeof value === 'symbol' || opaqueName(value) !== undefined
}

function typeName(value) {
    return typeof value === 'object' ? opaqueName(value) : typeof value
}

/** The object after the arguments. */
function optionsOf(value) {
    if (isAbsent(value)) return {}
    if (isObject(value) && !Array.isArray(value)) return withMembers(value)
    throw new ArgumentFault('wrongKind', 'options', { expected: 'object', example: "{ messageId: 'order-1' }" })
}

/**
 * The options of a call, or the values of a scope, as an object.
 *
 * @param {object} given
 * @param {{ name: string, kind: string }[]} [members] What there may be.
 * @param {string} place What they are called in a fault.
 * @param {object} how
 * @param {import('./serialize.js').Form} how.form
 * @param {(value: unknown, path: string, argument: string) => unknown} how.write Writes a value in this form.
 * @param {(message: string) => void} how.warn
 * @param {string[]} [others] What there may be besides, and is not written.
 * @returns {any} Undefined if it has no members.
 */
export function writeMembers(given, members = [], place, { form, write, warn }, others = []) {
    let made
    const add = (name, value) => (made = form.member(made ?? form.object(), form.string(name), value))
    given = withMembers(given)
    for (const { name, kind } of members) {
        if (!(name in given)) continue
        const path = `${place}.${name}`
        const value = write(textOfID(given[name], { name: path, kind }), path, place)
        if (value === undefined && isUnwritable(given[name])) {
            throw new ArgumentFault('wrongKind', path, { expected: kind, given: typeName(given[name]) })
        }
        // An id that is given and has no value stays: a visitor who is not signed in is not the client's own user.
        if (value !== undefined || kind === 'id') add(name, value ?? form.nothing)
    }
    const known = [...others, ...members.map(({ name }) => name)]
    for (const [key, guess] of unknownOf(given, known)) {
        // So does one that is misspelled: without it the event would belong to another person.
        if (members.some(({ name, kind }) => name === guess && kind === 'id')) add(key, form.nothing)
        else warn(withoutEffect(key, guess))
    }
    return made === undefined ? undefined : form.endObject(made)
}

/**
 * Warns of unknown keys.
 *
 * @param {object} options
 * @param {string[]} known
 * @param {(message: string) => void} warn
 */
export function warnOfUnknown(options, known, warn) {
    for (const [key, guess] of unknownOf(options, known)) warn(withoutEffect(key, guess))
}

/** The keys that are not known, each with the one that was probably meant. */
function unknownOf(options, known) {
    return Object.keys(options).filter((key) => !known.includes(key)).map((key) => [key.slice(0, 80), nearest(key, known)])
}

function withoutEffect(key, guess) {
    return `the option '${key}' has no effect: it is not known${guess ? `, and the nearest is '${guess}'` : ''}`
}

/** Warns if an argument has a message id and nothing else: it most likely belongs after the arguments. */
function warnOfMisplaced(params, args, warn) {
    const last = args[args.length - 1]
    if (args.length > params.length || args.length === 0 || !isObject(last)) return
    const keys = Object.keys(last)
    if (keys.length !== 1 || !isMessageID(keys[0])) return
    const { name } = params[args.length - 1]
    const order = [...params.map((param) => param.name), '{ messageId }'].join(', ')
    warn(`'${keys[0]}' is in ${name}, where it is sent as data; the order is (${order})`)
}

/** Whether a key is `messageId` in any spelling, or with one mistake. */
function isMessageID(key) {
    const letters = folded(key)
    return !NEAR_WORDS.includes(letters) && distance(letters, 'messageid') <= 1
}

function isAbsent(value) {
    return value === undefined || value === null
}

function isObject(value) {
    return typeof value === 'object' && value !== null
}
