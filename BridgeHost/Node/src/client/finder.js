import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MobileTrackerError } from './errors.js'
import { isMusl, packageFor, PLATFORMS, THIS_PLATFORM } from './platforms.js'

/** The folder of this package. */
const PACKAGE = fileURLToPath(new URL('../..', import.meta.url))

/** What to do when there is no host at the named place. */
const NAMED = 'You named this place, so no other was searched: correct the path, or leave it out.'

/**
 * Finds the host program: at `hostPath`, else at `MOBILE_TRACKER_HOST`, else in this package, else in the package for
 * this platform, else in the build folder of the repository that contains this package.
 *
 * @param {object} [options]
 * @param {string} [options.hostPath] The path that the caller chose.
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {string} [options.root] The folder of the package.
 * @param {string} [options.platform]
 * @param {() => boolean} [options.hasMusl] Called only if there is no host.
 * @returns {string} An absolute path of a file.
 * @throws {MobileTrackerError} `HOST_NOT_FOUND`. The message lists the places and says what to do.
 */
export function findHost({
    hostPath, env = process.env, root = PACKAGE, platform = THIS_PLATFORM, hasMusl = isMusl,
} = {}) {
    const places = candidates(hostPath, env.MOBILE_TRACKER_HOST, root, platform)
    const found = places.find(({ path }) => isFile(path))
    if (found) return found.path
    const why = hostPath || env.MOBILE_TRACKER_HOST ? NAMED : missing(platform, hasMusl)
    const list = places.map(({ path, from }) => `  ${path} (${from})`).join('\n')
    throw new MobileTrackerError(
        'HOST_NOT_FOUND',
        `The host program was not found. These places were searched:\n${list}\n` +
            `${why} Or build it with "make build" in the repository, and say where it is with the option ` +
            'hostPath or the environment variable MOBILE_TRACKER_HOST.',
        { data: { looked: places.map(({ path }) => path) } },
    )
}

/** Why npm has not installed a host, and what to do. */
function missing(platform, hasMusl) {
    if (!Object.hasOwn(PLATFORMS, platform)) {
        return `No package has a host for ${platform}; there are some for ${Object.keys(PLATFORMS).join(', ')}.`
    }
    if (PLATFORMS[platform].libc?.includes('glibc') && hasMusl()) {
        return 'The packages with a host need glibc, and the C library of this system is another (musl, as on Alpine).'
    }
    return `Install ${packageFor(platform)}: npm leaves it out if you omit optional dependencies.`
}

/** If the caller names a place, no other is searched: another host than the named one would be a surprise. */
function candidates(hostPath, variable, root, platform) {
    if (hostPath) return [{ path: resolve(hostPath), from: 'option hostPath' }]
    if (variable) return [{ path: resolve(variable), from: 'MOBILE_TRACKER_HOST' }]
    return [
        { path: unpacked(resolve(root, 'host', platform, 'BridgeHost')), from: 'package' },
        ...inPlatformPackage(root, packageFor(platform)),
        { path: resolve(root, '../../.build/release/BridgeHost'), from: 'release build' },
        { path: resolve(root, '../../.build/debug/BridgeHost'), from: 'debug build' },
    ]
}

/** The host in the package for the platform; none if that package is not installed. */
function inPlatformPackage(root, name) {
    try {
        const path = createRequire(join(root, 'package.json')).resolve(`${name}/BridgeHost`)
        return [{ path: unpacked(path), from: name }]
    } catch {
        return [] // Then `missing` says how to install it.
    }
}

/** Electron packs files into one archive. Programs are beside it, because the system cannot run them from inside. */
function unpacked(path) {
    return path.replace(/([\\/]app\.asar)(?=[\\/])/, '$1.unpacked')
}

function isFile(path) {
    return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
