// Tracks one event in a root of a Debian release, and says what became of it. The argument is the glibc that the host
// needs: with an older one the first call must say so.
import MobileTracker from '@mobiletracker/bridge'
import { startCollector } from '@mobiletracker/bridge/collector'

const [needed] = process.argv.slice(2)
const { glibcVersionRuntime: glibc } = process.report.getReport().header
const isOldEnough = glibc.localeCompare(needed, 'en', { numeric: true }) >= 0
const collector = await startCollector()
let said
try {
    await MobileTracker.init('925', { apiUrl: collector.url, xApiKey: 'debian-key-12345' })
    await MobileTracker.track('PURCHASE', { total: 149.99 })
    const [{ accepted, problems }] = await collector.wait({ name: 'PURCHASE' })
    said = accepted && problems.length === 0 ? 'an event was delivered' : `the event was not taken: ${problems}`
} catch (error) {
    said = error.message
}
await MobileTracker.shutdown()
await collector.close()
const expected = isOldEnough ? 'an event was delivered' : `needs GLIBC ${needed}`
const isRight = said.includes(expected)
console.log(`${isRight ? '✔' : '✘'} glibc ${glibc}: ${said}`)
process.exit(isRight ? 0 : 1)
