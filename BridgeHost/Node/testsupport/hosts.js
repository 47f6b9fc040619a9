import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTracker } from '../src/client/tracker.js'

/** Where the stand-in for the host is. */
export const FAKE_HOST = fileURLToPath(new URL('fake-host.js', import.meta.url))

const cleanUps = new WeakMap()

/**
 * Does something after the test, last come first served: Node itself would take a folder away from under a host.
 *
 * @param {import('node:test').TestContext} t
 * @param {() => unknown} action
 */
export function afterwards(t, action) {
    if (!cleanUps.has(t)) {
        const actions = []
        cleanUps.set(t, actions)
        t.after(async () => {
            for (const each of actions.reverse()) await each()
        })
    }
    cleanUps.get(t).push(action)
}

/** A fresh folder, removed after the test. @param {import('node:test').TestContext} t */
export function freshFolder(t) {
    const folder = mkdtempSync(join(tmpdir(), 'mobile-tracker-'))
    // The host of a program that has ended may still be writing there for a moment.
    afterwards(t, () => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 }))
    return folder
}

/** Keeps the test's output clean, and what would have been in it. @returns {string[]} */
export function captureWarnings(t) {
    const warnings = []
    t.mock.method(console, 'warn', (message) => warnings.push(message))
    return warnings
}

/**
 * A tracker with a stand-in for a host that lives these lives; the last is lived again and again.
 *
 * @param {import('node:test').TestContext} t
 * @param {...import('./fake-host.js').Life} lives
 */
export function fakeTracker(t, ...lives) {
    const folder = freshFolder(t)
    writeFileSync(join(folder, 'script.json'), JSON.stringify({ lives: lives.length > 0 ? lives : [{}] }))
    const warnings = captureWarnings(t)
    const tracker = createTracker({ hostPath: FAKE_HOST, hostArguments: [folder], stderr: 'ignore' })
    afterwards(t, () => tracker.shutdown())
    return { tracker, warnings, folder, lives: () => readLives(folder) }
}

/** What each host got: the calls of each life. @returns {{ method: string, params: any }[][]} */
export function readLives(folder) {
    const lives = []
    for (const entry of readEntries(folder)) {
        if (entry.born) lives.push([])
        else if (entry.method) lives.at(-1).push(entry)
    }
    return lives
}

/** The process that lives now. */
export function readPid(folder) {
    return readEntries(folder).findLast(({ born }) => born)?.born
}

/** The same when the last of them has ended. */
export async function readEndedLives(folder) {
    const late = performance.now() + 60_000
    while (!readEntries(folder).at(-1)?.ended) {
        if (performance.now() > late) throw new Error('The host did not end within 60 s.')
        await new Promise((resolve) => setImmediate(resolve))
    }
    return readLives(folder)
}

function readEntries(folder) {
    const text = readFileSync(join(folder, 'log.jsonl'), 'utf8')
    // The host may be about to write the last line.
    return text.slice(0, text.lastIndexOf('\n') + 1).split('\n').filter(Boolean).map((line) => JSON.parse(line))
}

/** The same promise, unless it takes 60 s. Keeps Node alive, which a tracker without calls does not. */
export async function inTime(promise) {
    let guard
    const late = new Promise((_, reject) => {
        guard = setTimeout(() => reject(new Error('It did not happen within 60 s.')), 60_000)
    })
    try {
        return await Promise.race([promise, late])
    } finally {
        clearTimeout(guard)
    }
}
