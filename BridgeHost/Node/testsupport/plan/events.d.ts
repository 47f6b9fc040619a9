// Made by "mobile-tracker plan types". Change the plan and make it again, not this file.
import type { Outcome } from '@mobiletracker/bridge'

/** Who tracks the events: `MobileTracker`, its `analytics` or `basic`, or one of your own. */
export interface EventTracker {
    track(name: string, data?: object | null): Promise<Outcome>
}

/** The events of the plan, one function each. */
export interface PlannedEvents {
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
        paid_at?: string
        extra?: unknown
    }): Promise<Outcome>

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
    }): Promise<Outcome>

    /** Tracks "LOGOUT". */
    logout(data?: Record<string, never>): Promise<Outcome>

    /** Tracks "SEARCH". */
    search(data?: object): Promise<Outcome>
}

/** Gives the functions that track with this tracker. */
export function plannedEvents(tracker: EventTracker): PlannedEvents
