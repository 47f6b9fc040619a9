import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { nearest } from './nearest.js'
import { wrap } from './terminal.js'

/** The exit status for wrong arguments (`sysexits.h`, EX_USAGE). */
export const EX_USAGE = 64

/** The exit status of a command that failed for another reason. */
export const FAILURE = 1

/**
 * What a command takes, and what its help says.
 *
 * @typedef {object} CommandSpec
 * @property {string} name Such as `collect`.
 * @property {string} [operands] What follows the options, such as `FILE…`; without it nothing may.
 * @property {number} [least] How many operands there must be.
 * @property {number} [most] How many there may be.
 * @property {string} about What it does.
 * @property {Record<string, OptionSpec>} options Without `--help`, which every command has.
 * @property {string} [more] What else its help says.
 * @property {Array<[string, string]>} examples Words after the command's name, and what they do.
 *
 * @typedef {object} OptionSpec
 * @property {string} help
 * @property {string} [value] What its value is called; without it the option takes none.
 * @property {string} [fallback] The value if it is left out.
 * @property {boolean} [many] Whether it may appear several times.
 */

/** A command with wrong arguments. The message is a sentence that says what is wrong. */
export class UsageError extends Error {
    name = 'UsageError'
}

/** A command that failed. The message is a sentence that says why. */
export class CommandError extends Error {
    name = 'CommandError'
}

/**
 * Runs a command: reads its arguments, shows its help, and writes errors to stderr as sentences.
 *
 * @param {CommandSpec} spec
 * @param {string[]} words
 * @param {(options: Record<string, any>, operands: string[]) => Promise<number>} act
 * @returns {Promise<number>} The exit status.
 */
export async function runCommand(spec, words, act) {
    try {
        const { options, operands } = readWords(spec, words)
        if (options.help) {
            process.stdout.write(helpOf(spec))
            return 0
        }
        return await act(options, operands)
    } catch (error) {
        if (error instanceof UsageError) {
            return complain(`${error.message} Try mobile-tracker ${spec.name} --help.`, EX_USAGE)
        }
        if (error instanceof CommandError) return complain(error.message, FAILURE)
        throw error
    }
}

/**
 * Runs a command that has commands of its own, such as `plan check`.
 *
 * @param {string} name Such as `plan`.
 * @param {Record<string, (words: string[]) => Promise<number>>} actions What each of them does.
 * @param {string} help
 * @param {string[]} words
 * @returns {Promise<number>} The exit status.
 */
export async function runAction(name, actions, help, [word, ...rest]) {
    if (word !== undefined && Object.hasOwn(actions, word)) return actions[word](rest)
    if (word === '--help' || word === '-h') {
        process.stdout.write(help)
        return 0
    }
    const all = Object.keys(actions)
    const near = word === undefined ? undefined : nearest(word, all)
    const reason = word === undefined
        ? `${name} needs ${all.slice(0, -1).join(', ')} or ${all.at(-1)}.`
        : `There is no ${name} ${word}${near ? `; did you mean ${name} ${near}?` : '.'}`
    return complain(`${reason} Try mobile-tracker ${name} --help.`, EX_USAGE)
}

/** Reads a file. @throws {CommandError} If it cannot be read. */
export function readText(path) {
    try {
        return readFileSync(path, 'utf8')
    } catch (error) {
        throw new CommandError(`${path} cannot be read: ${error.message}.`)
    }
}

/** Writes a file by a function, and returns what that returns. @throws {CommandError} If it cannot be written. */
export function writing(path, write) {
    try {
        return write()
    } catch (error) {
        throw new CommandError(`${path} cannot be written: ${error.message}.`)
    }
}

/** The version of this package. @returns {string} */
export function packageVersion() {
    return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}

/** `1 event`, `2 events` */
export function counted(count, one, many = `${one}s`) {
    return `${count} ${count === 1 ? one : many}`
}

/** Writes a sentence to stderr. @returns {number} The status. */
export function complain(sentence, status) {
    process.stderr.write(`mobile-tracker: ${sentence}\n`)
    return status
}

/**
 * Reads a command's words.
 *
 * @param {CommandSpec} spec
 * @param {string[]} words
 * @returns {{ options: Record<string, any>, operands: string[] }}
 * @throws {UsageError}
 */
function readWords(spec, words) {
    const known = { ...spec.options, help: { help: 'show this' } }
    const types = Object.fromEntries(Object.entries(known).map(([name, { value, many }]) => {
        return [
            name,
            { type: value ? 'string' : 'boolean', multiple: many ?? false, ...(name === 'help' && { short: 'h' }) },
        ]
    }))
    const { values, positionals, tokens } = parseArgs({ args: words, options: types, strict: false, tokens: true })
    for (const token of tokens) if (token.kind === 'option') checkOption(token, known)
    if (!values.help) checkOperands(spec, positionals)
    for (const [name, { fallback, many }] of Object.entries(known)) values[name] ??= many ? [] : fallback
    return { options: values, operands: positionals }
}

function checkOption({ name, rawName, value }, known) {
    const option = Object.hasOwn(known, name) ? known[name] : null
    if (!option) {
        const near = nearest(name, Object.keys(known))
        throw new UsageError(`There is no option ${rawName}${near ? `; did you mean --${near}?` : '.'}`)
    }
    if (option.value && value === undefined) {
        throw new UsageError(`${rawName} needs a value: ${rawName} <${option.value}>.`)
    }
    if (!option.value && value !== undefined) throw new UsageError(`${rawName} takes no value.`)
}

function checkOperands({ name, operands, least = 0, most = operands ? Infinity : 0 }, given) {
    if (given.length > most) throw new UsageError(`"${given[most]}" does not belong here.`)
    if (given.length < least) throw new UsageError(`${name} needs ${operands}.`)
}

/**
 * Reads a number that an option has.
 *
 * @throws {UsageError}
 */
export function wholeNumber(name, text, least, most) {
    const number = /^\d{1,16}$/.test(text) ? Number(text) : NaN
    if (number >= least && number <= most) return number
    throw new UsageError(`--${name} is "${text}"; it must be a whole number from ${least} to ${most}.`)
}

/**
 * Reads a time: `10` and `10s` are seconds, `500ms` is less.
 *
 * @returns {number} Milliseconds.
 * @throws {UsageError}
 */
export function duration(name, text, most) {
    const time = millisecondsIn(text)
    if (time <= most) return time
    throw new UsageError(`--${name} is "${text}"; it must be a time such as 10, 10s or 500ms, at most ${most / 1000}s.`)
}

/** The milliseconds of such a time; NaN if it is none. @param {string} text */
export function millisecondsIn(text) {
    const match = /^(\d{1,6}(?:\.\d{1,3})?)(s|ms)?$/.exec(text)
    return match ? Number(match[1]) * (match[2] === 'ms' ? 1 : 1000) : NaN
}

/** What `--help` prints. @param {CommandSpec} spec */
function helpOf({ name, operands, about, options, more, examples }) {
    const rows = Object.entries({ ...options, help: { help: 'show this' } }).map(([option, { value, help, fallback }]) => {
        return [`--${option}${value ? ` <${value}>` : ''}`, fallback ? `${help} (${fallback})` : help]
    })
    const sections = [
        `Usage: mobile-tracker ${name} [options]${operands ? ` ${operands}` : ''}`,
        about,
        `Options:\n${columns(rows)}`,
        more,
        `Examples:\n${examples.map(([words, meaning]) => `  ${`mobile-tracker ${name} ${words}`.trimEnd()}\n      ${meaning}`).join('\n')}`,
    ]
    return `${sections.filter(Boolean).join('\n\n')}\n`
}

/** Two columns, the second wrapped at 100 characters. */
export function columns(rows) {
    const width = Math.max(...rows.map(([word]) => word.length)) + 2
    return rows.map(([word, meaning]) => `  ${word.padEnd(width)}${wrap(meaning, 100, width + 2)}`).join('\n')
}
