import { clientText } from './fault.js'
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
        return clientText('otherPlatform', { path, platform, here: THIS_PLATFORM })
    }
    if (end.error) return explainError(path, end.error)
    if (end.code === WRONG_ARGUMENTS) {
        const [line] = end.stderr.trim().split('\n')
        return clientText('wrongArguments', { path, line })
    }
    // One line for each version that is missing, in no order.
    const missing = end.stderr.matchAll(/version [`'"]?GLIBC_([\d.]+)['"]? not found/g)
    const versions = [...missing].map(([, version]) => version)
    if (versions.length > 0) {
        const [version] = versions.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
        return clientText('oldLibrary', { path, version })
    }
    const library = /error while loading shared libraries: ([^\s:]+)/.exec(end.stderr)
    if (library) return clientText('noLibrary', { path, library: library[1] })
    if (end.code === 126 || end.code === 127) {
        return clientText('notRunnable', { path, line: end.stderr.trim().split('\n').at(-1) || undefined })
    }
    return null
}

function explainError(path, error) {
    switch (error.code) {
        case 'EACCES': return clientText('notExecutable', { path })
        case 'ENOENT': return clientText('otherLibrary', { path })
        case 'ENOEXEC': return clientText('noProgram', { path })
        case 'EAGAIN':
        case 'ENOMEM':
        case 'EMFILE':
        case 'ENFILE': return null
        default: return clientText('notStartable', { path, how: error.message })
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
    return end.signal ? clientText('bySignal', { signal: end.signal }) : clientText('exitCode', { code: end.code })
}
