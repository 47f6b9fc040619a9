// How long other calls wait while a denial rewrites the largest database: the queues of all three clients are full.
//
//     node erasure.mjs
//
// Takes about a minute, and 500 MB in the folder for temporary files.
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTracker } from '../../BridgeHost/Node/src/client/index.js'

const CALLS = 10_500 // of 6,000 bytes each: by default a queue holds 64 MiB
const GROUP = 250
const NOWHERE = 'http://127.0.0.1:9'
const KEY = 'k-123456789'

const folder = mkdtempSync(join(tmpdir(), 'mobile-tracker-erasure-'))
const tracker = createTracker({ hostArguments: ['--storage-dir', folder], stderr: 'ignore' })
try {
    await fill()
    console.log(`Database: ${statSync(join(folder, 'tracker.sqlite3')).size >> 20} MiB`)
    const { waits, denial } = await callsDuring(() => tracker.setConsent('denied'))
    console.log(`The denial was answered after ${Math.round(denial)} ms`)
    console.log(`Meanwhile another client made ${waits.length} calls; the longest took ${Math.round(Math.max(...waits))} ms`)
} finally {
    await tracker.close()
    rmSync(folder, { recursive: true, force: true })
}

async function fill() {
    await tracker.init('925', { apiUrl: NOWHERE, xApiKey: KEY, sessionCreation: 'inBackground' })
    await tracker.analytics.initialize({ writeKey: KEY, ingestionHost: NOWHERE })
    await tracker.basic.initialize({ apiKey: KEY, endpoint: NOWHERE })
    const values = { text: 'x'.repeat(6000) }
    for (let made = 0; made < CALLS; made += GROUP) {
        const calls = Array.from({ length: GROUP }, () => [tracker, tracker.analytics, tracker.basic]
            .map((client) => client.track('Event', values)))
        await Promise.all(calls.flat())
    }
}

/** Makes one call after the other until the work is done and the database rewritten. */
async function callsDuring(work) {
    const waits = []
    const began = performance.now()
    let denial = null
    const done = work().then(() => { denial = performance.now() - began })
    while (denial === null || performance.now() - began < denial + 1000) {
        const start = performance.now()
        await tracker.basic.track('Probe', {})
        waits.push(performance.now() - start)
    }
    await done
    return { waits, denial }
}
