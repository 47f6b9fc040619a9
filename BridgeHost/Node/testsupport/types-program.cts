// What a CommonJS program gets of the type definitions. It is compiled by a test, and never run.
import required = require('@mobiletracker/bridge')
import MobileTracker, { analytics, createTracker, MobileTrackerError, on, track } from '@mobiletracker/bridge'
import type { FlushReport, Outcome, Tracker, TrackerConfig, TrackerOptions } from '@mobiletracker/bridge'
import { startCollector, WaitError } from '@mobiletracker/bridge/collector'
import type { ReceivedRequest, RunningCollector } from '@mobiletracker/bridge/collector'

const config: TrackerConfig = { apiUrl: 'https://api.example.com', xApiKey: 'key' }
const options: TrackerOptions = { appName: 'shop' }

export async function useTracker(): Promise<FlushReport> {
    await required.init('925', config)
    const outcome: Outcome = await track('PURCHASE', { total: 149.99 })
    if (outcome.status !== 'dropped') console.log(outcome.messageId)
    await analytics.page('Home')
    on('session', ({ sessionId }) => console.log(sessionId))()
    const own: Tracker = createTracker(options)
    await own.shutdown().catch((error: unknown) => {
        if (error instanceof MobileTrackerError) console.log(error.code)
    })
    return MobileTracker.flush()
}

export async function useCollector(): Promise<readonly ReceivedRequest[]> {
    const collector: RunningCollector = await startCollector({ port: 0 })
    return collector.wait({ name: 'PURCHASE' }).catch((error: unknown) => {
        if (error instanceof WaitError) console.log(error.message)
        return []
    })
}

// @ts-expect-error Wrong types are refused from here too.
void track(17)
