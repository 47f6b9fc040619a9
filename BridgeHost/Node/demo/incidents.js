import { childWith } from '../testsupport/children.js'
import { arrivals } from './verdict.js'

/**
 * What happens to the program in the course of the day.
 *
 * @param {object} scene
 * @param {import('../src/collector/index.cjs').RunningCollector} scene.collector
 * @param {string} scene.folder The host's state folder, by which its process is found.
 * @param {(text: string) => void} scene.say
 * @returns {Record<string, (at: string, player: import('./player.js').Player) => unknown>}
 */
export function makeIncidents({ collector, folder, say }) {
    return {
        'the backend fails': (at) => {
            collector.faults('503×always')
            say(`${at}  The backend answers 503 from now on.`)
        },
        'the host is killed': async (at, player) => {
            // The calls of this tick are written to the host before the next one begins.
            await new Promise((resolve) => setImmediate(resolve))
            const pid = childWith(folder)
            if (!pid) throw new Error('There is no host to kill.')
            process.kill(pid, 'SIGKILL')
            const waiting = player.accepted - arrivals(collector.received()).length
            const open = player.unanswered
            say(`${at}  kill -9 ${pid}: ${waiting} accepted calls wait on disk, ${open} calls have no answer yet.`)
        },
        'the backend is back': async (at) => {
            // Not before a request was refused.
            await collector.wait({ accepted: false })
            collector.faults([])
            say(`${at}  The backend answers again.`)
        },
    }
}
