import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))

/** Why nothing can be compiled; false if it can. */
export const withoutCompiler = spawnSync('tsc', ['--version']).error ? 'there is no tsc here' : false

/**
 * Compiles a program as strictly as can be.
 *
 * @param {...string} paths From the package's folder, or absolute.
 * @returns {string} What the compiler says; empty if all is well.
 */
export function checkTypes(...paths) {
    return checkTypesIn(PACKAGE, ...paths)
}

/**
 * Compiles a program as strictly as can be, in a folder in whose node_modules the package lies.
 *
 * @param {string} folder
 * @param {...string} paths From that folder, or absolute; also options of the compiler that count instead of these.
 * @returns {string} What the compiler says; empty if all is well.
 */
export function checkTypesIn(folder, ...paths) {
    const { stdout, status } = spawnSync('tsc', [
        '--strict', '--noEmit', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes', '--noImplicitOverride',
        '--module', 'nodenext', '--moduleResolution', 'nodenext', '--esModuleInterop', '--target', 'es2022', '--lib', 'es2022,dom', ...paths,
    ], { encoding: 'utf8', cwd: folder })
    return status === 0 ? stdout : stdout || `tsc ended with ${status}.`
}
