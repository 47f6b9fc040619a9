/**
 * Puts the host into the package that `npm pack` makes, and removes it again: a host that stayed there would be found
 * before those that are built later.
 *
 *     node tools/pack-host.js add | remove
 */
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { findHost } from '../src/client/finder.js'
import { platformOf, THIS_PLATFORM } from '../src/client/platforms.js'
import { stripHost } from './strip-host.js'

const folder = resolve('host')

const [action] = process.argv.slice(2)
rmSync(folder, { recursive: true, force: true })
try {
    if (action === 'add') add()
    else if (action !== 'remove') throw new Error('Say what to do: add or remove.')
} catch (error) {
    rmSync(folder, { recursive: true, force: true })
    console.error(error.message)
    process.exit(1)
}

function add() {
    const host = findHost()
    const { size, libraries, glibc } = stripHost(host, resolve(folder, platformOf(host) ?? THIS_PLATFORM, 'BridgeHost'))
    console.error(`The host has ${(size / 1_000_000).toFixed(1)} MB and needs ${libraries.join(', ')}; glibc from ${glibc}.`)
}
