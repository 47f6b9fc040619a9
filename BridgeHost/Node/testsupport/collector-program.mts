// Uses everything that the collector's type definitions offer. It is compiled by a test, and never run.
import { startCollector, WaitError } from '@mobiletracker/bridge/collector'
import type {
    Account, CollectorOptions, Fault, Filter, Flag, Item, Kind, Plan, ReceivedRequest, RunningCollector, Totals, Wanted,
} from '@mobiletracker/bridge/collector'

const options: CollectorOptions = {
    port: 0, host: '127.0.0.1', basicPaths: ['/ingest'], anyPath: false, strict: true, maxBytes: 1, maxBodyBytes: 1,
    faults: ['500×3', 429, { status: 503, retryAfter: 2, kind: 'batch' }],
}
const plan: Plan = { events: { PURCHASE: { data: { type: 'object' } } }, others: 'allow' }
const fault: Fault = { action: 'drop-after', times: 'always' }
const filter: Filter = { kind: ['event', 'batch'], name: 'PURCHASE', test: 'run-7', accepted: true, repeats: 'any', since: 3 }
const wanted: Wanted = { ...filter, count: 2, timeoutMs: 1000 }

const show = (kind: Kind, flags: readonly Flag[]): void => console.log(kind, flags.length)

export async function useCollector(): Promise<Totals> {
    const collector: RunningCollector = await startCollector({ ...options, plan })
    collector.faults('500×3')
    collector.faults(fault)
    const left: string[] = collector.faultsLeft()
    const stop = collector.listen(({ kind, flags }: ReceivedRequest) => show(kind, flags))
    const stopAccounts = collector.onAccount(({ client, comparison }: Account) => console.log(client, comparison.state))
    try {
        const [first] = await collector.wait(wanted)
        const items: readonly Item[] = first?.items ?? []
        console.log(items[0]?.name, first?.test, first?.plan[0]?.verdict, first?.body.data.total, left.length, collector.accounts()[0]?.at)
    } catch (error) {
        if (error instanceof WaitError) console.log(error.received.length, error.message)
    }
    stop()
    stopAccounts()
    collector.clear()
    console.log(collector.received({ status: [200, 422] }).length, collector.port, `${collector.url}/events`)
    // @ts-expect-error There is no such kind.
    collector.received({ kind: 'evnt' })
    // @ts-expect-error A request cannot be changed.
    collector.received()[0]!.seq = 1
    await collector.close()
    return collector.totals()
}
