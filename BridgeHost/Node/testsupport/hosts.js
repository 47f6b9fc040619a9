import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTracker } from '../src/client/tracker.js'

/** Where the stand-in for the host is. */
export const FAKE_HOST = fileURLToPath(new URL('fake-host.js', import.meta.url))

/** A fresh folder, removed after the test. @param {import('node:test').TestContext} t */
export function freshFolder(t) {
    const folder = mkdtempSync(join(tmpdir(), 'mobile-tracker-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
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
    t.after(() => tracker.shutdown())
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

function readEntries(folder) {
    return readFileSync(join(folder, 'log.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line))
}
