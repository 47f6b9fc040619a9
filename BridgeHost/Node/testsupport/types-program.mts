// Uses everything that the type definitions offer. It is compiled by a test, and never run.
import MobileTracker, { createTracker, MobileTrackerError } from '@mobiletracker/bridge'
import type {
    AnalyticsCallOptions, AnalyticsOptions, AnalyticsScope, BasicOptions, BeforeSend, ClientHooks, Consent, Convert,
    DeliveryOptions, FlushReport, ForgetReport, Id, Logger, OutgoingCall, Outcome, Properties, RefusedEvent, RefusedFilter, Tracker,
    TrackerConfig, TrackerOptions, WebContentsLike,
} from '@mobiletracker/bridge'
import { createTestTracker } from '@mobiletracker/bridge/testing'
import type { RecordedCall, TestTracker } from '@mobiletracker/bridge/testing'

interface Purchase {
    total: number
    coupon?: string
}

const logger: Logger = { warn: (message) => console.warn(message.length) }
const beforeSend: BeforeSend = (call) => (call.method === 'track' && call.name === 'NOISE' ? null : call)
const convert: Convert = (value, path) => (typeof value === 'bigint' ? path.length : undefined)
const hide = (call: OutgoingCall): OutgoingCall => ({
    ...call, userId: call.userId && 'hidden', anonymousId: undefined, context: { ...call.context, ip: null }, email: call.email?.trim(),
    location: call.location && { ...call.location, accuracy: 1000 },
})
const delivery: DeliveryOptions = {
    storageDirectory: '/tmp/state', persistence: 'memory', durability: 'full', maxQueuedEvents: 1, maxQueuedBytes: 1,
    maxEventBytes: 1, eventTTLMs: 1, overflow: 'dropOldest', maxConcurrentRequests: 2, requestTimeoutMs: 1000,
    compression: 'none', compressionThreshold: 1, retryDelayMs: 10, failureThreshold: 1, cooldownMs: 10,
    maxCooldownMs: 10, jitter: 0, haltRetryMs: 10, poisonAfterMs: 0, maxRefusedEvents: 0, maxRefusedBytes: 1, refusedTTLMs: 1,
    caBundle: '/ca.pem', clientCertificate: '/c.pem', clientKey: '/c.key', keyFile: '/key',
    proxy: null, headers: { 'X-Tenant': 'shop' }, allowInsecureHTTP: false, collectorPanel: true,
    plan: { file: '/etc/shop/plan.json', onBroken: 'tag' },
}
const config: TrackerConfig & ClientHooks = {
    enabled: true, apiUrl: 'https://api.example.com', xApiKey: 'key', debug: true, crossSiteCookie: true,
    cookieDomain: null, cookieExpiration: 30, sessionCreation: 'inBackground', initTimeoutMs: 5000, consent: 'pending',
    device: { osName: 'Linux' }, initialScreen: { name: 'Home' }, maxPendingEvents: 10, beforeSend, convert, logger,
    credentials: async (client) => ({ key: `key of ${client}`, headers: { 'X-Tenant': 'shop' } }), ...delivery,
}
const options: TrackerOptions = {
    hostPath: '/opt/BridgeHost', hostArguments: [], stderr: 'ignore', warnings: false, appName: 'shop',
    collectorPanel: true, logger, beforeSend: hide, convert, credentials: () => ({ key: 'key' }),
}
const analyticsOptions: AnalyticsOptions & ClientHooks = {
    enabled: false, api: 'segment', groupType: 'team', writeKey: 'w', ingestionHost: 'https://i.example.com',
    flushIntervalSeconds: 5, maxQueueEvents: 10,
    flushAt: 5, maxBatchSize: 5, maxBatchBytes: 1000, whenRefused: 'disable', app: { name: 'Shop' },
    context: { campaign: { name: 'x' } }, debug: null, beforeSend: null, logger: null, ...delivery,
}
const basicOptions: BasicOptions = { enabled: true, maxQueueSize: 10, debug: false, ...delivery }
const aboutAnother: AnalyticsCallOptions = {
    userId: 'u3', anonymousId: 42, groupId: 7n, timestamp: new Date(), context: { page: 1 },
}

export async function useTracker(tracker: Tracker, webContents: WebContentsLike): Promise<FlushReport> {
    await tracker.init('925')
    await tracker.init('925', config)
    await tracker.init({ apiKey: '925', x_api_key: 'key', endpoint: 'https://api.example.com', debug: true })

    const purchase: Purchase = { total: 149.99 }
    const data: Properties = { at: new Date(), nested: [{ a: null, b: undefined }] }
    const outcome: Outcome = await tracker.track('PURCHASE', purchase, data, { messageId: 'm1' })
    if (outcome.status === 'dropped') console.log(outcome.reason === 'TOO_LARGE')
    else console.log(outcome.messageId.length)
    void tracker.track('A')
    void tracker.track('A', null, { flow_id: 'x' })
    await tracker.identify('u1', { name: 'Ada' })
    const id: Id = 42
    await tracker.identify(id)
    await tracker.set({ plan: 'pro' }, { messageId: 'm2' })
    await tracker.setMetadata({ experiment: 'b' })
    await tracker.screen('Home', { tab: 1 })
    await tracker.screenDidAppear('Home', 'https://shop.example/', null, { messageId: 'm3' })
    await tracker.reset()
    await tracker.reset(true, { messageId: 'm4' })
    await tracker.updateLocation(37.7, -122.4, 10)
    await tracker.updateSessionEmail('ada@example.com')
    await tracker.linkSession('s1')
    const consent: Consent = 'granted'
    await tracker.setConsent(consent)
    const allowed: boolean = await tracker.isTrackingAllowed()
    const ids: (string | null)[] = [
        await tracker.getSessionId(), await tracker.getDeviceId(), await tracker.getSessionEmail(),
        await tracker.getBrandId(),
    ]
    const url: string = await tracker.getCrossDomainUrl('https://shop.example/')
    await tracker.continueSession(url)
    console.log(allowed, ids, (await tracker.getDebugInfo()).lifecycle)
    await tracker.networkDidChange()

    const stop = tracker.on('log', ({ level, message, at }) => console.log(level, message, at))
    tracker.on('diagnostic', ({ kind, reason, messageId, status }) => console.log(kind, reason, messageId, status))
    tracker.on('session', ({ sessionId }) => console.log(sessionId?.length))
    tracker.on('delivered', ({ messageId }) => console.log(messageId))
    tracker.on('credentials', ({ client, message }) => console.log(client, message))
    await tracker.setCredentials({ key: 'key-2', headers: { 'X-Tenant': 'shop' } })
    await tracker.setCredentials('key-2', { 'X-Tenant': 'shop' })
    stop()
    tracker.trackScreens(webContents, { titleWaitMs: 100 })()

    const { analytics, basic } = tracker
    await analytics.initialize(analyticsOptions)
    await analytics.track('Signed Up', { plan: 'pro' }, { messageId: 'm5' })
    await analytics.identify('u1', null)
    await analytics.track('Signed Up', null, { ...aboutAnother, messageId: 'm7' })
    await analytics.group('g1')
    await analytics.screen('Home')
    await analytics.page('Start')
    await analytics.alias('u2', { messageId: 'm6' })
    await analytics.setAdvertisingId(null)
    await analytics.clearAdvertisingId()
    await analytics.setDefaults({ release: '2.1' }, { region: 'eu' })
    await analytics.setDefaults({ properties: { release: '2.1' }, context: { region: 'eu' } })
    const scope: AnalyticsScope = { userId: 'u4', anonymousId: 1, groupId: 2n, context: {}, properties: { plan: 'pro' } }
    const { status }: Outcome = await analytics.with(scope, () => analytics.track('Signed Up'))
    console.log(status)
    const { erased, deliveredOfAnyone }: ForgetReport = await analytics.forget({ userId: 7, anonymousId: null })
    await analytics.unforget('u1')
    console.log(erased + deliveredOfAnyone)
    await analytics.setCredentials({ key: 'key-2' })
    await analytics.reset()
    await analytics.enableDebugLogging()
    await analytics.foreground()
    await analytics.background()
    console.log((await analytics.getDebugInfo()).queueLength, (await analytics.flush(1000)).delivered)
    await basic.initialize('key', 'https://b.example.com', '1.0', basicOptions)
    await basic.initialize({ apiKey: 'key', endpoint: 'https://b.example.com' })
    await basic.track('Clicked')
    await basic.identify('u1', { plan: 'pro' })
    await basic.screen('Home')
    await basic.setCredentials('key-2')
    console.log((await basic.getDebugInfo()).queueLength, (await basic.flush(1000)).delivered)

    const filter: RefusedFilter = {
        client: 'tracker', messageIds: ['m1'], events: ['PURCHASE'], reasons: ['rejected', 'tooLarge'], statuses: [422],
        since: new Date(0).toISOString(), until: new Date().toISOString(),
    }
    const refused: RefusedEvent[] = await tracker.refused.list(filter)
    console.log(refused.map(({ event, messageId, status, answer, body }) => [event, messageId, status, answer, body]))
    console.log((await tracker.refused.retry()) + (await tracker.refused.drop({ client: 'basic' })))
    console.log((await tracker.host.metrics()).includes('mobile_tracker_queued_records'))

    await tracker.close()
    await tracker.shutdown()
    return tracker.flush(1000)
}

export async function main(webContents: WebContentsLike): Promise<void> {
    try {
        await useTracker(MobileTracker, webContents)
        await useTracker(createTracker(options), webContents)
        await useTracker(MobileTracker.createTracker(), webContents)
    } catch (error) {
        if (!(error instanceof MobileTrackerError)) throw error
        if (error.code === 'SESSION_CREATION_FAILED' && error.retryable) console.log(error.number, error.data.status)
        // @ts-expect-error: There is no such code.
        if (error.code === 'NO_SUCH_CODE') return
        // @ts-expect-error: The first argument is the code, and the second the message.
        throw new MobileTrackerError('The server does not answer.')
    }
    const { number, retryable, data } = new MobileTrackerError('SESSION_CREATION_FAILED', 'No.', { number: 1003, data: { status: 503 } })
    console.log(new MobileTrackerError('HOST_EXITED', 'No.', { number, retryable, data }))
    // @ts-expect-error: A name is a text.
    await MobileTracker.track(1)
    // @ts-expect-error: There is no such consent.
    await MobileTracker.setConsent('maybe')
    await useProperties(MobileTracker, { total: 1 }, {})
    // @ts-expect-error: There is no such option.
    await MobileTracker.init('925', { apiURL: 'https://api.example.com' })
    // @ts-expect-error: There is no such topic.
    MobileTracker.on('logs', () => {})
}

class Order {
    length = 3
    constructor(readonly total: number) {}
}

/** Every object of properties compiles, and what is none does not. */
async function useProperties<T extends object>(tracker: Tracker, given: T, partial: Partial<Purchase>): Promise<void> {
    const record: Record<string, unknown> = { total: 1 }
    for (const properties of [record, partial, given, new Order(1), new Map([['total', 1]]), {}]) {
        await tracker.track('A', properties)
    }
    await tracker.track('A', { total: 1, length: 2, name: 'x', nested: [new Date(), new Set([1])] })
    await tracker.track('A', { ...partial, more: undefined })
    // @ts-expect-error: An array is no object of properties.
    await tracker.track('A', [1])
    // @ts-expect-error: Nor is a list that cannot be changed.
    await tracker.analytics.track('A', [1] as readonly number[])
    // @ts-expect-error: Nor a Date.
    await tracker.track('A', new Date())
    // @ts-expect-error: Nor a function.
    await tracker.track('A', () => ({ total: 1 }))
    // @ts-expect-error: Nor a class.
    await tracker.basic.track('A', Order)
    // @ts-expect-error: Nor a Set.
    await tracker.set(new Set(['total']))
    // @ts-expect-error: Nor a RegExp.
    await tracker.identify('u1', /total/)
    // @ts-expect-error: Nor a text.
    await tracker.track('A', 'total')
}

/** Everything that a test tracker has besides. */
export async function useTestTracker(): Promise<RecordedCall | undefined> {
    const test: TestTracker = createTestTracker({ warnings: false })
    await test.track('A', { total: 1 })
    const all: readonly RecordedCall[] = await test.calls()
    const [call] = await test.find('A', { total: 1 }, { client: 'tracker', userId: 'user-1' })
    await test.expect('A', null, { droppedAs: 'TOO_LARGE', count: 0 })
    // @ts-expect-error: There is no such reason.
    await test.fail('FULL')
    await test.fail('QUEUE_FULL')
    await test.fail()
    await test.clear()
    await test.shutdown()
    return call?.outcome?.status === 'dropped' ? call : all[0]
}
