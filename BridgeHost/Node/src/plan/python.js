import { codeNames, snakeCase, typeName } from './names.js'
import { PlanError } from './plan.js'
import { isObject, MOST_SCHEMAS, resolved } from './schema.js'

/** Words that Python reserves, and a name of the generated code's own. */
const TAKEN = ('and as assert async await break class continue def del elif else except finally for from global if import in is '
    + 'lambda nonlocal not or pass raise return try while with yield self').split(' ')

/** Names that types must not have. */
const TAKEN_BY_TYPES = [
    'Any', 'Callable', 'EventTracker', 'Generic', 'Literal', 'Mapping', 'None', 'NotRequired', 'PlannedAnalyticsEvents',
    'PlannedEvents', 'Protocol', 'Result', 'Sequence', 'TypedDict', 'TypeVar', 'Unpack', 'UUID',
]

/** How deep types nest; what a plan nests deeper is anything. */
const DEEPEST = 16

/**
 * Writes a plan's typed calls for Python.
 *
 * @param {import('./plan.js').Plan} plan
 * @returns {string} A file's text.
 */
export function pythonCalls(plan) {
    const names = codeNames(plan.events.keys(), 'events', TAKEN, snakeCase)
    const writer = new PythonWriter(plan.defs)
    const events = [...plan.events].map(([name, { data, description }]) => {
        const type = writer.dataType(data, name)
        const isOptional = !(resolved(data, plan.defs)?.required?.length > 0)
        return {
            name, code: names.get(name), data: isOptional ? `data: ${type} | None = None` : `data: ${type}`,
            text: docstring(description ?? `Tracks ${JSON.stringify(name)}.`),
        }
    })
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

    @property
    def track(self) -> Callable[..., Result]: ...


class TrackOptions(TypedDict, total=False):
    """What a call of a \`MobileTracker\` takes besides; \`basic\` takes \`message_id\` alone."""

    metadata: Mapping[str, object]
    message_id: str


class AnalyticsTrackOptions(TypedDict, total=False):
    """What a call of \`analytics\` takes besides."""

    user_id: str | int | UUID
    anonymous_id: str | int | UUID
    group_id: str | int | UUID
    timestamp: datetime | str
    context: Mapping[str, object]
    message_id: str

${writer.types.map((type) => `\n${type}\n`).join('')}

class PlannedEvents(Generic[Result]):
    """The events of the plan, for a \`MobileTracker\` or its \`basic\`."""

    def __init__(self, tracker: EventTracker[Result]) -> None:
        self._track = tracker.track
${events.map((event) => method(event, 'TrackOptions')).join('')}

class PlannedAnalyticsEvents(Generic[Result]):
    """The events of the plan, for the \`analytics\` of a tracker."""

    def __init__(self, analytics: EventTracker[Result]) -> None:
        self._track = analytics.track
${events.map((event) => method(event, 'AnalyticsTrackOptions')).join('')}`
}

function method({ name, code, data, text }, options) {
    return `
    def ${code}(self, ${data}, **options: Unpack[${options}]) -> Result:
        ${text}
        return self._track(${JSON.stringify(name)}, data, **options)
`
}

class PythonWriter {
    /** The types that functions need, each a statement. @type {string[]} */
    types = []
    #defs
    #names = new Set(TAKEN_BY_TYPES)
    /** How many schemas an event may still lead to. */
    #left = MOST_SCHEMAS

    constructor(defs) {
        this.#defs = defs
    }

    /** The type of an event's data: an object, also where the plan does not say so. */
    dataType(schema, name) {
        this.#left = MOST_SCHEMAS
        const type = this.#type(schema, [name], 0)
        return type === 'Any' ? 'Mapping[str, object]' : type
    }

    /** @returns {string} A type. What cannot be said in one is `Any`. */
    #type(schema, path, depth) {
        if (this.#left-- === 0) throw new PlanError([`events.${path[0]} needs types of more than ${MOST_SCHEMAS} parts; make it smaller.`])
        const target = resolved(schema, this.#defs)
        if (!isObject(target) || depth > DEEPEST) return 'Any'
        if (target.const !== undefined) return literals([target.const])
        if (target.enum) return literals(target.enum)
        const choices = target.anyOf ?? target.oneOf
        if (choices) return union(choices.map((one) => this.#type(one, path, depth + 1)))
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

    #object({ properties, required = [], additionalProperties }, path, depth) {
        if (!properties && additionalProperties !== false) return 'Mapping[str, object]'
        const members = Object.entries(properties ?? {}).map(([name, member]) => {
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
    return types.includes('Any') ? 'Any' : [...new Set(types)].join(' | ')
}

function docstring(text) {
    return `"""${text.replace(/\s+/g, ' ').trim().replaceAll('\\', '\\\\').replaceAll('"""', "'''").replace(/"$/, '" ')}"""`
}
