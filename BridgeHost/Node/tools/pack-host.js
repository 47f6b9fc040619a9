/**
 * Puts the host into the package that `npm pack` makes, and takes it out again: a host that stayed would be found
 * before those that are built later.
 *
 *     node tools/pack-host.js add | remove
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { findHost } from '../src/client/finder.js'

/** The most that the stripped host may weigh. */
const MOST_BYTES = 12_000_000

/** What every machine with libcurl has. */
const EVERYWHERE = /^(lib(c|m|pthread|dl|rt|curl|z)|ld-linux[\w-]*)\.so\b/

const folder = resolve('host')
const target = resolve(folder, `${process.platform}-${process.arch}`, 'BridgeHost')

const [action] = process.argv.slice(2)
rmSync(folder, { recursive: true, force: true })
if (action === 'add') add()
else if (action !== 'remove') fail('Say what to do: add or remove.')

function add() {
    const path = findHost()
    const libraries = librariesOf(path)
    const swift = libraries.find((name) => /^lib(swift|_?Foundation|dispatch\b|Blocks)/i.test(name))
    if (swift) fail(`The host at ${path} needs a Swift toolchain where it runs (${swift}). Build it with "make build".`)
    const other = libraries.find((name) => !EVERYWHERE.test(name))
    if (other) fail(`The host at ${path} needs ${other}, which not every machine has. Build it with "make build".`)
    mkdirSync(dirname(target), { recursive: true })
    copyFileSync(path, target)
    chmodSync(target, 0o755)
    run('strip', [target])
    const { size } = statSync(target)
    const megabytes = `${(size / 1_000_000).toFixed(1)} MB`
    if (size > MOST_BYTES) fail(`The host at ${path} has ${megabytes} when stripped; 12 MB are the most.`)
    console.error(`The host has ${megabytes} and needs ${libraries.join(', ')}.`)
}

/** The shared libraries that a program names. @returns {string[]} */
function librariesOf(path) {
    const list = run('readelf', ['--dynamic', '--wide', path])
    return [...list.matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name]) => name)
}

function run(command, args) {
    const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
    if (status !== 0) fail(`${command} failed: ${error?.message ?? stderr.trim()}`)
    return stdout
}

function fail(message) {
    rmSync(folder, { recursive: true, force: true })
    console.error(message)
    process.exit(1)
}
