import { Definitions } from './definitions.js'
import { plannedFunctions } from './functions.js'
import { camelCase, codeNames, typeName } from './names.js'
import { descriptionOf, isObject, membersOf } from './schema.js'

/** Words that Swift reserves. */
const KEYWORDS = new Set(('associatedtype class deinit enum extension fileprivate func import init inout internal let open operator '
    + 'private precedencegroup protocol public rethrows static struct subscript typealias var break case catch continue default '
    + 'defer do else fallthrough for guard if in repeat return throw switch where while Any as await catch false is nil self Self '
    + 'super throws true try').split(' '))

/** Names that mean something else in the generated code, or in Swift even between backquotes. */
const TAKEN = ['dictionary', 'data', 'metadata', 'messageId', 'options', 'init', 'self']
const TAKEN_BY_PEOPLE = [...TAKEN, 'userId', 'groupId', 'traits']
const TAKEN_BY_FUNCTIONS = ['init', 'self']
const TAKEN_BY_CASES = ['rawValue', 'hashValue', 'init', 'self', 'none', 'some']

/** Types that the generated code names. A type of the plan stands nearer, and would be taken for it. */
const TAKEN_BY_TYPES = [
    'AnalyticsInterface', 'Any', 'Bool', 'CallOptions', 'CallReceipt', 'CallerKey', 'Date', 'Double', 'IDValue', 'Int', 'JSONValue',
    'MobileTracker', 'PlannedAnalyticsEvents', 'PlannedEvents', 'Protocol', 'Self', 'Sendable', 'String', 'TrackOutcome', 'Type',
]

/** How deep types nest; what a plan nests deeper is a JSONValue. */
const DEEPEST = 8

/**
 * Writes a plan's typed calls for Swift.
 *
 * @param {import('./plan.js').Plan} plan
 * @returns {string} A file's text.
 */
export function swiftCalls(plan) {
    const calls = plannedFunctions(plan, TAKEN_BY_FUNCTIONS, camelCase, (name) => `screen${typeName(name)}`)
    const writer = new SwiftWriter(plan.defs)
    const functions = calls.map((call) => writer.functions(call))
    const types = writer.types.join('\n')
    const foundation = /\bDate\b/.test(functions.map(({ analytics }) => analytics).join('') + types) ? 'import Foundation\n' : ''
    return `// swift-format-ignore-file
// Made by "mobile-tracker plan types". Change the plan and make it again, not this file.
${foundation}import TrackerCore
import TrackerModels

/// The events of the plan, one function each, for a \`MobileTracker\`.
public struct PlannedEvents: Sendable {
    private let _tracker: MobileTracker

    /// Gives the functions that track with this tracker.
    public init(_ tracker: MobileTracker = .shared) {
        _tracker = tracker
    }

${[...functions.flatMap(({ tracker }) => tracker ?? []), ...writer.types].join('\n')}}

/// The events of the plan, one function each, for an \`AnalyticsClient\`.
public struct PlannedAnalyticsEvents: Sendable {
    private let _analytics: any AnalyticsInterface

    /// Gives the functions that track with this client.
    public init(_ analytics: any AnalyticsInterface) {
        _analytics = analytics
    }

${functions.map(({ analytics }) => analytics).join('\n')}}
`
}

/** @typedef {{ name: string, code: string, type: SwiftType, isRequired: boolean, description?: string }} Member */
/**
 * @typedef {object} SwiftType
 * @property {string} text How the type is written.
 * @property {(name: string) => string} value What of a value goes into the dictionary.
 * @property {SwiftType} [base] The type without its null, if it has one.
 */

/**
 * How each kind of call is performed: `label` names its data where they have no type, `id` whom it is about; `tracker` is
 * missing where a MobileTracker has no such call, and `more` is what it takes besides.
 */
const KINDS = {
    event: {
        label: 'data', more: ['metadata: [String: Any]? = nil'],
        tracker: (name, data) => `await _tracker.track(eventName: ${name}, attributes: ${data}, metadata: metadata, messageId: messageId)`,
        analytics: (name, data) => `_analytics.track(${name}, properties: ${data}, options: options, messageId: messageId)`,
    },
    screen: {
        label: 'data',
        tracker: (name, data) => `await _tracker.screen(name: ${name}, properties: ${data}, messageId: messageId)`,
        analytics: (name, data) => `_analytics.screen(${name}, properties: ${data}, options: options, messageId: messageId)`,
    },
    identify: {
        label: 'traits', id: 'userId',
        tracker: (id, traits) => `await _tracker.identify(userId: ${id}, profileData: ${traits}, messageId: messageId)`,
        analytics: (id, traits) => `_analytics.identify(${id}, traits: ${traits}, options: options, messageId: messageId)`,
    },
    group: {
        label: 'traits', id: 'groupId',
        analytics: (id, traits) => `_analytics.group(${id}, traits: ${traits}, options: options, messageId: messageId)`,
    },
}

class SwiftWriter {
    /** The types that functions need, each a piece of the file. @type {string[]} */
    types = []
    #definitions
    #typeNames = new Set(TAKEN_BY_TYPES)

    constructor(defs) {
        this.#definitions = new Definitions(defs)
    }

    /**
     * The functions of a call: for a MobileTracker, where it has that call, and for an AnalyticsClient.
     *
     * @param {import('./functions.js').PlannedFunction} call
     * @returns {{ tracker: string | null, analytics: string }}
     */
    functions({ kind, name, code, data, isOptional, description, place, path }) {
        this.#definitions.begin(place)
        const { label, id, tracker, analytics, more = [] } = KINDS[kind]
        const taken = id ? TAKEN_BY_PEOPLE : TAKEN
        const members = this.#definitions.follow(data, (target) => this.#members(target, path, 0, taken))
        const lines = members ? `${dictionaryLines(members, '        ').join('\n')}\n` : ''
        const given = members ? members.map(parameterOf) : [`${label}: [String: Any]${isOptional ? '? = nil' : ''}`]
        const parameters = [...(id ? [`${id}: some IDValue`] : []), ...given]
        const head = `${comment(description, '    ')}${parameterComments(members ?? [])}    @discardableResult
    public func ${escaped(code)}(`
        const write = (own, result, call) => `${head}${[...parameters, ...own, 'messageId: CallerKey? = nil'].join(', ')}) ${result} {
${lines}        return ${call(id ?? literal(name), members ? 'data' : label)}
    }
`
        return {
            tracker: tracker ? write(more, 'async -> TrackOutcome', tracker) : null,
            analytics: write(['options: CallOptions? = nil'], '-> CallReceipt', analytics),
        }
    }

    /** The members of an object that has no others; null for anything else. @returns {Member[] | null} */
    #members(target, path, depth, taken = TAKEN) {
        if (!isObject(target) || depth > DEEPEST) return null
        if (!target.properties) return target.additionalProperties === false ? [] : null
        const named = membersOf(target)
        // A member of one of its choices has no parameter.
        const areNamed = ({ properties = {} }) => Object.keys(properties).every((name) => named.some(([own]) => own === name))
        if (!target.choices.flat().every((choice) => this.#definitions.follow(choice, areNamed))) return null
        const codes = codeNames(named.map(([name]) => name), `members of ${path.join('.')}`, taken)
        const required = target.required ?? []
        const members = named.map(([name, member]) => {
            const code = codes.get(name)
            return {
                name, code, isRequired: required.includes(name),
                type: this.#type(member, [...path, name], depth), description: descriptionOf(member),
            }
        })
        return members.sort((one, other) => Number(other.isRequired) - Number(one.isRequired))
    }

    /** @returns {SwiftType} */
    #type(schema, path, depth) {
        return this.#definitions.follow(schema, (target) => this.#joinedType(target, path, depth))
    }

    #joinedType(target, path, depth) {
        if (!isObject(target)) return ANY
        if (target.enum?.every((value) => typeof value === 'string')) return this.#enumeration(target.enum, path)
        const types = [target.type ?? []].flat()
        const others = types.filter((type) => type !== 'null')
        if (others.length !== 1 || target.choices.length > 0) return ANY
        const type = this.#plainType(others[0], target, path, depth)
        if (others.length === types.length) return type
        return { text: `${type.text}?`, base: type, value: (name) => `${mapped(name, type)} as Any` }
    }

    #plainType(type, schema, path, depth) {
        switch (type) {
            case 'string': return plain(schema.format === 'date-time' ? 'Date' : 'String')
            case 'integer': return plain('Int')
            case 'number': return plain('Double')
            case 'boolean': return plain('Bool')
            case 'array': {
                const element = this.#type(
                    schema.items ?? true,
                    [...path.slice(0, -1), singular(path.at(-1))],
                    depth + 1,
                )
                return { text: `[${element.text}]`, value: (name) => mapped(name, element) }
            }
            default: {
                const members = this.#members(schema, path, depth + 1)
                return members ? this.#structure(members, path) : ANY
            }
        }
    }

    #enumeration(values, path) {
        const name = this.#newName(path)
        const codes = codeNames(values, `values of ${path.join('.')}`, TAKEN_BY_CASES)
        const cases = values.map((value) => `        case ${escaped(codes.get(value))} = ${literal(value)}`)
        this.types.push(
            `${comment(`What \`${path.join('.')}\` can be.`, '    ')}    public enum ${name}: String, Sendable {\n${cases.join('\n')}\n    }\n`,
        )
        return { text: `PlannedEvents.${name}`, value: (value) => `${value}.rawValue` }
    }

    #structure(members, path) {
        const name = this.#newName(path)
        const stored = members.map(
            (member) => `${member.description ? comment(member.description, '        ') : ''}        public var ${escaped(member.code)}: ${optional(member)}`,
        )
        const assigned = members.map(({ code }) => `            self.${escaped(code)} = ${escaped(code)}`)
        this.types.push(`${comment(`\`${path.join('.')}\`.`, '    ')}    public struct ${name}: Sendable {
${stored.join('\n')}

        public init(${members.map(parameterOf).join(', ')}) {
${assigned.join('\n')}
        }

        var dictionary: [String: Any] {
${dictionaryLines(members, '            ').join('\n')}
            return data
        }
    }
`)
        return { text: `PlannedEvents.${name}`, value: (value) => `${value}.dictionary` }
    }

    #newName(path) {
        const name = typeName(...path) || 'Value'
        let free = name
        for (let i = 2; this.#typeNames.has(free); i++) free = `${name}${i}`
        this.#typeNames.add(free)
        return free
    }
}

const ANY = plain('JSONValue')

function plain(text) {
    return { text, value: (name) => name }
}

function optional({ type, isRequired }) {
    return isRequired ? type.text : `${(type.base ?? type).text}?`
}

function parameterOf(member) {
    return `${escaped(member.code)}: ${optional(member)}${member.isRequired ? '' : ' = nil'}`
}

function dictionaryLines(members, indent) {
    const required = members.filter(({ isRequired }) => isRequired)
    const others = members.filter(({ isRequired }) => !isRequired)
    const pairs = required.map(({ name, code, type }) => `${literal(name)}: ${type.value(escaped(code))}`)
    const first = `${indent}${others.length > 0 ? 'var' : 'let'} data: [String: Any] = [${pairs.join(', ') || ':'}]`
    return [first, ...others.map(({ name, code, type }) => {
        return `${indent}if let ${escaped(code)} { data[${literal(name)}] = ${(type.base ?? type).value(escaped(code))} }`
    })]
}

/** A list's or an optional's value, each as it goes into the dictionary. */
function mapped(name, type) {
    return type.value('$0') === '$0' ? name : `${name}.map { ${type.value('$0')} }`
}

function singular(name) {
    return /[a-z]{2}s$/.test(name) ? name.slice(0, -1) : `${name} element`
}

function parameterComments(members) {
    const described = members.filter(({ description }) => description)
    if (described.length === 0) return ''
    return `    ///\n    /// - Parameters:\n${described.map(({ code, description }) => `    ///   - ${code}: ${oneLine(description)}\n`).join('')}`
}

function escaped(code) {
    return KEYWORDS.has(code) ? `\`${code}\`` : code
}

function literal(text) {
    const hex = (character) => `\\u{${character.codePointAt(0).toString(16)}}`
    return `"${text.replace(/["\\]/g, '\\$&').replace(/[\u0000-\u001f\u007f\u2028\u2029]/g, hex)}"`
}

function comment(text, indent) {
    return `${indent}/// ${oneLine(text)}\n`
}

function oneLine(text) {
    return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}
