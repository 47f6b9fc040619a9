// Made by "mobile-tracker plan types". Change the plan and make it again, not this file.
import type { Outcome, Properties } from '@mobiletracker/bridge'

/** Who tracks the events: `MobileTracker`, its `analytics` or `basic`, or one of your own. */
export interface EventTracker {
    track(name: string, data?: Properties | null, ...more: any[]): Promise<Outcome>
}

/** What a tracker's `track` takes after the data, such as the options of a call. */
export type MoreOf<Tracker> = Tracker extends { track(name: string, data?: any, ...more: infer More): unknown } ? More : never

/** The events of the plan, one function each. What follows the data goes to `track` as it is. */
export interface PlannedEvents<More extends unknown[] = []> {
    /** An order was paid. */
    purchase(data: {
        total: number
        currency: "EUR" | "USD" | "GBP"
        items: Array<{
            sku: string
            price: number
            quantity?: number
            gift?: boolean
        }>
        coupon?: string | null
        /** Whether it went to the default address. */
        default?: boolean
        paid_at?: string | Date
        extra?: unknown
    }, ...more: More): Promise<Outcome>

    /** Tracks "Signed Up". */
    signedUp(data: {
        plan: "free" | "pro"
        seats?: number
        tags?: Array<"new" | "class">
        invited_by: string | null
        referrer?: {
            campaign?: string
            [name: string]: unknown
        }
        [name: string]: unknown
    }, ...more: More): Promise<Outcome>

    /** Tracks "LOGOUT". */
    logout(data?: Record<string, never>, ...more: More): Promise<Outcome>

    /** Tracks "SEARCH". */
    search(data?: Properties, ...more: More): Promise<Outcome>
}

/** Gives the functions that track with this tracker. */
export function plannedEvents<Tracker extends EventTracker>(tracker: Tracker): PlannedEvents<MoreOf<Tracker>>
