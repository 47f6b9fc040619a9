import { readFileSync } from 'node:fs'

/**
 * One line of the day: a call, or something that happens to the program meanwhile.
 *
 * @typedef {object} Entry
 * @property {string} at The time of day, such as `09:04`.
 * @property {string} [method] A method of the tracker.
 * @property {any[]} [params] Its arguments, in their order.
 * @property {string} [dropped] Why the call is refused, if it is meant to be.
 * @property {string} [incident] What happens, in place of a call.
 */

/**
 * Reads a day from a file that holds one JSON object a line.
 *
 * @param {URL | string} file
 * @returns {Entry[]}
 */
export function readDay(file) {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line))
}
