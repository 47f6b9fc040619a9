import { isObject, memberPlace, payloadOf } from './payload.js'

/** How the collector writes a plan's reasons among a request's problems. */
const PREFIX = 'Plan, '

/** A request's problems without what its plan says: that is said of each event. */
export function withoutPlan(problems, { plan }) {
    return plan.length === 0 ? problems : problems.filter((problem) => !problem.startsWith(PREFIX))
}

/**
 * What the plan says of one event, or null if it says nothing.
 *
 * A request lists what the plan says of its events in their order, without those of which it says nothing: the second
 * of a name belongs to the second event of that name.
 *
 * @returns {{ verdict: 'kept' | 'broken', reasons: string[] } | null}
 */
export function planOf({ plan, items }, index) {
    const { name, type } = items[index]
    if (plan.length === 0 || !isPlanned(type)) return null
    const earlier = items.slice(0, index).filter((item) => item.name === name && isPlanned(item.type)).length
    return plan.filter((judgement) => judgement.name === name)[earlier] ?? null
}

/** The reasons, each with its member's place in the request's body. */
export function placedReasons(row) {
    if (!row.plan) return []
    const { value, place } = payloadOf(row)
    if (place === '') return row.plan.reasons
    const data = memberPlace(place, isObject(value?.properties) ? 'properties' : 'traits')
    return row.plan.reasons.map((reason) => reason.replace(/^data(?=[ .[])/, () => data))
}

function isPlanned(type) {
    return type === 'event' || type === 'track'
}
