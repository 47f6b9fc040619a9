// A web service that tracks each request for the user who made it.
//
//     node examples/service.js [PORT]
//
// MOBILE_TRACKER_API_URL is the backend; without it, the collector that `mobile-tracker collect` runs.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import MobileTracker from '@mobiletracker/bridge'

const port = Number(process.argv[2] ?? 0)
if (!Number.isInteger(port) || port < 0 || port > 65535) {
    console.error('Usage: node examples/service.js [PORT]    a number up to 65535; without one, any free port')
    process.exit(64)
}

const { analytics } = MobileTracker
const ingestionHost = process.env.MOBILE_TRACKER_API_URL || 'http://127.0.0.1:8123'
await analytics.initialize({ writeKey: 'any-key-12345678', ingestionHost })

const server = createServer((request, response) => {
    const begin = performance.now()
    response.on('finish', () => {
        // Your service knows its users from their sessions; here a header names them.
        const user = request.headers['x-user']
        // Nobody waits for this: the answer is out already, and the event is on disk a moment later.
        analytics.track(
            'Request Answered',
            { method: request.method, path: request.url, status: response.statusCode, ms: performance.now() - begin },
            user ? { userId: user } : { anonymousId: randomUUID() },
        )
    })
    response.statusCode = request.url === '/' ? 200 : 404
    response.end(response.statusCode === 200 ? 'Hello.\n' : 'There is no such page.\n')
})
server.listen(port, '127.0.0.1', () => {
    console.log(`listening at http://127.0.0.1:${server.address().port}`)
})

for (const signal of ['SIGTERM', 'SIGINT']) {
    process.once(signal, () => {
        server.keepAliveTimeout = 1 // A connection closes when its request is answered, not 5 s later.
        server.close(async () => {
            // If the backend is away this ends at once: what is left waits on disk for the next start.
            const { delivered, remaining } = await analytics.flush()
            console.log(`${delivered} delivered, ${remaining} wait`)
            await MobileTracker.shutdown()
        })
    })
}
