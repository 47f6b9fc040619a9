/**
 * Something to be done before the program ends.
 *
 * @typedef {object} Leaving
 * @property {() => void} beforeExit Called when nothing else is left to do; it may find itself something.
 * @property {() => void} exit Called at the very end, where only synchronous work is done.
 */

/** @type {Set<Leaving>} */
const all = new Set()

/** Calls these at the program's end. One listener serves all, or Node would warn of a leak. @param {Leaving} leaving */
export function atExit(leaving) {
    if (all.size === 0) {
        process.on('beforeExit', () => all.forEach((each) => each.beforeExit()))
        process.on('exit', () => all.forEach((each) => each.exit()))
    }
    all.add(leaving)
}
