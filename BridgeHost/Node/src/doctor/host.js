import { spawnSync } from 'node:child_process'
import { explainStart } from '../client/explain.js'
import { clientText } from '../client/fault.js'
import { remedyFor, findHost, placesOf } from '../client/finder.js'
import { packageVersion } from '../command-line.js'
import { bad, good, warning } from './findings.js'

const PATIENCE_MS = 10_000

/**
 * Checks whether there is a host, and whether it can run.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {{ path: string | null, section: import('./findings.js').Section }} No path if there is no host that runs.
 */
export function examineHost(env = process.env) {
    let path
    try {
        path = findHost({ env })
    } catch ({ data }) {
        const looked = placesOf(data).map((place) => place.trim()).join('; ')
        return {
            path: null,
            section: { title: 'Host', findings: [bad(clientText('hostNotFound'), `Looked at ${looked}. ${remedyFor(data)}`)] },
        }
    }
    const findings = [...versionOf(path), ...librariesOf(path)]
    const runs = findings.every(({ level }) => level !== 'bad')
    return { path: runs ? path : null, section: { title: 'Host', of: path, findings } }
}

function versionOf(path) {
    const { error, status, signal, stdout, stderr } = spawnSync(
        path,
        ['--version', '--log-format', 'json'],
        { encoding: 'utf8', timeout: PATIENCE_MS },
    )
    if (error || status !== 0) {
        const reason = explainStart(path, { code: status, signal, stderr: stderr ?? '', error })
        return [bad(
            reason ?? `It does not start: ${signal ?? `exit code ${status}`}.`,
            'Build it again with "make build", or install the package for this platform.',
        )]
    }
    const about = objectIn(stdout) ?? wordsIn(stdout)
    if (about.name !== 'mobile-tracker') {
        return [bad(
            `It is not the host program: --version says "${stdout.trim().split('\n')[0].slice(0, 60)}".`,
            'Correct hostPath or MOBILE_TRACKER_HOST.',
        )]
    }
    const own = packageVersion()
    const starts = `mobile-tracker ${about.version} starts`
    if (about.version === own) return [good(starts), ...network(about)]
    return [warning(
        `${starts}, and the package is ${own}`,
        'Use the host that belongs to this version of the package.',
    ), ...network(about)]
}

/** The object in what a program has printed; undefined if there is none. */
function objectIn(text) {
    try {
        const value = JSON.parse(text)
        return typeof value === 'object' && value !== null ? value : undefined
    } catch {
        return undefined
    }
}

/** What a host prints that does not know the argument for JSON: it is of an earlier version. */
function wordsIn(text) {
    const [name, version] = text.split(/\s+/, 2)
    return { name, version }
}

/** What the host says of libcurl, which it loads itself: its version, or why it cannot and what to do. */
function network({ libcurl, problem }) {
    if (libcurl) return [good(`libcurl ${libcurl} is there`)]
    return problem ? [bad(problem)] : []
}

/** What the dynamic linker finds. Elsewhere than on Linux nothing is said. */
function librariesOf(path) {
    const { error, stdout } = spawnSync('ldd', [path], { encoding: 'utf8', timeout: PATIENCE_MS })
    if (error || !stdout) return []
    const missing = [...stdout.matchAll(/^\s*(\S+) => not found/gm)].map(([, name]) => name)
    if (missing.length === 0) return [good('Its libraries are there')]
    return [bad(`Libraries are missing: ${missing.join(', ')}.`, 'Install them with the packages of this system.')]
}
