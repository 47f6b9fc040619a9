import { Definitions } from './definitions.js'
import { plannedFunctions } from './functions.js'
import { camelCase, typeName } from './names.js'
import { both, descriptionOf, isObject, membersOf } from './schema.js'

/**
 * Writes a plan's typed calls for Node: the declarations, and the module that they are of.
 *
 * @param {import('./plan.js').Plan} plan
 * @returns {{ types: string, module: string }} The texts of a `.d.ts` and a `.js` file.
 */
export function typescriptCalls(plan) {
    const definitions = new Definitions(plan.defs)
    const calls = plannedFunctions(plan, TAKEN, camelCase, (name) => `screen${typeName(name)}`).map((call) => ({
        ...call, type: dataType(call, definitions),
    }))
    return { types: declarations(calls), module: implementation(calls) }
}

/** What an object must not have as a function if one may await it. */
const TAKEN = ['then']

/** How deep types nest; what a plan nests deeper is unknown. */
const DEEPEST = 64

const HEAD = '// Made by "mobile-tracker plan types". Change the plan and make it again, not this file.\n'

/** Whom a call is about, as an argument before the data. */
const IDS = { identify: 'userId', group: 'groupId' }

/** What is declared for the kinds of calls besides events, if the plan has them. */
const KINDS = {
    screen: {
        name: 'PlannedScreens', parameters: 'More extends unknown[] = []', method: 'screen(name: string, properties?: any, ...more: infer More)',
        given: 'More', comment: 'The screens of the plan, one function each. What follows the properties goes to `screen` as it is.',
    },
    identify: {
        name: 'PlannedIdentify', parameters: 'Id = string, More extends unknown[] = []',
        method: 'identify(userId: infer Id, traits?: any, ...more: infer More)', given: 'Id, More',
        comment: 'What the plan says of users. What follows the traits goes to `identify` as it is.',
    },
    group: {
        name: 'PlannedGroup', parameters: 'Id = string, More extends unknown[] = []',
        method: 'group(groupId: infer Id, traits?: any, ...more: infer More)', given: 'Id, More',
        comment: 'What the plan says of groups. What follows the traits goes to `group` as it is.',
    },
}

function declarations(calls) {
    const used = Object.keys(KINDS).filter((kind) => calls.some((call) => call.kind === kind))
    const others = used.map((kind) => interfaceText(KINDS[kind].comment, `${KINDS[kind].name}<${KINDS[kind].parameters}>`, methodsOf(calls, kind)))
    const choices = used.map((kind) => {
        const { name, method, given } = KINDS[kind]
        return `    & (Tracker extends { ${method}: Promise<Outcome> } ? ${name}<${given}> : unknown)\n`
    })
    const planned = used.length === 0 ? '' : `
/** The functions that a tracker can perform: \`group\` is one of \`analytics\` alone. */
export type Planned<Tracker> = PlannedEvents<MoreOf<Tracker>>
${choices.join('')}`
    return `${HEAD}import type { Outcome, Properties } from '@mobiletracker/bridge'

/** Who tracks the events: \`MobileTracker\`, its \`analytics\` or \`basic\`, or one of your own. */
export interface EventTracker {
    track(name: string, data?: Properties | null, ...more: any[]): Promise<Outcome>
}

/** What a tracker's \`track\` takes after the data, such as the options of a call. */
export type MoreOf<Tracker> = Tracker extends { track(name: string, data?: any, ...more: infer More): unknown } ? More : never

${[
    interfaceText(
        'The events of the plan, one function each. What follows the data goes to `track` as it is.',
        'PlannedEvents<More extends unknown[] = []>', methodsOf(calls, 'event'),
    ), ...others,
].join('\n')}${planned}
/** Gives the functions that track with this tracker. */
export function plannedEvents<Tracker extends EventTracker>(tracker: Tracker): ${used.length === 0 ? 'PlannedEvents<MoreOf<Tracker>>' : 'Planned<Tracker>'}
`
}

function interfaceText(text, head, methods) {
    return `/** ${text} */\nexport interface ${head} {\n${methods.join('\n')}}\n`
}

function methodsOf(calls, kind) {
    return calls.filter((call) => call.kind === kind).map(({ code, description, isOptional: optional, type }) => {
        const id = IDS[kind] ? `${IDS[kind]}: Id, ` : ''
        const given = `${kind === 'event' ? 'data' : kind === 'screen' ? 'properties' : 'traits'}${optional ? '?' : ''}`
        return `${comment(description, '    ')}    ${code === 'new' ? '"new"' : code}(${id}${given}: ${type}, ...more: More): Promise<Outcome>\n`
    })
}

function implementation(calls) {
    const methods = calls.map(({ kind, code, name }) => {
        switch (kind) {
            case 'event': return `        ${code}: (data = {}, ...more) => tracker.track(${literal(name)}, data, ...more),`
            case 'screen': return `        ${code}: (properties = {}, ...more) => tracker.screen(${literal(name)}, properties, ...more),`
            default: return `        ${code}: (${IDS[kind]}, traits = {}, ...more) => tracker.${kind}(${IDS[kind]}, traits, ...more),`
        }
    })
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
function dataType({ data, place }, definitions) {
    definitions.begin(place)
    const type = typeOf(data, definitions, '    ')
    return type === 'unknown' ? 'Properties' : type
}

/**
 * @param {Definitions} definitions
 * @param {import('./schema.js').Joined | true} [beside] What is asked as well.
 * @returns {string} A TypeScript type. What cannot be said in one is `unknown`.
 */
function typeOf(schema, definitions, indent, beside = true) {
    return definitions.follow(schema, (target) => joinedType(both(beside, target), definitions, indent))
}

/** @param {import('./schema.js').Joined | boolean} target */
function joinedType(target, definitions, indent) {
    if (!isObject(target)) return target === false ? 'never' : 'unknown'
    if (indent.length > DEEPEST * 4) return 'unknown'
    if (target.const !== undefined) return literal(target.const)
    if (target.enum) return target.enum.map(literal).join(' | ')
    const { choices: [choices, ...others], ...own } = target
    if (choices) {
        // Each choice with all that is asked beside it: one that has no other members would refuse those in a type of its own.
        const types = choices.map((one) => typeOf(one, definitions, indent, { ...own, choices: [] })).filter((type) => type !== 'never')
        const type = types.length === 0 ? 'never' : grouped(types, ' | ')
        const more = others.map((one) => grouped(one.map((schema) => typeOf(schema, definitions, indent)), ' | '))
        return grouped([type, ...more.filter((other) => other !== 'unknown')], ' & ')
    }
    const types = [own.type ?? (own.properties ? 'object' : [])].flat()
    return types.length === 0 ? 'unknown' : grouped(types.map((type) => plainType(type, own, definitions, indent)), ' | ')
}

function plainType(type, schema, definitions, indent) {
    switch (type) {
        case 'string': return schema.format === 'date-time' ? 'string | Date' : 'string'
        case 'integer': return 'number'
        case 'array': return schema.items === undefined ? 'unknown[]' : `Array<${typeOf(schema.items, definitions, indent)}>`
        case 'object': return objectType(schema, definitions, indent)
        default: return type
    }
}

function objectType(target, definitions, indent) {
    const { required = [], additionalProperties = true } = target
    const inner = `${indent}    `
    const members = membersOf(target).map(([name, schema]) => {
        const description = descriptionOf(schema)
        const described = description ? comment(description, inner) : ''
        const key = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u.test(name) ? name : literal(name)
        return `${described}${inner}${key}${required.includes(name) ? '' : '?'}: ${typeOf(schema, definitions, inner)}\n`
    })
    const others = isObject(additionalProperties) && members.length === 0
        ? typeOf(additionalProperties, definitions, inner)
        : 'unknown'
    if (additionalProperties !== false) members.push(`${inner}[name: string]: ${others}\n`)
    return members.length === 0 ? 'Record<string, never>' : `{\n${members.join('')}${indent}}`
}

function literal(value) {
    if (typeof value === 'object' && value !== null) return 'unknown'
    // TypeScript takes these two for the end of a line, which no text may hold.
    return JSON.stringify(value).replace(/[\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
}

function grouped(types, sign) {
    const different = [...new Set(types)]
    return different.length === 1
        ? different[0]
        : different.map((type) => (/[|&]/.test(type) && (sign === ' & ' || !type.startsWith('{')) ? `(${type})` : type)).join(sign)
}

function comment(text, indent) {
    return `${indent}/** ${text.replaceAll('*/', '* /').replace(/[\s\p{Cc}]+/gu, ' ')} */\n`
}
