// Tracks events from Node and from Python in a root of a Debian release, before and after the host is killed, and says what
// became of them. The argument is another host than the package's; then Node alone tracks.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createTracker } from '@mobiletracker/bridge'
import { startCollector } from '@mobiletracker/bridge/collector'

const WHEEL_HOST = '/app/python/mobiletracker/host/BridgeHost'
const [hostPath] = process.argv.slice(2)
const { glibcVersionRuntime: glibc } = process.report.getReport().header
const collector = await startCollector()

/** What becomes of two events from Node, between which the host is killed. */
async function fromNode(name, options) {
    const tracker = createTracker({ warnings: false, ...options })
    try {
        await tracker.init('925', { apiUrl: collector.url, xApiKey: 'debian-key-12345' })
        await tracker.track(name, { total: 149.99 })
        const first = await arrival(name)
        for (const pid of children()) process.kill(pid, 'SIGKILL')
        await tracker.track(`${name}_AGAIN`)
        return first ?? await arrival(`${name}_AGAIN`)
    } catch (error) {
        return error.message
    } finally {
        await tracker.shutdown()
    }
}

/** What becomes of an event from Python. */
async function fromPython() {
    const env = { PYTHONPATH: '/app/python', HOME: '/tmp' }
    const child = spawn('/usr/bin/python3', ['/app/track.py', collector.url], { env, stdio: 'inherit' })
    const [code] = await once(child, 'close')
    return code === 0 ? arrival('FROM_PYTHON') : `Python ended with ${code}`
}

/** What was wrong with an event; nothing if it has arrived as it should. */
async function arrival(name) {
    const [{ accepted, problems }] = await collector.wait({ name })
    return accepted && problems.length === 0 ? undefined : `${name} was not taken: ${problems}`
}

/** The processes that this one has started. */
function children() {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => parentOf(pid) === process.pid)
}

function parentOf(pid) {
    try {
        return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))[1])
    } catch {
        return undefined // It has ended meanwhile.
    }
}

/** Whether the release has the Python that the wheel needs. */
function hasPython() {
    const isNewEnough = 'import sys; sys.exit(sys.version_info < (3, 11))'
    return spawnSync('/usr/bin/python3', ['-c', isNewEnough]).status === 0
}

const here = `glibc ${glibc}`
const outcomes = [[hostPath ? `the host of ${hostPath}, from Node` : `${here}, Node`, await fromNode('FROM_NODE', { hostPath })]]
if (!hostPath) {
    outcomes.push(hasPython() ? [`${here}, Python`, await fromPython()]
        : [`${here}, the wheel's host, from Node`, await fromNode('FROM_WHEEL', { hostPath: WHEEL_HOST })])
}
await collector.close()
for (const [what, problem] of outcomes) console.log(`${problem ? '✘' : '✔'} ${what}: ${problem ?? 'delivered'}`)
process.exit(outcomes.some(([, problem]) => problem) ? 1 : 0)
