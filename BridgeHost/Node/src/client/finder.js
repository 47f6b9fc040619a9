import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MobileTrackerError } from './errors.js'

/** The folder of this package. */
const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Finds the host program: where the caller says, else where `MOBILE_TRACKER_HOST` says, else in the package, else in
 * the build folder of the repository that the package lies in.
 *
 * @param {object} [options]
 * @param {string} [options.hostPath] What the caller says.
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {string} [options.root] The folder of the package.
 * @returns {string} An absolute path of a file.
 * @throws {MobileTrackerError} `HOST_NOT_FOUND`, saying where it looked and how to build.
 */
export function findHost({ hostPath, env = process.env, root = PACKAGE } = {}) {
    const places = candidates(hostPath, env.MOBILE_TRACKER_HOST, root)
    const found = places.find(({ path }) => isFile(path))
    if (found) return found.path
    const list = places.map(({ path, from }) => `  ${path} (${from})`).join('\n')
    throw new MobileTrackerError(
        'HOST_NOT_FOUND',
        `The host program was not found. This is where it could have been:\n${list}\n` +
            'Build it with "make build" in the repository, or say where it is with the option hostPath ' +
            'or the environment variable MOBILE_TRACKER_HOST.',
        { data: { looked: places.map(({ path }) => path) } },
    )
}

/** A place that was named is the only one: another host in its stead would surprise. */
function candidates(hostPath, variable, root) {
    if (hostPath) return [{ path: resolve(hostPath), from: 'option hostPath' }]
    if (variable) return [{ path: resolve(variable), from: 'MOBILE_TRACKER_HOST' }]
    return [
        { path: unpacked(resolve(root, 'host', `${process.platform}-${process.arch}`, 'BridgeHost')), from: 'package' },
        { path: resolve(root, '../../.build/release/BridgeHost'), from: 'release build' },
        { path: resolve(root, '../../.build/debug/BridgeHost'), from: 'debug build' },
    ]
}

/** Electron packs files into one; programs lie beside it, since the system cannot run them from within. */
function unpacked(path) {
    return path.replace(/([\\/]app\.asar)(?=[\\/])/, '$1.unpacked')
}

function isFile(path) {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
