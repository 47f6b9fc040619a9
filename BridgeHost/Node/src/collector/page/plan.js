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

function isPlanned(type) {
    return type === 'event' || type === 'track'
}
