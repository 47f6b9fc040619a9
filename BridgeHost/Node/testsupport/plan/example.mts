// Tracks with the calls that were made from plan.json. It is compiled and run by tests.
import MobileTracker from '@mobiletracker/bridge'
import { plannedEvents } from './events.js'

export async function trackPlanned(): Promise<string[]> {
    const events = plannedEvents(MobileTracker)
    const outcomes = [
        await events.purchase({ total: 149.99, currency: 'EUR', items: [{ sku: 'A-1', price: 149.99, quantity: 1 }], coupon: null }),
        await events.signedUp({ plan: 'pro', invited_by: null, tags: ['new'], anything: 'else' }),
        await events.logout(),
        await events.search({ words: 'shoes' }),
    ]
    // @ts-expect-error The total is missing.
    void (() => events.purchase({ currency: 'EUR', items: [] }))
    // @ts-expect-error There is no such currency.
    void (() => events.purchase({ total: 1, currency: 'EURO', items: [] }))
    // @ts-expect-error A purchase has no colour.
    void (() => events.purchase({ total: 1, currency: 'EUR', items: [], colour: 'red' }))
    void plannedEvents(MobileTracker.analytics)
    void plannedEvents(MobileTracker.basic)
    return outcomes.map(({ status }) => status)
}
