import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MobileTrackerError } from './errors.js'
import { clientText } from './fault.js'
import { isMusl, packageFor, PLATFORMS, THIS_PLATFORM } from './platforms.js'

/** The name of this package. */
const NAME = '@mobiletracker/bridge'

/** This file, or the bundle that it is a part of. A bundle in CommonJS has no `import.meta.url`. */
const FILE = import.meta.url ? fileURLToPath(import.meta.url) : typeof __filename === 'string' ? __filename : process.argv[1] ?? ''

/** Why there is no host, by the word for it, and what to do. @type {Record<string, (platform: string) => string>} */
const WHY = {
    named: () => clientText('hostNamed'),
    bundled: () => `${NAME} is part of a bundle, and a bundle cannot hold the host, which is a program. Keep the package out of `
        + `the bundle (with esbuild: --external:${NAME}) and install it where the bundle runs, or copy the host beside the bundle.`,
    otherPlatform: (platform) =>
        `No package has a host for ${platform}; there are some for ${Object.keys(PLATFORMS).join(', ')}.`,
    otherLibrary: () =>
        'The packages with a host need glibc, and the C library of this system is another (musl, as on Alpine).',
    notInstalled: (platform) => `Install ${packageFor(platform)}: npm leaves it out if you omit optional dependencies.`,
}

/**
 * Finds the host program: at `hostPath`, else at `MOBILE_TRACKER_HOST`, else in this package, else in the package for
 * this platform, else in the build folder of the repository that contains this package. In a bundle: beside the bundle,
 * else as for the package that Node finds from there.
 *
 * @param {object} [options]
 * @param {string} [options.hostPath] The path that the caller chose.
 * @param {string} [options.folder] From where a relative path leads; the working directory if left out.
 * @param {NodeJS.ProcessEnv} [options.env]
 * @param {string} [options.file] This file, or the bundle.
 * @param {string} [options.root] The folder of the package; null in a bundle.
 * @param {string} [options.platform]
 * @param {() => boolean} [options.hasMusl] Called only if there is no host.
 * @returns {string} An absolute path of a file.
 * @throws {MobileTrackerError} `HOST_NOT_FOUND`. The message lists the places and says what to do; the data are a
 *     {@link Lack}.
 */
export function findHost({
    hostPath, folder = '', env = process.env, file = FILE, root = packageOf(file), platform = THIS_PLATFORM, hasMusl = isMusl,
} = {}) {
    const places = named(hostPath, env.MOBILE_TRACKER_HOST, folder)
        ?? (root ? inPackage(root, platform) : besideBundle(file, platform))
    const found = places.find(({ path }) => isFile(path))
    if (found) return found.path
    const why = hostPath || env.MOBILE_TRACKER_HOST ? 'named' : root ? missing(platform, hasMusl) : 'bundled'
    const lack = { looked: places, why, platform }
    const facts = { places: placesOf(lack).join('\n'), remedy: remedyFor(lack) }
    throw new MobileTrackerError('HOST_NOT_FOUND', clientText('hostNotFound', facts), { data: lack })
}

/**
 * Why there is no host.
 *
 * @typedef {object} Lack
 * @property {{ path: string, origin: string }[]} looked Where it was looked for, and what has named the place.
 * @property {'named' | 'bundled' | 'otherPlatform' | 'otherLibrary' | 'notInstalled'} why
 * @property {string} platform
 */

/** The places in words, one a line. @param {Lack} lack */
export function placesOf({ looked }) {
    return looked.map(({ path, origin }) => clientText('hostPlace', { path, origin: ORIGINS[origin]?.(origin) ?? origin }))
}

/** What has named a place, in words. What is not here is the name of a variable or of a package. */
const ORIGINS = {
    hostPath: () => clientText('fromOption'),
    package: () => clientText('fromPackage'),
    bundle: () => clientText('fromBundle'),
    release: (name) => clientText('fromBuild', { name }),
    debug: (name) => clientText('fromBuild', { name }),
}

/** What to do. @param {Lack} lack */
export function remedyFor({ why, platform }) {
    return clientText('hostRemedy', { why: WHY[why](platform) })
}

/** Why npm has not installed a host. */
function missing(platform, hasMusl) {
    if (!Object.hasOwn(PLATFORMS, platform)) return 'otherPlatform'
    return PLATFORMS[platform].libc?.includes('glibc') && hasMusl() ? 'otherLibrary' : 'notInstalled'
}

/** If the caller names a place, no other is searched: another host than the named one would be a surprise. */
function named(hostPath, variable, folder) {
    if (hostPath) return [{ path: resolve(folder, hostPath), origin: 'hostPath' }]
    return variable ? [{ path: resolve(folder, variable), origin: 'MOBILE_TRACKER_HOST' }] : undefined
}

/** The folder of the package that has this file; null if the file is a bundle. */
function packageOf(file) {
    const root = resolve(dirname(file), '../..')
    return isFile(join(root, 'src', 'client', 'finder.js')) ? root : null
}

function besideBundle(file, platform) {
    const beside = { path: join(dirname(file), 'BridgeHost'), origin: 'bundle' }
    const installed = resolved(file, `${NAME}/package.json`)
    return installed ? [beside, ...inPackage(dirname(installed), platform)] : [beside]
}

function inPackage(root, platform) {
    return [
        { path: unpacked(resolve(root, 'host', platform, 'BridgeHost')), origin: 'package' },
        ...inPlatformPackage(root, packageFor(platform)),
        { path: resolve(root, '../../.build/release/BridgeHost'), origin: 'release' },
        { path: resolve(root, '../../.build/debug/BridgeHost'), origin: 'debug' },
    ]
}

/** The host in the package for the platform; none if that package is not installed. */
function inPlatformPackage(root, name) {
    const path = resolved(join(root, 'package.json'), `${name}/BridgeHost`)
    return path ? [{ path: unpacked(path), origin: name }] : [] // Then `missing` says how to install it.
}

/** Where Node finds something from a file; undefined if it does not. */
function resolved(file, name) {
    try {
        return createRequire(file).resolve(name)
    } catch {
        return undefined
    }
}

/** Electron packs files into one archive. Programs are beside it, because the system cannot run them from inside. */
function unpacked(path) {
    return path.replace(/([\\/]app\.asar)(?=[\\/])/, '$1.unpacked')
}

/** Whether a file is there. One that this user may not reach is not. */
function isFile(path) {
    try {
        return statSync(path).isFile()
    } catch {
        return false
    }
}
