import { platformOf, THIS_PLATFORM } from './platforms.js'

/**
 * How a host process ended.
 *
 * @typedef {object} HostEnd
 * @property {number | null} code The exit code.
 * @property {string | null} signal The signal that ended it.
 * @property {string} stderr The end of what it wrote to stderr.
 * @property {NodeJS.ErrnoException} [error] Why it could not be started at all.
 * @property {string} [how] What has ended, if it is no process.
 */

/** The exit code of a program that was called wrongly (sysexits.h, EX_USAGE). */
const WRONG_ARGUMENTS = 64

/**
 * Says in a sentence why a host cannot start on this machine.
 *
 * @param {string} path
 * @param {HostEnd} end How it ended before its first answer.
 * @returns {string | null} Null if it looks like a crash: then another start may succeed.
 */
export function explainStart(path, end) {
    const platform = platformOf(path)
    if (platform && platform !== THIS_PLATFORM && (end.error || end.code !== null)) {
        return `The host at ${path} was built for ${platform}, and this is ${THIS_PLATFORM}.`
    }
    if (end.error) return explainError(path, end.error)
    if (end.code === WRONG_ARGUMENTS) {
        const [line] = end.stderr.trim().split('\n')
        return `The host at ${path} rejects its arguments (option hostArguments): ${line}`
    }
    // One line for each version that is missing, in no order.
    const missing = end.stderr.matchAll(/version [`'"]?GLIBC_([\d.]+)['"]? not found/g)
    const versions = [...missing].map(([, version]) => version)
    if (versions.length > 0) {
        const [newest] = versions.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
        const needed = `GLIBC ${newest}`
        return `The host at ${path} needs ${needed}, and the C library of this system is older.`
    }
    const library = /error while loading shared libraries: ([^\s:]+)/.exec(end.stderr)
    if (library) return `The host at ${path} needs the library ${library[1]}, which is not installed.`
    if (end.code === 126 || end.code === 127) {
        return `The system cannot run the host at ${path}${quoted(end.stderr)}.`
    }
    return null
}

function explainError(path, error) {
    switch (error.code) {
        case 'EACCES':
            return `The host at ${path} may not be executed: its file has no execute permission, or its disk is mounted with noexec.`
        case 'ENOENT':
            return `The host at ${path} needs another C library than this system has (it is built for glibc).`
        case 'ENOEXEC': return `The host at ${path} is not a program for this system.`
        case 'EAGAIN':
        case 'ENOMEM':
        case 'EMFILE':
        case 'ENFILE': return null
        default: return `The host at ${path} cannot be started: ${error.message}.`
    }
}

/**
 * Says how a host ended, for the middle of a sentence.
 *
 * @param {HostEnd} end
 */
export function describeEnd(end) {
    if (end.error) return end.error.message
    if (end.how) return end.how
    return end.signal ? `signal ${end.signal}` : `exit code ${end.code}`
}

function quoted(stderr) {
    const line = stderr.trim().split('\n').at(-1)
    return line ? `: ${line}` : ''
}
