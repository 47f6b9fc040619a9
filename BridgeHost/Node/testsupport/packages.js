import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))

/** Why packages cannot be made; false if they can. */
export const withoutNpm = runTool('npm', ['--version']).error ? 'there is no npm here' : false

/**
 * Makes a package of a copy of this one, with that host, and installs it into an empty folder.
 *
 * @param {string} folder An empty one.
 * @param {string} host
 * @param {NodeJS.ProcessEnv} [variables] Further ones for npm.
 * @returns {{ packed: import('node:child_process').SpawnSyncReturns<string>, copy: string, home: string, installed: string }}
 *     Where the copy is, where it was installed, and the folder of it there. If `packed` failed, nothing was.
 */
export function packAndInstall(folder, host, variables = {}) {
    const copy = join(folder, 'copy')
    const home = join(folder, 'home')
    const installed = join(home, 'node_modules', '@mobiletracker', 'bridge')
    mkdirSync(home)
    for (const name of ['package.json', 'README.md', 'LICENSE', 'src', 'bin', 'tools']) {
        cpSync(join(PACKAGE, name), join(copy, name), { recursive: true })
    }
    const env = { ...process.env, MOBILE_TRACKER_HOST: host, NO_UPDATE_NOTIFIER: '1', ...variables }
    const words = ['pack', '--offline', '--silent', '--pack-destination', folder]
    const packed = runTool('npm', words, { cwd: copy, env })
    if (packed.status === 0) {
        const tarball = join(folder, packed.stdout.trim().split('\n').at(-1))
        const quiet = ['--offline', '--silent', '--no-audit', '--no-fund']
        const { status, stderr } = runTool('npm', ['install', ...quiet, '--prefix', home, tarball], { cwd: home, env })
        if (status !== 0) throw new Error(`npm install failed: ${stderr}`)
    }
    return { packed, copy, home, installed }
}

/** Runs a program to its end. */
export function runTool(command, args, options) {
    return spawnSync(command, args, { encoding: 'utf8', ...options })
}
