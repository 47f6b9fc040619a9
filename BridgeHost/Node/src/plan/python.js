import { Definitions } from './definitions.js'
import { plannedFunctions } from './functions.js'
import { snakeCase, typeName } from './names.js'
import { both, isObject, membersOf } from './schema.js'

/** Names that functions must not have: words that Python reserves, `self`, and types, for which a function of their class would be taken. */
const TAKEN = ('and as assert async await break class continue def del elif else except finally for from global if import in is '
    + 'lambda nonlocal not or pass raise return try while with yield self '
    + 'bool datetime float int object str').split(' ')

/** Names that types must not have. */
const TAKEN_BY_TYPES = [
    'AnalyticsGroupOptions', 'AnalyticsIdentifyOptions', 'AnalyticsTrackOptions', 'AnalyticsTracker', 'Any', 'CallOptions', 'Callable',
    'EventTracker', 'False', 'Generic', 'Literal', 'Mapping', 'None', 'NotRequired', 'PlannedAnalyticsEvents',
    'PlannedEvents', 'Protocol', 'Result', 'Sequence', 'TrackOptions', 'True', 'TypedDict', 'TypeVar', 'Unpack', 'UUID',
]

/** The type of a choice that no value can be as. */
const NOTHING = ''

/** How deep types nest; what a plan nests deeper is anything. */
const DEEPEST = 16

/**
 * Writes a plan's typed calls for Python.
 *
 * @param {import('./plan.js').Plan} plan
 * @returns {string} A file's text.
 */
export function pythonCalls(plan) {
    const functions = plannedFunctions(plan, TAKEN, snakeCase, (name) => `screen_${snakeCase(name)}`)
    const writer = new PythonWriter(plan.defs, functions.map(({ code }) => code))
    const calls = functions.map((call) => {
        const type = writer.dataType(call)
        const { label } = KINDS[call.kind]
        return { ...call, given: call.isOptional ? `${label}: ${type} | None = None` : `${label}: ${type}`, text: docstring(call.description) }
    })
    const used = Object.keys(KINDS).filter((kind) => kind === 'event' || calls.some((call) => call.kind === kind))
    const ofTracker = used.filter((kind) => kind !== 'group')
    const hasGroup = used.includes('group')
    return `# Made by "mobile-tracker plan types". Change the plan and make it again, not this file.
"""The events of the plan, one function each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, Literal, NotRequired, Protocol, TypedDict, TypeVar, Unpack
from uuid import UUID

Result = TypeVar("Result", covariant=True)


class EventTracker(Protocol[Result]):
    """Who tracks the events: a tracker of the package, one of its clients, or one of your own."""
${ofTracker.map(property).join('')}${hasGroup ? `

class AnalyticsTracker(EventTracker[Result], Protocol[Result]):
    """The \`analytics\` of a tracker, or one of your own."""
${property('group')}` : ''}

class TrackOptions(TypedDict, total=False):
    """What a call of a \`MobileTracker\` takes besides; \`basic\` takes \`message_id\` alone."""

    metadata: Mapping[str, object]
    message_id: str
${used.includes('screen') || used.includes('identify') ? `

class CallOptions(TypedDict, total=False):
    """What a call of a \`MobileTracker\` or its \`basic\` takes besides that is no \`track\`."""

    message_id: str
` : ''}
${used.map((kind) => KINDS[kind].analytics).map(optionsText).filter((text, i, all) => all.indexOf(text) === i).join('')}${writer.types.map((type) => `\n${type}\n`).join('')}

class PlannedEvents(Generic[Result]):
    """The events of the plan, for a \`MobileTracker\` or its \`basic\`."""

    def __init__(self, tracker: EventTracker[Result]) -> None:
${ofTracker.map((kind) => `        self._${KINDS[kind].method} = tracker.${KINDS[kind].method}\n`).join('')}${calls.filter(({ kind }) => kind !== 'group').map((call) => method(call, KINDS[call.kind].options)).join('')}

class PlannedAnalyticsEvents(Generic[Result]):
    """The events of the plan, for the \`analytics\` of a tracker."""

    def __init__(self, analytics: ${hasGroup ? 'AnalyticsTracker' : 'EventTracker'}[Result]) -> None:
${used.map((kind) => `        self._${KINDS[kind].method} = analytics.${KINDS[kind].method}\n`).join('')}${calls.map((call) => method(call, KINDS[call.kind].analytics)).join('')}`
}

/** How each kind of call is performed, and what it takes besides. */
const KINDS = {
    event: { method: 'track', label: 'data', options: 'TrackOptions', analytics: 'AnalyticsTrackOptions' },
    screen: { method: 'screen', label: 'properties', options: 'CallOptions', analytics: 'AnalyticsTrackOptions' },
    identify: { method: 'identify', label: 'traits', id: 'user_id', options: 'CallOptions', analytics: 'AnalyticsIdentifyOptions' },
    group: { method: 'group', label: 'traits', id: 'group_id', analytics: 'AnalyticsGroupOptions' },
}

/** What calls of \`analytics\` take besides: the id that is an argument is no option. */
const ANALYTICS_OPTIONS = {
    AnalyticsTrackOptions: { ids: ['user_id', 'anonymous_id', 'group_id'], call: 'a call' },
    AnalyticsIdentifyOptions: { ids: ['anonymous_id', 'group_id'], call: 'an `identify`' },
    AnalyticsGroupOptions: { ids: ['user_id', 'anonymous_id'], call: 'a `group`' },
}

function optionsText(name) {
    const { ids, call } = ANALYTICS_OPTIONS[name]
    return `
class ${name}(TypedDict, total=False):
    """What ${call} of \`analytics\` takes besides."""

${ids.map((id) => `    ${id}: str | int | UUID\n`).join('')}    timestamp: datetime | str
    context: Mapping[str, object]
    message_id: str

`
}

function property(kind) {
    return `
    @property
    def ${KINDS[kind].method}(self) -> Callable[..., Result]: ...
`
}

function method({ kind, name, code, given, text }, options) {
    const { method: own, label, id } = KINDS[kind]
    const [parameter, argument] = id ? [`${id}: str | int | UUID, `, id] : ['', JSON.stringify(name)]
    return `
    def ${code}(self, ${parameter}${given}, **options: Unpack[${options}]) -> Result:
        ${text}
        return self._${own}(${argument}, ${label}, **options)
`
}

class PythonWriter {
    /** The types that functions need, each a statement. @type {string[]} */
    types = []
    #definitions
    #names

    /**
     * @param {Record<string, import('./schema.js').Schema>} defs
     * @param {string[]} codes The names of the functions. A type would have the same one in a script without capitals.
     */
    constructor(defs, codes) {
        this.#definitions = new Definitions(defs)
        this.#names = new Set([...TAKEN_BY_TYPES, ...codes])
    }

    /** The type of a call's data: an object, also where the plan does not say so. */
    dataType({ data, place, path }) {
        this.#definitions.begin(place)
        const type = this.#type(data, path, 0)
        return type === 'Any' ? 'Mapping[str, object]' : type
    }

    /**
     * @param {import('./schema.js').Joined | true} [beside] What is asked as well.
     * @returns {string} A type. What cannot be said in one is `Any`.
     */
    #type(schema, path, depth, beside = true) {
        return this.#definitions.follow(schema, (own) => {
            const target = both(beside, own)
            return target === false && beside !== true ? NOTHING : this.#joinedType(target, path, depth)
        })
    }

    #joinedType(target, path, depth) {
        if (!isObject(target) || depth > DEEPEST) return 'Any'
        if (target.const !== undefined) return literals([target.const])
        if (target.enum) return literals(target.enum)
        const { choices: [choices], ...own } = target
        if (choices) return union(choices.map((one) => this.#type(one, path, depth + 1, { ...own, choices: [] })))
        const types = [target.type ?? (target.properties ? 'object' : [])].flat()
        return types.length === 0 ? 'Any' : union(types.map((type) => this.#plainType(type, target, path, depth)))
    }

    #plainType(type, schema, path, depth) {
        switch (type) {
            case 'string': return schema.format === 'date-time' ? 'datetime | str' : 'str'
            case 'integer': return 'int'
            case 'number': return 'float'
            case 'boolean': return 'bool'
            case 'null': return 'None'
            case 'array': return `Sequence[${this.#type(schema.items ?? true, [...path, 'element'], depth + 1)}]`
            default: return this.#object(schema, path, depth)
        }
    }

    #object(schema, path, depth) {
        const { properties, required = [], additionalProperties } = schema
        if (!properties && additionalProperties !== false) return 'Mapping[str, object]'
        const members = membersOf(schema).map(([name, member]) => {
            const type = this.#type(member, [...path, name], depth + 1)
            return `    ${JSON.stringify(name)}: ${required.includes(name) ? type : `NotRequired[${type}]`},\n`
        })
        const name = this.#newName(path)
        this.types.push(`${name} = TypedDict("${name}", {${members.length > 0 ? `\n${members.join('')}` : ''}})`)
        return name
    }

    #newName(path) {
        const name = typeName(...path)
        let free = name
        for (let i = 2; this.#names.has(free); i++) free = `${name}${i}`
        this.#names.add(free)
        return free
    }
}

/** The values as literals; `Any` if there is one that Python has no literal type for. */
function literals(values) {
    const words = values.map((value) => {
        if (value === null) return 'None'
        if (typeof value === 'boolean') return value ? 'True' : 'False'
        return typeof value === 'string' || Number.isSafeInteger(value) ? JSON.stringify(value) : undefined
    })
    return words.includes(undefined) ? 'Any' : `Literal[${words.join(', ')}]`
}

function union(types) {
    return types.includes('Any') ? 'Any' : [...new Set(types)].filter((type) => type !== NOTHING).join(' | ') || 'Any'
}

function docstring(text) {
    return `"""${text.replace(/[\s\p{Cc}]+/gu, ' ').trim().replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, '" ')}"""`
}
