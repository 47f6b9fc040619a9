import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const BUILD = fileURLToPath(new URL('../../../.build/debug', import.meta.url))

/** Why no Swift can be compiled with the modules of this repository; false if it can. */
export const withoutModules = existsSync(`${BUILD}/Modules`) ? false : 'the Swift modules are not built'

/**
 * Compiles a Swift program as far as its types.
 *
 * @param {...string} paths Absolute.
 * @returns {string} What the compiler says; empty if all is well.
 */
export function checkSwift(...paths) {
    const modules = ['CSQLite', 'CCurl', 'CZlib'].flatMap((name) => [
        '-Xcc', `-fmodule-map-file=${BUILD}/${name}.build/module.modulemap`,
    ])
    const words = ['-typecheck', '-swift-version', '6', '-warnings-as-errors', '-I', `${BUILD}/Modules`, ...modules]
    const { stderr, status } = spawnSync('swiftc', [...words, ...paths], { encoding: 'utf8' })
    return status === 0 ? '' : stderr || `swiftc ended with ${status}.`
}
