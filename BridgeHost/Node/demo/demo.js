#!/usr/bin/env node
/**
 * A day of a small shop: the development collector, the host, some 200 calls, a backend that fails for a while and a
 * `kill -9` in the middle. It ends with what the collector received, and with status 1 if anything is amiss.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTracker } from '@mobiletracker/bridge'
import { startCollector } from '@mobiletracker/bridge/collector'
import { readDay } from './day.js'
import { makeIncidents } from './incidents.js'
import { Player } from './player.js'
import { conclusion, summary } from './report.js'
import { judge } from './verdict.js'

const say = (text) => console.log(text)

const folder = mkdtempSync(join(tmpdir(), 'mobile-tracker-demo-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }))
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))
// A proxy of this machine must not be used for the collector on this machine.
process.env.no_proxy = process.env.NO_PROXY = '127.0.0.1'

const collector = await startCollector()
const tracker = createTracker({ hostArguments: ['--storage-dir', folder], stderr: 'ignore' })
try {
    process.exitCode = (await isWellPlayed()) ? 0 : 1
} catch (error) {
    console.error(`The demo could not be played: ${error.message}`)
    process.exitCode = 1
} finally {
    await tracker.shutdown()
    await collector.close()
}

async function isWellPlayed() {
    const day = readDay(new URL('shop-day.jsonl', import.meta.url))
    const player = new Player(tracker, {
        config: { apiUrl: collector.url, xApiKey: 'demo-key-of-the-shop' },
        incidents: makeIncidents({ collector, folder, say }),
    })
    const calls = day.filter(({ method }) => method).length
    say(`A day of a small shop, ${calls} calls. The collector is at ${collector.url}`)

    await player.play(day, progress(player))

    const received = collector.received()
    const verdict = judge(player.calls, received)
    say(`\n${summary(received).join('\n')}\n`)
    if (verdict.faults.length > 0) console.error(conclusion(verdict).join('\n'))
    else say(conclusion(verdict).join('\n'))
    return verdict.faults.length === 0
}

/** Prints the progress once an hour. */
function progress(player) {
    let hour = ''
    return (at) => {
        if (at.startsWith(hour) && hour !== '') return
        hour = at.slice(0, 2)
        const calls = String(player.calls.length).padStart(3)
        say(`${at}  ${calls} calls made, ${String(collector.received().length).padStart(3)} requests at the collector`)
    }
}
