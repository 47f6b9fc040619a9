/** The lines that make a first event come, in each language. Each program can be run again and again. */
export const FIRST_EVENT = {
    Node: (url) => `import MobileTracker from '@mobiletracker/bridge'

await MobileTracker.init('925', { apiUrl: '${url}', xApiKey: 'test-key' })
await MobileTracker.track('PURCHASE', { total: 149.99 })`,

    Swift: (url) => `import TrackerCore

let config = TrackerConfig(apiUrl: "${url}", xApiKey: "test-key")
try await MobileTracker.shared.initialize(brandId: "925", config: config)
await MobileTracker.shared.track(eventName: "PURCHASE", attributes: ["total": 149.99])
await MobileTracker.shared.shutdown()`,

    Python: (url) => `# Install the wheel, or set PYTHONPATH=/path/to/the/repository/BridgeHost/Python/src
from mobiletracker import MobileTracker

tracker = MobileTracker()
tracker.init("925", {"api_url": "${url}", "x_api_key": "test-key"})
tracker.track("PURCHASE", {"total": 149.99})`,

    // The clients set these headers themselves. The time in the key and in the session makes each run a new client.
    curl: (url) => `now=$(date +%s)
curl ${url}/v2/tracking-session-data -A 'mobile-tracker/1.0 (curl)' \\
    -H 'Content-Type: application/json' -H 'X-API-Key: test-key' \\
    -H "Idempotency-Key: curl-$now" -H 'X-Sequence: 1' -H "X-Occurred-At: $(date -u +%Y-%m-%dT%H:%M:%S.000Z)" \\
    -d '{"brand_id": 925, "session_id": "curl-'$now'", "event_name": "PURCHASE", "data": {"total": 149.99}}'`,
}
