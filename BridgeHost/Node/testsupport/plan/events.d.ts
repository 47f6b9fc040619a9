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

/** The screens of the plan, one function each. What follows the properties goes to `screen` as it is. */
export interface PlannedScreens<More extends unknown[] = []> {
    /** A product is shown. */
    screenProduct(properties: {
        sku: string
        from?: "search" | "link"
    }, ...more: More): Promise<Outcome>

    /** Says that the screen "Home" is shown. */
    screenHome(properties?: Record<string, never>, ...more: More): Promise<Outcome>
}

/** What the plan says of users. What follows the traits goes to `identify` as it is. */
export interface PlannedIdentify<Id = string, More extends unknown[] = []> {
    /** Who buys here. */
    identify(userId: Id, traits: {
        email: string
        name?: string
        plan: "free" | "pro"
        birthday?: string | null
    }, ...more: More): Promise<Outcome>
}

/** What the plan says of groups. What follows the traits goes to `group` as it is. */
export interface PlannedGroup<Id = string, More extends unknown[] = []> {
    /** Says which group the user belongs to. */
    group(groupId: Id, traits: {
        name?: string
        seats: number
        [name: string]: unknown
    }, ...more: More): Promise<Outcome>
}

/** The functions that a tracker can perform: `group` is one of `analytics` alone. */
export type Planned<Tracker> = PlannedEvents<MoreOf<Tracker>>
    & (Tracker extends { screen(name: string, properties?: any, ...more: infer More): Promise<Outcome> } ? PlannedScreens<More> : unknown)
    & (Tracker extends { identify(userId: infer Id, traits?: any, ...more: infer More): Promise<Outcome> } ? PlannedIdentify<Id, More> : unknown)
    & (Tracker extends { group(groupId: infer Id, traits?: any, ...more: infer More): Promise<Outcome> } ? PlannedGroup<Id, More> : unknown)

/** Gives the functions that track with this tracker. */
export function plannedEvents<Tracker extends EventTracker>(tracker: Tracker): Planned<Tracker>
