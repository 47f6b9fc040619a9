/**
 * Makes the packages that a registry takes: the client without a host, and a package with the host for this platform.
 * npm installs the second with the first where it fits, since it is an optional dependency.
 *
 *     node tools/registry-packages.js FOLDER
 */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findHost } from '../src/client/finder.js'
import { packageFor, platformOf, PLATFORMS, THIS_PLATFORM } from '../src/client/platforms.js'
import { byVersion, OLDEST_GLIBC, stripHost } from './strip-host.js'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))

const [target] = process.argv.slice(2)
try {
    if (!target) throw new Error('Say where the packages go.')
    makePackages(resolve(target))
} catch (error) {
    console.error(error.message)
    process.exit(1)
}

function makePackages(target) {
    const host = findHost()
    const platform = platformOf(host) ?? THIS_PLATFORM
    if (!PLATFORMS[platform]) throw new Error(`src/client/platforms.js has no row for ${platform}.`)
    const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'))
    mkdirSync(target, { recursive: true })
    const stage = mkdtempSync(join(tmpdir(), 'packages-'))
    try {
        pack(stageClient(join(stage, 'client'), manifest), target)
        pack(stageHost(join(stage, 'host'), manifest, host, platform), target)
    } finally {
        rmSync(stage, { recursive: true })
    }
}

/** The client as it is, with the packages of all platforms as optional dependencies. */
function stageClient(folder, { private: _, scripts: __, files, ...manifest }) {
    const names = files.filter((name) => name !== 'host')
    for (const name of [...names, 'README.md', 'LICENSE']) cpSync(join(PACKAGE, name), join(folder, name), { recursive: true })
    const hosts = Object.keys(PLATFORMS).map((platform) => [packageFor(platform), manifest.version])
    writeManifest(folder, { ...manifest, files: names, optionalDependencies: Object.fromEntries(hosts) })
    return folder
}

/** The host, and what npm needs to know of it. */
function stageHost(folder, { version, license }, host, platform) {
    const { glibc } = stripHost(host, join(folder, 'BridgeHost'))
    if (byVersion(glibc, OLDEST_GLIBC) > 0) {
        throw new Error(`The host at ${host} needs glibc ${glibc}, and a package has to run with ${OLDEST_GLIBC}. Build it with `
            + '".ci/build-host portable".')
    }
    const name = packageFor(platform)
    cpSync(join(PACKAGE, 'LICENSE'), join(folder, 'LICENSE'))
    writeFileSync(join(folder, 'README.md'), `# ${name}

The host program of \`@mobiletracker/bridge\` for ${platform}. Install that package: npm adds this one where it fits.

It needs glibc ${OLDEST_GLIBC} or newer, and libcurl 7.74 or newer: on Debian and Ubuntu \`apt-get install libcurl4\`, on Red Hat
and its kin \`dnf install libcurl\`.
`)
    writeManifest(folder, {
        name, version, description: `The host of @mobiletracker/bridge for ${platform}`, license, ...PLATFORMS[platform],
        // It is a program: it cannot run from within an archive.
        preferUnplugged: true,
        files: ['BridgeHost'],
    })
    return folder
}

function writeManifest(folder, manifest) {
    writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 4)}\n`)
}

function pack(folder, target) {
    const words = ['pack', '--offline', '--silent', '--pack-destination', target]
    const { status, stderr, error } = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' })
    if (status !== 0) throw new Error(`npm pack failed: ${error?.message ?? stderr.trim()}`)
}
