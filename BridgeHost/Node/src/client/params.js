import { types } from 'node:util'
import { distance, folded, nearest } from '../nearest.js'
import { SCOPE } from './scope.js'
import { ValueFault, isLonger, opaqueName, serialize, tooLarge } from './serialize.js'

/** The options that every call with an effect takes, in an object after its arguments. */
const OPTIONS = ['messageId']

/** Keys of data that one letter makes of `messageid`. */
const NEAR_WORDS = ['massageid', 'messaged', 'messageids']

/** What an object must show as text to be taken for a UUID. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The members of a call of Segment's libraries for servers, which have one object for all. */
const SEGMENT = ['userId', 'anonymousId', 'previousId', 'groupId', 'event', 'name', 'traits', 'properties']

/** An argument that is missing or has the wrong type. */
export class ArgumentFault extends ValueFault {
    /**
     * @param {string} word What is wrong with it: the key of a text.
     * @param {string} option Where it is, such as `options.userId`.
     * @param {Record<string, string>} facts What the text has marks for besides.
     */
    constructor(word, option, facts) {
        super(option, word)
        /** What is wrong, as a fault. */
        this.data = { reason: word, option, ...facts }
    }
}

/** The fault of an argument that is another than it must be. */
function wrongKind(option, expected, argument) {
    return new ArgumentFault('wrongKind', option, { expected: `${expected}, and is ${typeName(argument)}` })
}

/**
 * Writes a call's params as an object with their names.
 *
 * @param {import('./methods.js').BridgedMethod} row
 * @param {unknown[]} args
 * @param {object} options
 * @param {() => string} [options.newID] Makes a message id, for calls that have one.
 * @param {number} options.maxBytes How long the params may become.
 * @param {(message: string) => void} options.warn Receives a warning about what is left out or misplaced.
 * @param {(value: unknown, path: string) => unknown} [options.convert] The program's own function for what JSON lacks.
 * @param {string} [options.mark] What BigInts are written with, as texts.
 * @param {string} [options.scope] JSON text of the scopes around the call.
 * @param {unknown} [options.scopes] What `beforeSend` has made of them, if it has changed them.
 * @param {boolean} [options.isWhole] Whether what JSON would leave out is refused.
 * @returns {string} JSON text.
 * @throws {ValueFault}
 */
export function writeParams(row, args, { newID, maxBytes, warn, convert, mark, scope, scopes, isWhole }) {
    const omitted = []
    const omit = (path, kind) => omitted.push({ path, kind })
    const write = (value, name) => serialize(value, name, maxBytes, omit, { convert, mark, isWhole })
    const isInOne = row.takesObject && isObject(args[0]) && holdsParams(row.params, args)
    const text = isInOne
        ? write(withTextsOfIDs(row, args[0]), 'argument')
        : named(row, args, write, { newID, maxBytes, warn, scope, scopes, isWhole })
    if (omitted.length > 0) warn(omission(omitted))
    if (isLonger(text, maxBytes)) throw tooLarge()
    return text
}

function named({ params, gives, options, isScoped }, args, write, { newID, maxBytes, warn, scope, scopes, isWhole }) {
    let text = ''
    const add = (name, value) => (text += `${text === '' ? '{' : ','}"${name}":${value}`)
    if (isInOneObject(params, args)) throw oneObject(params, options)
    for (let i = 0; i < params.length; i++) {
        const value = i < args.length ? write(textOfID(args[i], params[i]), params[i].name) : undefined
        // The host checks the arguments of calls without an outcome.
        if (gives === 'outcome') check(params[i], args[i], value)
        // A BigInt is a number in JSON, so the host cannot name its type.
        else if (typeof args[i] === 'bigint' || isWhole && isUnwritable(args[i])) check(params[i], args[i], value)
        if (value !== undefined) add(params[i].name, value)
    }
    if (newID) {
        warnOfMisplaced(params, args, warn)
        const given = optionsOf(args[params.length])
        const own = writeMembers(given, options, 'options', write, warn, OPTIONS)
        if (own !== '') add('options', `{${own}}`)
        const around = isScoped && (scopes === undefined ? scope : writeScopes(scopes, write, warn, maxBytes))
        if (around) add('scope', around)
        const { messageId } = given
        // What JSON cannot hold is no id either: the host refuses its call.
        add('messageId', isAbsent(messageId) ? `"${newID()}"` : write(messageId, 'messageId') ?? '""')
    }
    return text === '' ? '{}' : text + '}'
}

/** Whether a call has the form of Segment's libraries for servers, such as `track({ userId, event })`. */
function isInOneObject(params, [first, ...rest]) {
    return ['string', 'id'].includes(params[0]?.kind) && rest.length === 0 && isObject(first)
        && !Array.isArray(first) && Object.keys(first).some((key) => SEGMENT.includes(key))
}

function oneObject(params, options) {
    const [{ name, kind }] = params
    const order = [...params.map(({ name }) => name), ...options ? ['{ userId }'] : []].join(', ')
    const expected = `${phrase(kind)}, and is an object: here the arguments follow each other, as (${order})`
    return new ArgumentFault('wrongKind', name, { expected })
}

/** An id as it is sent: a whole number or a UUID as its text. What is none stays, and is refused. */
export function textOfID(value, { name, kind }) {
    if (kind !== 'id') return value
    if (typeof value === 'object' && types.isBoxedPrimitive(value)) return textOfID(value.valueOf(), { name, kind })
    if (typeof value === 'bigint') return String(value)
    if (typeof value === 'number' && Number.isInteger(value)) {
        if (Number.isSafeInteger(value)) return String(value)
        throw new ArgumentFault('invalid', name, { detail: 'is a number too large to be exact: give its text, or a BigInt' })
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

/** Scopes that `beforeSend` has changed, as JSON text, by the rules for those that a program gives. */
function writeScopes(scopes, write, warn, maxBytes) {
    if (!Array.isArray(scopes)) throw wrongKind('scope', 'an array', scopes)
    let text = ''
    for (const [i, scope] of scopes.entries()) {
        const place = `scope[${i}]`
        const given = typeof scope?.toJSON === 'function' ? scope.toJSON(String(i)) : scope
        const one = isObject(given) ? `{${writeMembers(given, SCOPE, place, write, warn)}}` : write(given, place) ?? 'null'
        text += text === '' ? one : `,${one}`
        if (isLonger(text, maxBytes)) throw tooLarge()
    }
    return `[${text}]`
}

/** The same object; of a Map one with its entries, as JSON has it: else whom a call is about would be overlooked. */
export function withMembers(value) {
    return types.isMap(value) ? Object.fromEntries(value) : value
}

/** Checks by its text whether a value has the type of the parameter. */
function check({ name, kind, isRequired }, argument, text) {
    const isMissing = text === undefined || text === 'null'
    if (isMissing && !isRequired && !isUnwritable(argument)) return
    // For beforeSend a BigInt is written as a marked text.
    if (!isMissing && (isOf(kind, text) || typeof argument === 'bigint' && isNumeric(kind))) return
    throw wrongKind(name, phrase(kind), argument)
}

/** Whether JSON has no form for a value. */
function isUnwritable(value) {
    return typeof value === 'function' || typeof value === 'symbol' || opaqueName(value) !== undefined
}

function isNumeric(kind) {
    return kind === 'integer' || kind === 'number'
}

/** Whether JSON text is a value of a kind. */
function isOf(kind, text) {
    // The host knows how large an integer may be.
    if (kind === 'integer') return /^-?\d+$/.test(text)
    return kindOf(text) === (kind === 'id' ? 'string' : kind)
}

function kindOf(text) {
    switch (text[0]) {
        case '"': return 'string'
        case '{': return 'object'
        case '[': return 'array'
        case 't':
        case 'f': return 'boolean'
        default: return 'number'
    }
}

function typeName(value) {
    if (isAbsent(value)) return String(value)
    if (Array.isArray(value)) return 'an array'
    return phrase(typeof value === 'object' ? className(value) : typeof value)
}

/** The name of an object's class, such as Date or Set; `object` for any other. */
function className(value) {
    const opaque = opaqueName(value)
    if (opaque) return opaque
    const name = Object.getPrototypeOf(value)?.constructor?.name
    return typeof name === 'string' && /^[A-Z]\w*$/.test(name) && name !== 'Object' ? name : 'object'
}

function phrase(kind) {
    if (kind === 'id') return 'a string or a whole number'
    return /^[aeiouAEIO]/.test(kind) ? `an ${kind}` : `a ${kind}`
}

/** The object after the arguments. */
function optionsOf(value) {
    if (isAbsent(value)) return {}
    if (isObject(value) && !Array.isArray(value)) return withMembers(value)
    throw wrongKind('options', "an object such as { messageId: 'order-1' }", value)
}

/**
 * The options of a call, or the values of a scope, as members of JSON text.
 *
 * @param {object} given
 * @param {{ name: string, kind: string }[]} [members] What there may be.
 * @param {string} place What they are called in a fault.
 * @param {(value: unknown, path: string) => string | undefined} write
 * @param {(message: string) => void} warn
 * @param {string[]} [others] What there may be besides, and is not written.
 */
export function writeMembers(given, members = [], place, write, warn, others = []) {
    const texts = []
    given = withMembers(given)
    for (const { name, kind } of members) {
        if (!(name in given)) continue
        const path = `${place}.${name}`
        const text = write(textOfID(given[name], { name: path, kind }), path)
        // An id that is given and has no value stays: a visitor who is not signed in is not the client's own user.
        if (text !== undefined || kind === 'id') texts.push(`"${name}":${text ?? null}`)
    }
    const known = [...others, ...members.map(({ name }) => name)]
    for (const [key, guess] of unknownOf(given, known)) {
        // So does one that is misspelled: without it the event would belong to another person.
        if (members.some(({ name, kind }) => name === guess && kind === 'id')) texts.push(`${JSON.stringify(key)}:null`)
        else warn(withoutEffect(key, guess))
    }
    return texts.join(',')
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

function omission(omitted) {
    const [{ path, kind }] = omitted
    const others = omitted.length > 1 ? `, and ${omitted.length - 1} more like it,` : ''
    return `${path} is a ${kind}, which JSON cannot hold${others ? `${others} are` : '; it is'} left out`
}

function isAbsent(value) {
    return value === undefined || value === null
}

function isObject(value) {
    return typeof value === 'object' && value !== null
}
