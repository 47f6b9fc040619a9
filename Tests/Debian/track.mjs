// Tracks an event from Node and one from Python in a root of a Debian release, and says what became of them. The argument
// is the glibc that the host needs: with an older one the first call must say so.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import MobileTracker from '@mobiletracker/bridge'
import { startCollector } from '@mobiletracker/bridge/collector'

const [needed] = process.argv.slice(2)
const { glibcVersionRuntime: glibc } = process.report.getReport().header
const isNewEnough = glibc.localeCompare(needed, 'en', { numeric: true }) >= 0
const collector = await startCollector()

/** What becomes of an event from Node. */
async function fromNode() {
    try {
        await MobileTracker.init('925', { apiUrl: collector.url, xApiKey: 'debian-key-12345' })
        await MobileTracker.track('FROM_NODE', { total: 149.99 })
        return await arrival('FROM_NODE')
    } catch (error) {
        return error.message
    } finally {
        await MobileTracker.shutdown()
    }
}

/** What becomes of an event from Python, which the wheel needs in version 3.11 or newer. */
async function fromPython() {
    const env = { PYTHONPATH: '/app/python', HOME: '/tmp' }
    const child = spawn('/usr/bin/python3', ['/app/track.py', collector.url], { env, stdio: 'inherit' })
    const [code] = await once(child, 'close')
    return code === 0 ? arrival('FROM_PYTHON') : `Python ended with ${code}`
}

async function arrival(name) {
    const [{ accepted, problems }] = await collector.wait({ name })
    return accepted && problems.length === 0 ? 'delivered' : `not taken: ${problems}`
}

const outcomes = [['Node', await fromNode()]]
if (isNewEnough) outcomes.push(['Python', await fromPython()])
await collector.close()
const expected = isNewEnough ? 'delivered' : `needs GLIBC ${needed}`
let isRight = true
for (const [language, said] of outcomes) {
    isRight &&= said.includes(expected)
    console.log(`${said.includes(expected) ? '✔' : '✘'} glibc ${glibc}, ${language}: ${said}`)
}
process.exit(isRight ? 0 : 1)
