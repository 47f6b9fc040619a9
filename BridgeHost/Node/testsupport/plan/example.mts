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
        await events.screenHome(),
        await events.screenProduct({ sku: 'A-1', from: 'search' }, { messageId: 'view-1' }),
        await events.identify(17, { email: 'ada@example.com', plan: 'pro' }, { messageId: 'user-1' }),
    ]
    const ofUsers = plannedEvents(MobileTracker.analytics)
    void (() => ofUsers.identify('u1', { email: 'ada@example.com', plan: 'pro' }, { anonymousId: 'a1', messageId: 'user-2' }))
    void (() => ofUsers.group('g1', { seats: 3, country: 'DE' }, { userId: 'u1' }))
    void (() => ofUsers.screenProduct({ sku: 'A-1' }, { userId: 'u1' }))
    // @ts-expect-error There is no such option.
    void (() => ofUsers.screenHome({}, { usrId: 'u1' }))
    // @ts-expect-error The seats are missing.
    void (() => ofUsers.group('g1', {}))
    // @ts-expect-error A MobileTracker knows no groups.
    void (() => events.group('g1', { seats: 3 }))
    // @ts-expect-error There is no such trait.
    void (() => events.identify('u1', { email: 'ada@example.com', plan: 'pro', colour: 'red' }))
    // @ts-expect-error There is no such screen.
    void (() => events.screenCart())
    // @ts-expect-error The total is missing.
    void (() => events.purchase({ currency: 'EUR', items: [] }))
    // @ts-expect-error There is no such currency.
    void (() => events.purchase({ total: 1, currency: 'EURO', items: [] }))
    // @ts-expect-error A purchase has no colour.
    void (() => events.purchase({ total: 1, currency: 'EUR', items: [], colour: 'red' }))
    void (() => plannedEvents(MobileTracker.basic).identify('u1', { email: 'ada@example.com', plan: 'pro' }, { messageId: 'user-3' }))
    return outcomes.map(({ status }) => status)
}
