import { readFileSync } from 'node:fs'
import { collect } from './collector/command.js'

/** The words after `mobile-tracker`, and what each does. @type {Record<string, (words: string[]) => Promise<number>>} */
const COMMANDS = { collect }

/** What `sysexits.h` calls a command that was used wrongly. */
export const EX_USAGE = 64

const HELP = `Usage: mobile-tracker <command> [options]

Commands:
  collect    run a local backend that shows and checks what it receives

Options:
  --help     show this, or with a command that command's help
  --version  show the version
`

/**
 * Runs the command line.
 *
 * @param {string[]} words What stands after the program's name.
 * @returns {Promise<number>} The exit status.
 */
export async function main(words) {
    const [word, ...rest] = words
    if (word !== undefined && Object.hasOwn(COMMANDS, word)) return COMMANDS[word](rest)
    if (word === '--help' || word === '-h') return print(HELP)
    if (word === '--version') return print(`${version()}\n`)
    const reason = word === undefined ? 'There is no command.' : `There is no command "${word}".`
    process.stderr.write(`mobile-tracker: ${reason} Try mobile-tracker --help.\n`)
    return EX_USAGE
}

function print(text) {
    process.stdout.write(text)
    return 0
}

function version() {
    return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}
