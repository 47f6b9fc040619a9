/**
 * What the plan says of one call, or null if it says nothing.
 *
 * @returns {{ verdict: 'kept' | 'broken', reasons: string[] } | null}
 */
export function planOf({ plan }, index) {
    return plan.find(({ item }) => item === index) ?? null
}
