import { spawn } from 'node:child_process'

/** The command that opens an address in the user's browser, by platform. */
const OPENERS = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }

/**
 * Opens an address in the user's browser. The variable BROWSER names another program than the system's.
 *
 * Where there is no browser, the system's opener is often there all the same, and ends with an error.
 *
 * @param {string} url
 * @param {(reason: string) => void} onFailure
 */
export function openBrowser(url, onFailure) {
    const chosen = process.env.BROWSER ? [process.env.BROWSER] : OPENERS[process.platform]
    const [command, ...words] = chosen ?? ['xdg-open']
    const child = spawn(command, [...words, url], { stdio: 'ignore', detached: true })
    child.on(
        'error', ({ code }) => onFailure(code === 'ENOENT' ? `there is no ${command} here` : `${command}: ${code}`),
    )
    child.on('exit', (code) => code > 0 && onFailure(`${command} ended with status ${code}`))
    child.unref()
}
