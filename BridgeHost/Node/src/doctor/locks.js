import { readFileSync, statSync } from 'node:fs'

/**
 * The processes that have a file locked. Asks the system, because trying the lock would disturb processes that want it.
 *
 * @param {string} path
 * @returns {number[] | null} Their ids; null if this system does not say.
 */
export function holdersOf(path) {
    const file = statSync(path, { throwIfNoEntry: false })
    if (!file) return []
    let table
    try {
        table = readFileSync('/proc/locks', 'utf8')
    } catch {
        return null // Not Linux.
    }
    // proc(5): "1: FLOCK  ADVISORY  WRITE 4711 08:02:1310721 0 EOF". A waiting process has an arrow before its kind.
    const rows = [...table.matchAll(/^\d+: FLOCK +ADVISORY +(?:READ|WRITE) +(\d+) +[\da-f]+:[\da-f]+:(\d+) /gm)]
    return rows.filter(([, , inode]) => Number(inode) === file.ino).map(([, pid]) => Number(pid))
}

/** What a process is, for a sentence: its number and what it runs. */
export function processText(pid) {
    try {
        const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
        const words = commandOf(pid)
        // A host is known by the program that it works for.
        const shown = words[0]?.endsWith('BridgeHost') && parent
            ? `${words[0].split('/').at(-1)} of ${commandOf(parent).slice(0, 2).join(' ')}`
            : words.slice(0, 2).join(' ')
        return `process ${pid} (${shown.slice(0, 80)})`
    } catch {
        return `process ${pid}` // It has ended, or another user's.
    }
}

function commandOf(pid) {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean)
}
