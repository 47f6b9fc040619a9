import { collect, COLLECT } from './collector/command.js'
import { replay, REPLAY } from './collector/replay.js'
import { doctor, DOCTOR } from './doctor/command.js'
import { plan } from './plan/command.js'
import { refused } from './refused/command.js'
import { columns, complain, EX_USAGE, packageVersion } from './command-line.js'
import { nearest } from './nearest.js'

/** The words after `mobile-tracker`, and what each does. @type {Record<string, (words: string[]) => Promise<number>>} */
const COMMANDS = { collect, doctor, plan, refused, replay }

/** The product's name, which is this command's too. */
const NAME = 'mobile-tracker'

const HELP = `Usage: mobile-tracker <command> [options]

Commands:
${columns([
    [COLLECT.name, 'run a local backend that shows and checks what it receives'],
    [DOCTOR.name, 'say why an event does not arrive'],
    ['plan', 'check a plan of events, and make typed calls from it'],
    ['refused', 'show, send again or remove what a server has refused'],
    [REPLAY.name, 'send again what a collector has recorded'],
])}

Options:
${columns([['--help', 'show this, or after a command that command\'s help'], ['--version', 'show the version']])}

Examples:
  mobile-tracker collect
      shows what your program sends: point apiUrl at http://127.0.0.1:8123
  mobile-tracker doctor --api-url https://api.example.com
      checks the host, the queues and the server
  mobile-tracker collect --help
      says what a command can do
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
    if (word === 'help' && Object.hasOwn(COMMANDS, rest[0])) return COMMANDS[rest[0]](['--help'])
    if (word === '--help' || word === '-h' || word === 'help') return print(HELP)
    if (word === '--version' || word === '-v') return print(`${NAME} ${packageVersion()}\n`)
    return complain(`${unknown(word)} Try mobile-tracker --help.`, EX_USAGE)
}

function unknown(word) {
    if (word === undefined) return 'There is no command.'
    const near = nearest(word, Object.keys(COMMANDS))
    return near ? `There is no command "${word}"; did you mean ${near}?` : `There is no command "${word}".`
}

function print(text) {
    process.stdout.write(text)
    return 0
}
