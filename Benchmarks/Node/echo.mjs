// The least that a Node program can do to call another over a pipe: a line out, the line back, a promise for each.
//
//   node echo.mjs COUNT COMMAND…
//
// Prints the seconds until the last answer and this process's processor time in seconds, as JSON.
import { spawn } from 'node:child_process'
import { event } from './event.mjs'

const [count, command, ...rest] = process.argv.slice(2)
const child = spawn(command, rest, { stdio: ['pipe', 'pipe', 'inherit'] })
const waiting = new Map()
let piece = ''
child.stdout.setEncoding('utf8').on('data', (text) => {
    const lines = (piece + text).split('\n')
    piece = lines.pop()
    for (const line of lines) {
        const { id } = JSON.parse(line)
        waiting.get(id)()
        waiting.delete(id)
    }
})

let unsent = []
/** Writes the calls of one turn together. */
function send(line) {
    if (unsent.push(line) === 1) queueMicrotask(() => {
        child.stdin.write(unsent.join(''))
        unsent = []
    })
}

const before = process.cpuUsage()
const begin = performance.now()
const calls = []
for (let id = 0; id < Number(count); id++) {
    const line = JSON.stringify({ jsonrpc: '2.0', id, method: 'track', params: event(id) }) + '\n'
    calls.push(new Promise((resolve) => waiting.set(id, resolve)))
    send(line)
}
await Promise.all(calls)
const seconds = (performance.now() - begin) / 1000
const { user, system } = process.cpuUsage(before)
console.log(JSON.stringify({ seconds, cpu: (user + system) / 1e6 }))
child.kill()
