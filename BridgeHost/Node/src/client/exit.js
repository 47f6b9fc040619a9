/**
 * What to do when the program ends.
 *
 * @typedef {object} ExitHooks
 * @property {() => void} beforeExit Called when Node has nothing left to do. It may start more work.
 * @property {() => void} exit Called at the very end, where only synchronous code runs.
 */

/** @type {Set<ExitHooks>} */
const all = new Set()

/** Whether `exit` was called. Other listeners of the program may still run. */
export let isExiting = false

// From the beginning: a listener that is added while the program ends is not called any more. One serves all trackers:
// Node warns of a leak at more than ten.
process.on('beforeExit', () => all.forEach((each) => each.beforeExit()))
process.on('exit', () => {
    isExiting = true
    all.forEach((each) => each.exit())
})

/** Calls these at the program's end. @param {ExitHooks} hooks */
export function atExit(hooks) {
    all.add(hooks)
}

/** No longer calls these. @param {ExitHooks} hooks */
export function notAtExit(hooks) {
    all.delete(hooks)
}
