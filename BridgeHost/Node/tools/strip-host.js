import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** The largest size of the stripped host. */
const MOST_BYTES = 16_000_000

/** The oldest glibc that the packages of a registry run with. */
export const OLDEST_GLIBC = '2.31'

/** What every machine has: the parts of glibc, which were files of their own before 2.34. */
const EVERYWHERE = /^(lib(c|m|pthread|dl|rt|util)|ld-linux[\w-]*)\.so\b/

/**
 * Copies the release host without its symbols. The variable `STRIP` names the tool for another processor.
 *
 * @param {string} path The host.
 * @param {string} target Where it goes.
 * @returns {{ size: number, libraries: string[], glibc: string }} Its bytes, the shared libraries that it needs, and the
 *     oldest glibc with which it runs.
 * @throws {Error} If it could not run on another machine.
 */
export function stripHost(path, target) {
    const libraries = librariesOf(path)
    const swift = libraries.find((name) => /^lib(swift|_?Foundation|dispatch\b|Blocks)/i.test(name))
    if (swift) throw new Error(`The host at ${path} needs a Swift toolchain where it runs (${swift}). Build it with "make build".`)
    const other = libraries.find((name) => !EVERYWHERE.test(name))
    if (other) throw new Error(`The host at ${path} needs ${other}, which not every machine has. Build it with "make build".`)
    mkdirSync(dirname(target), { recursive: true })
    copyFileSync(path, target)
    chmodSync(target, 0o755)
    run(process.env.STRIP ?? 'strip', [target])
    const { size } = statSync(target)
    if (size > MOST_BYTES) {
        throw new Error(`The host at ${path} has ${(size / 1_000_000).toFixed(1)} MB when stripped; 16 MB are the most.`)
    }
    return { size, libraries, glibc: glibcOf(path) }
}

/** The shared libraries that a program names. @returns {string[]} */
function librariesOf(path) {
    const list = run('readelf', ['--dynamic', '--wide', path])
    return [...list.matchAll(/\(NEEDED\).*\[(.*)\]/g)].map(([, name]) => name)
}

/** The newest version of glibc that a program needs. */
function glibcOf(path) {
    const list = run('readelf', ['--version-info', '--wide', path])
    const versions = [...list.matchAll(/Name: GLIBC_([\d.]+)/g)].map(([, version]) => version)
    return versions.sort(byVersion).at(-1) ?? '0'
}

/** Which of two versions is older. */
export function byVersion(a, b) {
    return a.localeCompare(b, 'en', { numeric: true })
}

function run(command, args) {
    const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr.trim()}`)
    return stdout
}
