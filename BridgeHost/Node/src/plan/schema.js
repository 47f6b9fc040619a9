import { sentenceOf, show } from '../collector/checks/findings.js'
import { nearest } from '../nearest.js'
import { hasRoom, hasUnknownSyntax, matchesPattern } from './pattern.js'

/**
 * The part of JSON Schema (Draft 2020-12) that plans are written in.
 *
 * @typedef {boolean | Record<string, any>} Schema
 */

const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

/** What each format looks like, and how a sentence calls it. */
const FORMATS = {
    'date-time': [
        /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/,
        'a time such as 2025-01-31T09:30:00Z',
    ],
    date: [/^\d{4}-\d\d-\d\d$/, 'a date such as 2025-01-31'],
    time: [/^\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/, 'a time such as 09:30:00Z'],
    email: [/^[^\s@]+@[^\s@]+$/, 'an email address'],
    uri: [/^[A-Za-z][A-Za-z0-9+.-]*:\S+$/, 'a URL'],
    uuid: [/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'a UUID'],
}

/** How many faults of one list or object are looked for. */
const MOST = 20

/** How deep a schema may nest. */
export const DEEPEST = 64

/** How many schemas one may hold once every `$ref` is followed. */
export const MOST_SCHEMAS = 20_000

/** How many schemas a value may be compared with. A plan whose `$ref`s lead back to it has no other bound. */
const MOST_STEPS = 200_000

const isWhole = (value) => Number.isSafeInteger(value) && value >= 0
const isNumber = (value) => typeof value === 'number'
const isSchema = (value) => typeof value === 'boolean' || isObject(value)

/** What the value of each keyword must be, and how a sentence says so. */
const KEYWORDS = {
    type: [
        (value) => [value].flat().length > 0 && [value].flat().every((type) => TYPES.includes(type)),
        `one of ${TYPES.join(', ')}, or a list of them`,
    ],
    enum: [(value) => Array.isArray(value) && value.length > 0, 'a list of values'],
    const: [() => true, 'a value'],
    properties: [(value) => isObject(value) && Object.values(value).every(isSchema), 'an object of schemas'],
    required: [(value) => Array.isArray(value) && value.every((name) => typeof name === 'string'), 'a list of names'],
    additionalProperties: [isSchema, 'true, false or a schema'],
    items: [isSchema, 'a schema'],
    minItems: [isWhole, 'a whole number'],
    maxItems: [isWhole, 'a whole number'],
    uniqueItems: [(value) => typeof value === 'boolean', 'true or false'],
    minimum: [isNumber, 'a number'],
    maximum: [isNumber, 'a number'],
    exclusiveMinimum: [isNumber, 'a number'],
    exclusiveMaximum: [isNumber, 'a number'],
    multipleOf: [(value) => isNumber(value) && value > 0, 'a number above 0'],
    minLength: [isWhole, 'a whole number'],
    maxLength: [isWhole, 'a whole number'],
    pattern: [isPattern, 'a regular expression of at most 10000 steps, without lookaround, named groups, references to groups, \\p, \\c and \\0'],
    format: [(value) => typeof value === 'string' && Object.hasOwn(FORMATS, value), `one of ${Object.keys(FORMATS).join(', ')}`],
    anyOf: [isSchemas, 'a list of schemas'],
    oneOf: [isSchemas, 'a list of schemas'],
    allOf: [isSchemas, 'a list of schemas'],
    not: [isSchema, 'a schema'],
    $ref: [(value) => typeof value === 'string' && /^#\/\$defs\/[^/]+$/.test(value), 'such as #/$defs/price'],
}

/** Keywords for people, which change nothing. */
const ANNOTATIONS = [
    'title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly', '$comment', '$schema', '$id',
]

/** The keywords that plans know, for help texts. */
export const SCHEMA_KEYWORDS = Object.keys(KEYWORDS)

/**
 * Says what is wrong with a schema itself.
 *
 * @param {Schema} schema
 * @param {Record<string, Schema>} defs What `$ref` can name.
 * @param {string} path Where the schema stands.
 * @returns {string[]} Sentences; none if it can be used.
 */
export function faultsIn(schema, defs, path, depth = 0) {
    if (typeof schema === 'boolean') return []
    if (depth > DEEPEST) return [`${path.slice(0, 60)}… nests deeper than ${DEEPEST} schemas; name its parts in $defs.`]
    if (!isObject(schema)) return [`${path} is ${show(schema)}; it must be a schema.`]
    const faults = []
    for (const [name, value] of Object.entries(schema)) {
        if (ANNOTATIONS.includes(name)) continue
        const keyword = Object.hasOwn(KEYWORDS, name) ? KEYWORDS[name] : null
        if (!keyword) faults.push(`${path} has "${name}", which plans do not know${hint(name)}`)
        else if (!keyword[0](value)) faults.push(`${path}.${name} is ${show(value)}; it must be ${keyword[1]}.`)
        else if (name === '$ref') faults.push(...referenceFaults(schema, defs, path))
        else for (const [place, inner] of schemasIn(name, value)) {
            faults.push(...faultsIn(inner, defs, `${path}.${name}${place}`, depth + 1))
        }
    }
    return faults
}

function hint(name) {
    if (name === '$defs') return '; put it beside "events".'
    const near = nearest(name, [...SCHEMA_KEYWORDS, ...ANNOTATIONS])
    return near ? `; did you mean "${near}"?` : '.'
}

function referenceFaults({ $ref }, defs, path) {
    const name = nameIn($ref)
    if (Object.hasOwn(defs, name)) return []
    const near = nearest(name, Object.keys(defs))
    return [`${path}.$ref names "${name}", which is not in $defs${near ? `; did you mean "${near}"?` : '.'}`]
}

/**
 * Says which definitions lead back to themselves without looking at a member, so that no value could ever be judged.
 *
 * @param {Record<string, Schema>} defs Ones without faults otherwise.
 * @returns {string[]}
 */
export function circlesIn(defs) {
    return Object.keys(defs).filter((name) => reaches(defs[name], name, defs, new Set())).map((name) => {
        return `$defs.${name} leads back to itself without looking at a member.`
    })
}

function reaches(schema, wanted, defs, seen) {
    if (!isObject(schema)) return false
    const { $ref, anyOf = [], oneOf = [], allOf = [], not } = schema
    const name = $ref === undefined ? undefined : nameIn($ref)
    if (name === wanted) return true
    if (name !== undefined && !seen.has(name) && reaches(defs[name], wanted, defs, seen.add(name))) return true
    return [...anyOf, ...oneOf, ...allOf, not].some((inner) => reaches(inner, wanted, defs, seen))
}

/**
 * Whether a definition leads back to itself, also by a member.
 *
 * @param {string} name
 * @param {Record<string, Schema>} defs Ones without faults.
 */
export function isRecursive(name, defs) {
    const reached = new Set(referencesIn(defs[name]))
    // A set that grows meanwhile is read to its end.
    for (const other of reached) for (const next of referencesIn(defs[other])) reached.add(next)
    return reached.has(name)
}

/** The names of the definitions that a schema refers to. @returns {string[]} */
function referencesIn(schema) {
    if (!isObject(schema)) return []
    return Object.entries(schema).flatMap(([name, value]) => {
        if (name === '$ref') return [nameIn(value)]
        return schemasIn(name, value).flatMap(([, inner]) => referencesIn(inner))
    })
}

/**
 * How many schemas one holds once every `$ref` is followed, those that lead back to it aside.
 *
 * @param {Schema} schema One without faults.
 * @param {Record<string, Schema>} defs
 * @param {Map<string, number>} known The sizes of the definitions that were followed before.
 * @returns {number}
 */
export function sizeOf(schema, defs, known = new Map()) {
    if (!isObject(schema)) return 1
    let size = 1
    for (const [name, value] of Object.entries(schema)) {
        if (name === '$ref') size += sizeOfDefinition(nameIn(value), defs, known)
        else if (Object.hasOwn(KEYWORDS, name)) for (const [, inner] of schemasIn(name, value)) size += sizeOf(inner, defs, known)
    }
    return size
}

function sizeOfDefinition(name, defs, known) {
    if (!known.has(name)) {
        known.set(name, 1)
        known.set(name, sizeOf(defs[name], defs, known))
    }
    return known.get(name)
}

/** What a schema, or a plan of a call, says for people; undefined if that is no text, which no plan is refused for. */
export function descriptionOf(schema) {
    return isObject(schema) && typeof schema.description === 'string' ? schema.description : undefined
}

/** The schemas inside a keyword's value, each with its place. */
function schemasIn(name, value) {
    if (['additionalProperties', 'items', 'not'].includes(name)) return [['', value]]
    if (name === 'properties') return Object.entries(value).map(([key, inner]) => [`.${key}`, inner])
    if (['anyOf', 'oneOf', 'allOf'].includes(name)) return value.map((inner, i) => [`[${i}]`, inner])
    return []
}

/** The schema that a `$ref` leads to. */
function resolved(schema, defs) {
    let target = schema
    while (isObject(target) && target.$ref !== undefined) target = defs[nameIn(target.$ref)]
    return target
}

/**
 * A schema with all that its `$ref` and its `allOf` ask beside it: it has neither, and `choices` in place of `anyOf` and `oneOf`.
 *
 * @typedef {Record<string, any> & { choices: Schema[][] }} Joined
 */

/**
 * Joins what a schema asks in several places, for who makes types of it.
 *
 * @param {Schema} schema One without faults.
 * @param {Record<string, Schema>} defs What is followed; a reference to anything else asks nothing.
 * @param {() => void} count Is called for each schema that is looked at.
 * @param {Set<string>} [followed] Gets the names of the definitions that were followed.
 * @returns {Joined | boolean} False if no value can be as it asks.
 */
export function joined(schema, defs, count, followed = new Set()) {
    count()
    if (!isObject(schema)) return schema
    const { $ref, allOf = [], anyOf, oneOf, ...own } = schema
    const parts = allOf.map((part) => joined(part, defs, count, followed))
    if ($ref !== undefined && Object.hasOwn(defs, nameIn($ref))) {
        followed.add(nameIn($ref))
        parts.unshift(joined(defs[nameIn($ref)], defs, () => {}, followed))
    }
    return parts.reduce(both, { ...own, choices: [anyOf, oneOf].filter((choice) => choice !== undefined) })
}

/**
 * What asks as much as two schemas together.
 *
 * @param {Joined | boolean} one What it says for people counts.
 * @param {Joined | boolean} other
 * @returns {Joined | boolean}
 */
export function both(one, other) {
    if (one === false || other === false) return false
    if (one === true || other === true) return one === true ? other : one
    const result = { ...other, ...one, choices: [...one.choices, ...other.choices] }
    if (one.type !== undefined && other.type !== undefined) result.type = commonType([one.type].flat(), [other.type].flat())
    if (one.enum && other.enum) result.enum = one.enum.filter((value) => other.enum.some((same) => isEqual(value, same)))
    if (result.type?.length === 0 || result.enum?.length === 0) return false
    for (const name of ['items', 'additionalProperties']) {
        if (one[name] !== undefined && other[name] !== undefined) result[name] = together(one[name], other[name])
    }
    if (one.required && other.required) result.required = [...new Set([...one.required, ...other.required])]
    if (one.properties || other.properties) result.properties = commonProperties(one, other, result.additionalProperties)
    return lacksRequired(result) ? false : result
}

/** Whether it asks for an object with a member that it refuses. */
function lacksRequired({ type, properties = {}, required = [], additionalProperties }) {
    return type === 'object' && additionalProperties === false && !required.every((name) => Object.hasOwn(properties, name))
}

function commonType(types, others) {
    const within = (all) => (type) => all.includes(type) || (type === 'integer' && all.includes('number'))
    const common = [...new Set([...types.filter(within(others)), ...others.filter(within(types))])]
    return common.length === 1 ? common[0] : common
}

/** The members that both schemas know or leave to any: one that has no others refuses those of the other. */
function commonProperties(one, other, additional) {
    const names = new Set([...Object.keys(one.properties ?? {}), ...Object.keys(other.properties ?? {})])
    const members = [...names].map((name) => [name, together(memberOf(one, name), memberOf(other, name))])
    return Object.fromEntries(members.filter(([, schema]) => schema !== false || additional !== false))
}

/**
 * The members of an object that a schema names: as properties, or as required alone.
 *
 * @param {Joined} target
 * @returns {Array<[string, Schema]>}
 */
export function membersOf({ properties = {}, required = [], additionalProperties = true }) {
    const others = additionalProperties === false ? [] : required.filter((name) => !Object.hasOwn(properties, name))
    return [...Object.entries(properties), ...[...new Set(others)].map((name) => [name, additionalProperties])]
}

function memberOf({ properties = {}, additionalProperties = true }, name) {
    return Object.hasOwn(properties, name) ? properties[name] : additionalProperties
}

function together(one, other) {
    if (one === false || other === false) return false
    if (one === true || isEqual(one, other)) return other
    return other === true ? one : { allOf: [one, other] }
}

function nameIn(reference) {
    return reference.slice('#/$defs/'.length)
}

/** A value that takes too long to be judged. */
class Unjudged extends Error {
    /** @param {(string | number)[]} path @param {string} why */
    constructor(path, why) {
        super(why)
        this.finding = { path, text: `cannot be judged: ${why}` }
    }
}

/**
 * Says where a value does not match a schema.
 *
 * @param {Schema} schema One without faults.
 * @param {any} value
 * @param {Record<string, Schema>} defs
 * @param {(string | number)[]} path Where the value stands, such as `['data']`.
 * @returns {Array<import('../collector/checks/findings.js').Finding & { isMissing?: true }>} With a mark on what is missing.
 */
export function violations(schema, value, defs, path) {
    try {
        return violationsOf(schema, value, { defs, left: MOST_STEPS }, path)
    } catch (error) {
        if (error instanceof Unjudged) return [error.finding]
        // The stack's end: the plan's definitions follow one another too far.
        if (error instanceof RangeError) return [{ path, text: 'cannot be judged: the plan nests too deep.' }]
        throw error
    }
}

/** @param {{ defs: Record<string, Schema>, left: number }} plan Its definitions, and how many steps are left. */
function violationsOf(schema, value, plan, path) {
    if (schema === true) return []
    if (schema === false) return [{ path, text: 'does not belong here.' }]
    if (plan.left-- === 0) throw new Unjudged(path, 'the plan compares it with too many schemas.')
    const found = schema.$ref === undefined ? [] : violationsOf(resolved(schema, plan.defs), value, plan, path)
    const say = (rest) => found.push({ path, text: `is ${show(value)}; it must ${rest}.` })
    if (schema.type !== undefined && ![schema.type].flat().some((type) => isOfType(value, type))) {
        say(`be ${[schema.type].flat().map(article).join(' or ')}`)
        return found
    }
    if (schema.const !== undefined && !isEqual(schema.const, value)) say(`be ${JSON.stringify(schema.const)}`)
    if (schema.enum && !schema.enum.some((one) => isEqual(one, value))) say(oneOfText(schema.enum, value))
    if (typeof value === 'string') textViolations(schema, value, say, path)
    if (typeof value === 'number') numberViolations(schema, value, say)
    if (Array.isArray(value)) found.push(...listViolations(schema, value, plan, path, say))
    else if (isObject(value)) found.push(...objectViolations(schema, value, plan, path))
    found.push(...choiceViolations(schema, value, plan, path))
    return found
}

function oneOfText(values, value) {
    const near = typeof value === 'string' ? nearest(value, values.filter((one) => typeof one === 'string')) : undefined
    const shown = values.slice(0, 10).map((one) => JSON.stringify(one)).join(', ')
    const hint = near === undefined ? '' : ` (did you mean "${near}"?)`
    return `be ${values.length > 1 ? 'one of ' : ''}${shown}${values.length > 10 ? ', …' : ''}${hint}`
}

function textViolations({ minLength, maxLength, pattern, format }, value, say, path) {
    const length = minLength === undefined && maxLength === undefined ? 0 : [...value].length
    if (minLength !== undefined && length < minLength) say(`have at least ${minLength} characters`)
    if (maxLength !== undefined && length > maxLength) say(`have at most ${maxLength} characters`)
    const isMatch = pattern === undefined || matchesPattern(pattern, value)
    if (isMatch === null) throw new Unjudged(path, `${pattern} takes too long; write it with fewer repetitions.`)
    if (!isMatch) say(`match ${pattern}`)
    if (format !== undefined && !FORMATS[format][0].test(value)) say(`be ${FORMATS[format][1]}`)
}

function numberViolations({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }, value, say) {
    if (minimum !== undefined && value < minimum) say(`be ${minimum} or more`)
    if (maximum !== undefined && value > maximum) say(`be ${maximum} or less`)
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) say(`be more than ${exclusiveMinimum}`)
    if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) say(`be less than ${exclusiveMaximum}`)
    if (multipleOf !== undefined && !isMultiple(value, multipleOf)) say(`be a multiple of ${multipleOf}`)
}

/** 19.99 is a multiple of 0.01, though not in binary. */
function isMultiple(value, step) {
    const ratio = value / step
    if (!Number.isFinite(ratio)) return value % step === 0
    return Math.abs(ratio - Math.round(ratio)) < 1e-9 * Math.max(1, Math.abs(ratio))
}

function listViolations({ items, minItems, maxItems, uniqueItems }, value, plan, path, say) {
    if (minItems !== undefined && value.length < minItems) {
        say(`have at least ${minItems} ${minItems === 1 ? 'element' : 'elements'}`)
    }
    if (maxItems !== undefined && value.length > maxItems) {
        say(`have at most ${maxItems} ${maxItems === 1 ? 'element' : 'elements'}`)
    }
    if (uniqueItems && new Set(value.map(canonical)).size < value.length) say('have no element twice')
    const found = []
    for (let i = 0; items !== undefined && i < value.length && found.length < MOST; i++) {
        found.push(...violationsOf(items, value[i], plan, [...path, i]))
    }
    return found
}

function objectViolations({ properties = {}, required = [], additionalProperties = true }, value, plan, path) {
    const found = []
    for (const name of Object.keys(value)) {
        if (found.length >= MOST) break
        const place = [...path, name]
        if (Object.hasOwn(properties, name)) found.push(...violationsOf(properties[name], value[name], plan, place))
        else if (additionalProperties === false) {
            const near = nearest(name, Object.keys(properties).filter((known) => !Object.hasOwn(value, known)))
            found.push({ path: place, text: `is not in the plan${near ? `; did you mean ${near}?` : '.'}` })
        } else found.push(...violationsOf(additionalProperties, value[name], plan, place))
    }
    for (const name of required) {
        if (!Object.hasOwn(value, name)) found.push({ path: [...path, name], text: 'is missing.', isMissing: true })
    }
    return found
}

function choiceViolations({ anyOf, oneOf, allOf, not }, value, plan, path) {
    const found = (allOf ?? []).flatMap((one) => violationsOf(one, value, plan, path))
    if (anyOf && !anyOf.some((one) => violationsOf(one, value, plan, path).length === 0)) {
        found.push(...nearestChoice(anyOf, value, plan, path))
    }
    if (oneOf) {
        const fitting = oneOf.filter((one) => violationsOf(one, value, plan, path).length === 0).length
        if (fitting === 0) found.push(...nearestChoice(oneOf, value, plan, path))
        else if (fitting > 1) found.push({ path, text: `fits ${fitting} of the forms that the plan allows; it must fit one.` })
    }
    if (not !== undefined && violationsOf(not, value, plan, path).length === 0) {
        found.push({ path, text: `is ${show(value)}, which the plan forbids.` })
    }
    return found
}

/** The choice with the fewest faults is probably the one that was meant. */
function nearestChoice(choices, value, plan, path) {
    const all = choices.map((one) => violationsOf(one, value, plan, path)).sort((one, other) => one.length - other.length)
    if (all.length === 1) return all[0]
    const reasons = all[0].map(sentenceOf).join(' ')
    return [{ path, text: `fits none of the ${all.length} forms that the plan allows. The nearest: ${reasons}` }]
}

function isOfType(value, type) {
    switch (type) {
        case 'null': return value === null
        case 'integer': return Number.isInteger(value)
        case 'array': return Array.isArray(value)
        case 'object': return isObject(value)
        default: return typeof value === type
    }
}

function article(type) {
    if (type === 'null') return 'null'
    if (type === 'boolean') return 'true or false'
    if (type === 'integer') return 'a whole number'
    return /^[ao]/.test(type) ? `an ${type}` : `a ${type}`
}

function isEqual(one, other) {
    if (one === other) return true
    return typeof one === 'object' && typeof other === 'object' && canonical(one) === canonical(other)
}

/** The same text for equal values: the order of an object's members does not matter. */
function canonical(value) {
    if (Array.isArray(value)) return `[${value.map(canonical).join()}]`
    if (!isObject(value)) return JSON.stringify(value)
    return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join()}}`
}

function isSchemas(value) {
    return Array.isArray(value) && value.length > 0 && value.every(isSchema)
}

function isPattern(value) {
    try {
        new RegExp(value, 'u')
        return typeof value === 'string' && !hasUnknownSyntax(value) && hasRoom(value)
    } catch {
        return false
    }
}

export function isObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value)
}
