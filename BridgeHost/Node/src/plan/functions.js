import { codeNames } from './names.js'
import { violations } from './schema.js'

/**
 * A function that is made from a plan.
 *
 * @typedef {object} PlannedFunction
 * @property {'event' | 'screen' | 'identify' | 'group'} kind
 * @property {string} name The event's or the screen's; otherwise the kind.
 * @property {string} code What the function is called.
 * @property {import('./schema.js').Schema} data
 * @property {boolean} isOptional Whether a call without data keeps to the plan.
 * @property {string} description
 * @property {string} place Where the plan says it, for faults.
 * @property {string[]} path What the names of its types begin with.
 */

/**
 * The functions that a plan comes to, events first.
 *
 * @param {import('./plan.js').Plan} plan
 * @param {string[]} taken Names that mean something else there.
 * @param {(name: string) => string} eventCode How the function of an event is called.
 * @param {(name: string) => string} screenCode The same for a screen.
 * @returns {PlannedFunction[]}
 * @throws {import('./plan.js').PlanError} If two would be called the same.
 */
export function plannedFunctions(plan, taken, eventCode, screenCode) {
    const { events, screens, identify, group } = plan
    const single = Object.entries({ identify, group }).filter(([, part]) => part !== null)
    const reserved = [...taken, ...single.map(([kind]) => kind)]
    const eventCodes = codeNames(events.keys(), 'events', reserved, eventCode)
    const screenCodes = codeNames(screens?.keys() ?? [], 'screens', [...reserved, ...eventCodes.values()], screenCode)
    return [
        ...[...events].map(([name, part]) => ({
            kind: 'event', name, code: eventCodes.get(name), ...partOf(part, plan, `Tracks ${JSON.stringify(name)}.`),
            place: `events.${name}`, path: [name],
        })),
        ...[...screens ?? []].map(([name, part]) => ({
            kind: 'screen', name, code: screenCodes.get(name), ...partOf(part, plan, `Says that the screen ${JSON.stringify(name)} is shown.`),
            place: `screens.${name}`, path: ['screen', name],
        })),
        ...single.map(([kind, part]) => ({ kind, name: kind, code: kind, ...partOf(part, plan, TEXTS[kind]), place: kind, path: [kind] })),
    ]
}

const TEXTS = { identify: 'Says who the user is.', group: 'Says which group the user belongs to.' }

function partOf({ data, description }, { defs }, usual) {
    return { data, isOptional: violations(data, {}, defs, []).length === 0, description: description ?? usual }
}
