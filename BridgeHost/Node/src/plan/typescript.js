import { codeNames } from './names.js'
import { isObject } from './schema.js'

/**
 * Writes a plan's typed calls for Node: the declarations, and the module that they are of.
 *
 * @param {import('./plan.js').Plan} plan
 * @returns {{ types: string, module: string }} The texts of a `.d.ts` and a `.js` file.
 */
export function typescriptCalls(plan) {
    const names = codeNames(plan.events.keys(), 'events')
    const events = [...plan.events].map(([name, { data, description }]) => ({
        name, code: names.get(name), description, isOptional: isOptional(data), type: dataType(data, plan.defs),
    }))
    return { types: declarations(events), module: implementation(events) }
}

const HEAD = '// Made by "mobile-tracker plan types". Change the plan and make it again, not this file.\n'

function declarations(events) {
    const methods = events.map(({ code, name, description, isOptional: optional, type }) => {
        return `${comment(description ?? `Tracks ${JSON.stringify(name)}.`, '    ')}    ${code}(data${optional ? '?' : ''}: ${type}): Promise<Outcome>\n`
    })
    return `${HEAD}import type { Outcome } from '@mobiletracker/bridge'

/** Who tracks the events: \`MobileTracker\`, its \`analytics\` or \`basic\`, or one of your own. */
export interface EventTracker {
    track(name: string, data?: object | null): Promise<Outcome>
}

/** The events of the plan, one function each. */
export interface PlannedEvents {
${methods.join('\n')}}

/** Gives the functions that track with this tracker. */
export function plannedEvents(tracker: EventTracker): PlannedEvents
`
}

function implementation(events) {
    const methods = events.map(
        ({ code, name }) => `        ${code}: (data = {}) => tracker.track(${JSON.stringify(name)}, data),`,
    )
    return `${HEAD}
/** Gives the functions that track with this tracker. */
export function plannedEvents(tracker) {
    return {
${methods.join('\n')}
    }
}
`
}

/** Data is an object, also where the plan does not say so. */
function dataType(schema, defs) {
    const type = typeOf(schema, defs, '    ')
    return type === 'unknown' ? 'object' : type
}

/** Whether an event may come without data. */
function isOptional(schema) {
    return !isObject(schema) || !(schema.required?.length > 0)
}

/** @returns {string} A TypeScript type. What cannot be said in one is `unknown`. */
function typeOf(schema, defs, indent) {
    if (!isObject(schema)) return schema === false ? 'never' : 'unknown'
    if (schema.$ref !== undefined) return referenced(schema.$ref, defs, indent)
    if (schema.const !== undefined) return literal(schema.const)
    if (schema.enum) return schema.enum.map(literal).join(' | ')
    const choices = schema.anyOf ?? schema.oneOf
    if (choices) return grouped(choices.map((one) => typeOf(one, defs, indent)), ' | ')
    if (schema.allOf) return grouped(schema.allOf.map((one) => typeOf(one, defs, indent)), ' & ')
    const types = [schema.type ?? (schema.properties ? 'object' : [])].flat()
    return types.length === 0 ? 'unknown' : grouped(types.map((type) => plainType(type, schema, defs, indent)), ' | ')
}

function plainType(type, schema, defs, indent) {
    switch (type) {
        case 'integer': return 'number'
        case 'array': return schema.items === undefined ? 'unknown[]' : `Array<${typeOf(schema.items, defs, indent)}>`
        case 'object': return objectType(schema, defs, indent)
        default: return type
    }
}

function objectType({ properties = {}, required = [], additionalProperties = true }, defs, indent) {
    const inner = `${indent}    `
    const members = Object.entries(properties).map(([name, schema]) => {
        const described = isObject(schema) && schema.description ? comment(schema.description, inner) : ''
        const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)
        return `${described}${inner}${key}${required.includes(name) ? '' : '?'}: ${typeOf(schema, defs, inner)}\n`
    })
    const others = isObject(additionalProperties) && members.length === 0
        ? typeOf(additionalProperties, defs, inner)
        : 'unknown'
    if (additionalProperties !== false) members.push(`${inner}[name: string]: ${others}\n`)
    return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('')}${indent}}`
}

/** A definition stands in place; one that holds itself cannot. */
function referenced(reference, defs, indent) {
    const name = reference.slice('#/$defs/'.length)
    const { [name]: schema, ...others } = defs
    return schema === undefined ? 'unknown' : typeOf(schema, others, indent)
}

function literal(value) {
    return typeof value === 'object' && value !== null ? 'unknown' : JSON.stringify(value)
}

function grouped(types, sign) {
    const different = [...new Set(types)]
    return different.length === 1
        ? different[0]
        : different.map((type) => (/[|&]/.test(type) && !type.startsWith('{') ? `(${type})` : type)).join(sign)
}

function comment(text, indent) {
    return `${indent}/** ${text.replaceAll('*/', '* /').replace(/\s+/g, ' ')} */\n`
}
