// How fast a program's calls through the Node client are answered, when it awaits none before the next.
//
//   node client.mjs URL FOLDER COUNT HOST
//
// The server answers no event. Prints the seconds until the last outcome and this process's processor time in seconds, as JSON.
import { createTracker } from '../../BridgeHost/Node/src/client/tracker.js'
import { event } from './event.mjs'

const [url, folder, count, hostPath] = process.argv.slice(2)
const tracker = createTracker({ hostPath, hostArguments: ['--storage-dir', folder, '--shutdown-timeout', '10ms'], stderr: 'ignore' })
await tracker.init('925', { apiUrl: url, xApiKey: 'key-12345678', maxQueuedEvents: 1_000_000, maxQueuedBytes: 2 ** 30 })

const before = process.cpuUsage()
const begin = performance.now()
const calls = []
for (let number = 0; number < Number(count); number++) calls.push(tracker.track(...event(number)))
for (const { status } of await Promise.all(calls)) if (status !== 'queued') throw new Error(`not queued: ${status}`)
const seconds = (performance.now() - begin) / 1000
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify({ seconds, cpu: (user + system) / 1e6 }))
await tracker.shutdown()
