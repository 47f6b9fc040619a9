#!/usr/bin/env node
/**
 * A stand-in for the host that can be made to fail in ways the real one cannot: it speaks the protocol, keeps nothing,
 * and lives each of its lives as a script says.
 *
 * @typedef {object} Life
 * @property {number} [protocolVersion]
 * @property {number} [maxMessageBytes]
 * @property {Record<string, unknown>} [results] What to answer to a method.
 * @property {Record<string, unknown>} [errors] The error to answer to a method with.
 * @property {string[]} [silent] Methods that are never answered.
 * @property {{ method: string, opensAt: string, error: unknown }} [gate] Calls of that method wait until one of the
 *     other comes, and all fail with that error then. Later ones succeed.
 * @property {number} [diesAt] Which message, the handshake not counted, it dies of.
 * @property {'kill' | 'exit' | 'half' | 'garbage' | 'hold'} [manner] By SIGKILL, by exit code 3, by SIGKILL in the
 *     middle of the answer; or it lives on: after a line that is no JSON, or with its output closed.
 * @property {boolean} [answersFirst] Whether it answers that message before it dies.
 * @property {number} [piece] How many bytes of an answer go into one write.
 * @property {number} [pauseEvery] It reads so many bytes at a time, and lets the client wait in between.
 * @property {string} [log] What it writes to stderr before each answer.
 * @property {[string, unknown][]} [notifications] Notifications to send after the handshake.
 */
import { appendFileSync, closeSync, readFileSync, readSync, writeSync } from 'node:fs'

const [folder] = process.argv.slice(2)
const { lives } = JSON.parse(readFileSync(`${folder}/script.json`, 'utf8'))
const log = `${folder}/log.jsonl`
const born = readLog().filter(({ born }) => born).length
/** @type {Life} */
const life = lives[Math.min(born, lives.length - 1)]
let received = 0
let isMute = false
let isOpen = !life.gate
const waiting = []
note({ born: process.pid })

/** The calls that are answered with an outcome. */
const TRACKING = /^(\w+\.)?(track|identify|set|setMetadata|screen\w*|group|page|alias|(update|link|cont)\w+)$/

function answer({ id, method, params }) {
    if (method === 'host.info') {
        const { protocolVersion = 1, maxMessageBytes } = life
        reply({ id, result: { name: 'FakeHost', version: '0', protocolVersion, maxMessageBytes, methods: [] } })
        for (const [method, params] of life.notifications ?? []) reply({ method, params })
        return
    }
    note({ method, params })
    if (life.log) writeSync(2, life.log)
    const isLast = ++received === life.diesAt
    if (isLast && !life.answersFirst) die()
    if (isMute || life.silent?.includes(method)) return
    if (!isOpen && method === life.gate.method) return void waiting.push(id)
    if (!isOpen && method === life.gate.opensAt) {
        isOpen = true
        for (const id of waiting) reply({ id, error: life.gate.error })
    }
    if (life.errors?.[method]) reply({ id, error: life.errors[method] })
    else reply({ id, result: life.results?.[method] ?? usual(method, params) })
    if (isLast) die()
    if (method === 'host.shutdown') {
        note({ ended: true })
        process.exit(0)
    }
}

function usual(method, params) {
    return TRACKING.test(method) ? { status: 'queued', messageId: params.messageId } : {}
}

function die() {
    note({ died: true })
    switch (life.manner) {
        case 'exit': process.exit(3)
        case 'garbage':
            writeSync(1, 'Hello?\n')
            return (isMute = true)
        case 'hold':
            closeSync(1)
            return (isMute = true)
        case 'half': writeSync(1, '{"jsonrpc":"2.0","id":') // and on:
        default: process.kill(process.pid, 'SIGKILL')
    }
}

function reply(message) {
    const bytes = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n')
    const piece = life.piece ?? bytes.length
    for (let at = 0; at < bytes.length; at += piece) writeAll(bytes.subarray(at, at + piece))
}

function writeAll(bytes) {
    while (bytes.length > 0) bytes = bytes.subarray(again(() => writeSync(1, bytes)))
}

/** The other end of a pipe may be slow. */
function again(action) {
    for (;;) {
        try {
            return action()
        } catch (error) {
            if (['EPIPE', 'ECONNRESET'].includes(error.code)) return Infinity // Nobody reads any more.
            if (error.code !== 'EAGAIN') throw error
            Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
        }
    }
}

function note(entry) {
    appendFileSync(log, JSON.stringify(entry) + '\n')
}

function readLog() {
    try {
        return readFileSync(log, 'utf8').trim().split('\n').map(JSON.parse)
    } catch {
        return []
    }
}

const buffer = Buffer.alloc(life.pauseEvery ?? 65536)
let rest = Buffer.alloc(0)
for (;;) {
    const count = again(() => readSync(0, buffer, 0, buffer.length, null))
    if (count === 0) break
    rest = Buffer.concat([rest, buffer.subarray(0, count)])
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
        answer(JSON.parse(rest.subarray(0, end).toString('utf8')))
        rest = rest.subarray(end + 1)
    }
}
note({ ended: true })
