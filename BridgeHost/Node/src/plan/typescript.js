import { codeNames } from './names.js'
import { isObject, MOST_SCHEMAS } from './schema.js'
import { PlanError } from './plan.js'

/**
 * Writes a plan's typed calls for Node: the declarations, and the module that they are of.
 *
 * @param {import('./plan.js').Plan} plan
 * @returns {{ types: string, module: string }} The texts of a `.d.ts` and a `.js` file.
 */
export function typescriptCalls(plan) {
    const names = codeNames(plan.events.keys(), 'events', TAKEN)
    const events = [...plan.events].map(([name, { data, description }]) => ({
        name, code: names.get(name), description, isOptional: isOptional(data), type: dataType(data, plan.defs, name),
    }))
    return { types: declarations(events), module: implementation(events) }
}

/** What an object must not have as a function if one may await it. */
const TAKEN = ['then']

/** How deep types nest; what a plan nests deeper is unknown. */
const DEEPEST = 64

const HEAD = '// Made by "mobile-tracker plan types". Change the plan and make it again, not this file.\n'

function declarations(events) {
    const methods = events.map(({ code, name, description, isOptional: optional, type }) => {
        return `${comment(description ?? `Tracks ${JSON.stringify(name)}.`, '    ')}    ${code === 'new' ? '"new"' : code}(data${optional ? '?' : ''}: ${type}, ...more: More): Promise<Outcome>\n`
    })
    return `${HEAD}import type { Outcome, Properties } from '@mobiletracker/bridge'

/** Who tracks the events: \`MobileTracker\`, its \`analytics\` or \`basic\`, or one of your own. */
export interface EventTracker {
    track(name: string, data?: Properties | null, ...more: any[]): Promise<Outcome>
}

/** What a tracker's \`track\` takes after the data, such as the options of a call. */
export type MoreOf<Tracker> = Tracker extends { track(name: string, data?: any, ...more: infer More): unknown } ? More : never

/** The events of the plan, one function each. What follows the data goes to \`track\` as it is. */
export interface PlannedEvents<More extends unknown[] = []> {
${methods.join('\n')}}

/** Gives the functions that track with this tracker. */
export function plannedEvents<Tracker extends EventTracker>(tracker: Tracker): PlannedEvents<MoreOf<Tracker>>
`
}

function implementation(events) {
    const methods = events.map(
        ({ code, name }) => `        ${code}: (data = {}, ...more) => tracker.track(${JSON.stringify(name)}, data, ...more),`,
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
function dataType(schema, defs, name) {
    const type = typeOf(schema, { defs, left: MOST_SCHEMAS, event: name }, '    ')
    return type === 'unknown' ? 'Properties' : type
}

/** Whether an event may come without data. */
function isOptional(schema) {
    return !isObject(schema) || !(schema.required?.length > 0)
}

/**
 * @param {{ defs: object, left: number, event: string }} plan The definitions, and how many schemas may still be written:
 *     definitions that lead to one another in every order have more than anybody can read.
 * @returns {string} A TypeScript type. What cannot be said in one is `unknown`.
 */
function typeOf(schema, plan, indent) {
    if (plan.left-- === 0) throw new PlanError([`events.${plan.event} needs a type of more than ${MOST_SCHEMAS} parts; make it smaller.`])
    if (indent.length > DEEPEST * 4) return 'unknown'
    if (!isObject(schema)) return schema === false ? 'never' : 'unknown'
    if (schema.$ref !== undefined) return referenced(schema.$ref, plan, indent)
    if (schema.const !== undefined) return literal(schema.const)
    if (schema.enum) return schema.enum.map(literal).join(' | ')
    const choices = schema.anyOf ?? schema.oneOf
    if (choices) return grouped(choices.map((one) => typeOf(one, plan, indent)), ' | ')
    if (schema.allOf) return grouped(schema.allOf.map((one) => typeOf(one, plan, indent)), ' & ')
    const types = [schema.type ?? (schema.properties ? 'object' : [])].flat()
    return types.length === 0 ? 'unknown' : grouped(types.map((type) => plainType(type, schema, plan, indent)), ' | ')
}

function plainType(type, schema, plan, indent) {
    switch (type) {
        case 'string': return schema.format === 'date-time' ? 'string | Date' : 'string'
        case 'integer': return 'number'
        case 'array': return schema.items === undefined ? 'unknown[]' : `Array<${typeOf(schema.items, plan, indent)}>`
        case 'object': return objectType(schema, plan, indent)
        default: return type
    }
}

function objectType({ properties = {}, required = [], additionalProperties = true }, plan, indent) {
    const inner = `${indent}    `
    const members = Object.entries(properties).map(([name, schema]) => {
        const described = isObject(schema) && schema.description ? comment(schema.description, inner) : ''
        const key = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name) ? name : JSON.stringify(name)
        return `${described}${inner}${key}${required.includes(name) ? '' : '?'}: ${typeOf(schema, plan, inner)}\n`
    })
    const others = isObject(additionalProperties) && members.length === 0
        ? typeOf(additionalProperties, plan, inner)
        : 'unknown'
    if (additionalProperties !== false) members.push(`${inner}[name: string]: ${others}\n`)
    return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('')}${indent}}`
}

/** A definition stands in place; one that holds itself cannot. */
function referenced(reference, plan, indent) {
    const name = reference.slice('#/$defs/'.length)
    const { [name]: schema, ...others } = plan.defs
    if (schema === undefined) return 'unknown'
    const { defs } = plan
    plan.defs = others
    const type = typeOf(schema, plan, indent)
    plan.defs = defs
    return type
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
