import { readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, join, parse } from 'node:path'

/**
 * The name of this program: the name in the package.json of its entry script, else the name of that script.
 *
 * @param {string | undefined} [entry] The entry script.
 * @returns {string | null} Null if there is no entry script, as in an interactive session.
 */
export function appName(entry = process.argv[1]) {
    // A packaged Electron program has no entry script among its arguments.
    if (process.versions.electron && !process.defaultApp) return parse(process.execPath).name
    if (!entry) return null
    const script = realPath(entry)
    for (let folder = dirname(script); ; folder = dirname(folder)) {
        const name = nameIn(join(folder, 'package.json'))
        if (name) return name
        if (folder === dirname(folder)) return parse(basename(script)).name || null
    }
}

/** Commands are links to their scripts. */
function realPath(path) {
    try {
        return realpathSync(path)
    } catch {
        return path // The script's own path is all that is known.
    }
}

function nameIn(path) {
    try {
        const { name } = JSON.parse(readFileSync(path, 'utf8'))
        return typeof name === 'string' ? name : null
    } catch (error) {
        // Otherwise the name, and with it the state folder, would be another as long as the system lacks descriptors.
        if (['EMFILE', 'ENFILE', 'ENOMEM'].includes(error.code)) throw error
        return null // There is no package here.
    }
}
