import { readFileSync } from 'node:fs'

/**
 * The process that this program has started with that argument, or undefined. Linux only.
 *
 * @param {string} argument
 * @returns {number | undefined}
 */
export function childWith(argument) {
    const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
    return children.map(Number).find((pid) => readArguments(pid).includes(argument))
}

function readArguments(pid) {
    try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
    } catch {
        return [] // It has ended meanwhile.
    }
}
