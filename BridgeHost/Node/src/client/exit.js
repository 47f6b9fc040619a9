/**
 * What to do when the program ends.
 *
 * @typedef {object} ExitHooks
 * @property {() => void} beforeExit Called when Node has nothing left to do. It may start more work.
 * @property {() => void} exit Called at the very end, where only synchronous code runs.
 */

/** @type {Set<ExitHooks>} */
const all = new Set()

/** Calls these at the program's end. One listener serves all trackers: Node warns of a leak at more than ten. @param {ExitHooks} hooks */
export function atExit(hooks) {
    if (all.size === 0) {
        process.on('beforeExit', () => all.forEach((each) => each.beforeExit()))
        process.on('exit', () => all.forEach((each) => each.exit()))
    }
    all.add(hooks)
}
