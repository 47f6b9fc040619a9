import { nearest } from '../nearest.js'
import { ValueFault, opaqueName, serialize } from './serialize.js'

/** The options that every call with an effect takes, in an object after its arguments. */
const OPTIONS = ['messageId']

/** The options that say which person an event belongs to. */
const PERSON = ['userId', 'anonymousId', 'groupId']

/** How many bytes of UTF-8 an id of a user or a group has at most. */
const MAX_ID_BYTES = 1024

/** What an object must show as text to be taken for a UUID. */
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The members of a call of Segment's libraries for servers, which have one object for all. */
const SEGMENT = ['userId', 'anonymousId', 'previousId', 'groupId', 'event', 'name', 'traits', 'properties']

/** A date and a time of day with its zone. The host knows the calendar. */
const TIMESTAMP = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d([.,]\d+)?([Zz]|[+-]\d\d:?\d\d)$/

/** 1 to 128 printable characters of ASCII, no space first or last. */
const MESSAGE_ID = /^[!-~](?:[ -~]{0,126}[!-~])?$/

/** An argument that is missing or has the wrong type. */
export class ArgumentFault extends ValueFault {}

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
 * @returns {string} JSON text.
 * @throws {ValueFault}
 */
export function writeParams(row, args, { newID, maxBytes, warn, convert, mark }) {
    const omitted = []
    const omit = (path, kind) => omitted.push({ path, kind })
    const write = (value, name) => serialize(value, name, maxBytes, omit, { convert, mark })
    const isWhole = row.takesObject && isObject(args[0])
    const text = isWhole ? write(args[0], 'argument') : named(row, args, write, newID, warn)
    if (omitted.length > 0) warn(omission(omitted))
    if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text
    throw new ValueFault('The call', 'is too large', true)
}

function named({ params, gives, options }, args, write, newID, warn) {
    let text = ''
    const add = (name, value) => (text += `${text === '' ? '{' : ','}"${name}":${value}`)
    if (isInOneObject(params, args)) throw new ArgumentFault(params[0].name, oneObject(params, options))
    for (let i = 0; i < params.length; i++) {
        const value = i < args.length ? write(textOfID(args[i], params[i]), params[i].name) : undefined
        // The host checks the arguments of calls without an outcome.
        if (gives === 'outcome') check(params[i], args[i], value)
        // A BigInt is a number in JSON, so the host cannot name its type.
        else if (typeof args[i] === 'bigint') check(params[i], args[i], value)
        if (value !== undefined) add(params[i].name, value)
    }
    if (newID) {
        warnOfMisplaced(params, args, warn)
        const callersOptions = args[params.length]
        const id = messageID(callersOptions, options, warn)
        const own = options && callersOptions ? callOptions(callersOptions, options, write) : ''
        if (own !== '') add('options', `{${own}}`)
        add('messageId', id === undefined ? `"${newID()}"` : JSON.stringify(id))
    }
    return text === '' ? '{}' : text + '}'
}

/** Whether a call has the form of Segment's libraries for servers, such as `track({ userId, event })`. */
function isInOneObject(params, [first, ...rest]) {
    return ['string', 'id'].includes(params[0]?.kind) && rest.length === 0 && isObject(first)
        && !Array.isArray(first) && Object.keys(first).some((key) => SEGMENT.includes(key))
}

function oneObject(params, options) {
    const order = [...params.map(({ name }) => name), ...options ? ['{ userId }'] : []].join(', ')
    return `must be ${phrase(params[0].kind)}, and is an object: here the arguments follow each other, as (${order})`
}

/** An id as it is sent: a whole number or a UUID as its text. What is none stays, and is refused. */
function textOfID(value, { name, kind }) {
    if (kind !== 'id') return value
    if (typeof value === 'bigint') return String(value)
    if (typeof value === 'number' && Number.isInteger(value)) {
        if (Number.isSafeInteger(value)) return String(value)
        throw new ArgumentFault(name, 'is a number too large to be exact: give its text, or a BigInt')
    }
    if (!isObject(value) || typeof value.toJSON === 'function' || typeof value.toString !== 'function') return value
    const text = value.toString()
    return typeof text === 'string' && UUID.test(text) ? text : value
}

/** Checks by its text whether a value has the type of the parameter. */
function check({ name, kind, isRequired }, argument, text) {
    const isAbsent = text === undefined || text === 'null'
    if (isAbsent && !isRequired && !isUnwritable(argument)) return
    // For beforeSend a BigInt is written as a marked text.
    if (!isAbsent && (isOf(kind, text) || typeof argument === 'bigint' && isNumeric(kind))) return
    throw new ArgumentFault(name, `must be ${phrase(kind)}, and is ${typeName(argument)}`)
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
    if (value === null || value === undefined) return String(value)
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

/** The options of a call other than its message id, as members of JSON text. */
function callOptions(callersOptions, options, write) {
    const members = []
    for (const { name, kind } of options) {
        const own = callersOptions[name]
        const text = write(textOfID(own, { name: `options.${name}`, kind }), `options.${name}`)
        if (text === undefined || text === 'null') {
            if (kind !== 'id' || !(name in callersOptions)) continue
            // A visitor who is not signed in is not the client's own user.
            throw new ArgumentFault(`options.${name}`, `is ${typeName(own)}: leave it out to mean the client's own`)
        }
        const value = kindOf(text) === 'string' ? JSON.parse(text) : undefined
        const fault = isOf(kind, text) ? faultOf(name, value) : `must be ${phrase(kind)}, and is ${typeName(own)}`
        if (fault) throw new ArgumentFault(`options.${name}`, fault)
        members.push(`"${name}":${text}`)
    }
    return members.join(',')
}

/** What is wrong with an option that is a string; undefined if nothing is. */
function faultOf(name, value) {
    if (value === undefined) return undefined
    if (name === 'timestamp') {
        const isTime = TIMESTAMP.test(value) && !Number.isNaN(Date.parse(value.replace(',', '.').toUpperCase()))
        return isTime ? undefined : 'must be a Date or ISO 8601 with the zone, such as 2025-11-27T10:30:00.000Z'
    }
    if (value.trim() === '') return 'must not be blank'
    return Buffer.byteLength(value) > MAX_ID_BYTES ? `must not have more than ${MAX_ID_BYTES} bytes` : undefined
}

/** The message id among a caller's options. */
function messageID(options, more, warn) {
    if (options === undefined || options === null) return undefined
    if (typeof options !== 'object' || Array.isArray(options)) {
        throw new ArgumentFault('options', `must be an object such as { messageId: 'order-1' }, and is ${typeName(options)}`)
    }
    const known = more ? [...OPTIONS, ...more.map(({ name }) => name)] : OPTIONS
    refuseMisspelledPerson(options, known)
    warnOfUnknown(options, known, warn)
    const { messageId } = options
    if (messageId === undefined || messageId === null) return undefined
    if (typeof messageId === 'string' && MESSAGE_ID.test(messageId)) return messageId
    throw new ArgumentFault('messageId', 'must be 1 to 128 printable ASCII characters without spaces at either end')
}

/** Refuses a misspelled option of a person: without it the event would belong to another person. */
function refuseMisspelledPerson(options, known) {
    for (const key of Object.keys(options)) {
        if (known.includes(key)) continue
        const guess = nearest(key, known)
        if (!PERSON.includes(guess)) continue
        throw new ArgumentFault(`options.${key.slice(0, 80)}`, `is not known; the nearest is '${guess}'`)
    }
}

/**
 * Warns of unknown keys.
 *
 * @param {object} options
 * @param {string[]} known
 * @param {(message: string) => void} warn
 */
export function warnOfUnknown(options, known, warn) {
    for (const key of Object.keys(options)) {
        if (known.includes(key)) continue
        const guess = nearest(key, known)
        warn(`the option '${key.slice(0, 80)}' has no effect: it is not known${guess ? `, and the nearest is '${guess}'` : ''}`)
    }
}

/** Warns if an argument has a message id and nothing else: it most likely belongs after the arguments. */
function warnOfMisplaced(params, args, warn) {
    const last = args[args.length - 1]
    if (args.length > params.length || args.length === 0 || !isObject(last)) return
    const keys = Object.keys(last)
    if (keys.length !== 1 || nearest(keys[0], OPTIONS) !== 'messageId') return
    const { name } = params[args.length - 1]
    const order = [...params.map((param) => param.name), '{ messageId }'].join(', ')
    warn(`'${keys[0]}' is in ${name}, where it is sent as data; the order is (${order})`)
}

function omission(omitted) {
    const [{ path, kind }] = omitted
    const others = omitted.length > 1 ? `, and ${omitted.length - 1} more like it,` : ''
    return `${path} is a ${kind}, which JSON cannot hold${others ? `${others} are` : '; it is'} left out`
}

function isObject(value) {
    return typeof value === 'object' && value !== null
}
