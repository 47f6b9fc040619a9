import { parseArgs } from 'node:util'
import { ACTIONS, FaultError, OPTION_HELP } from './faults/item.js'
import { startCollector, USUAL } from './index.js'
import { Printer } from './printer.js'
import { KINDS } from './routes.js'

const USAGE = 64
const FAILURE = 1

const OPTIONS = {
    port: { type: 'string', default: '8123' },
    strict: { type: 'boolean', default: false },
    faults: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
    'max-bytes': { type: 'string', default: String(USUAL.maxBytes) },
    'max-body-bytes': { type: 'string', default: String(USUAL.maxBodyBytes) },
    'until-stdin-ends': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
}

const table = (rows) => rows.map(([word, meaning]) => `    ${word.padEnd(14)}${meaning}`).join('\n')

const HELP = `Usage: mobile-tracker collect [options]

Runs a local backend on 127.0.0.1 that speaks every endpoint of the trackers, checks each request, and says what is
wrong with it. Point apiUrl, ingestionHost or endpoint at the address it prints.

Options:
  --port <n>            where to listen; 0 takes any free port (${OPTIONS.port.default})
  --strict              answer 422 to a request with problems, instead of 2xx
  --faults <script>     begin with a fault script
  --json                print JSON, one object a line; the first has the url
  --quiet               print no line per request
  --max-bytes <n>       memory for kept requests; the oldest are forgotten first (${USUAL.maxBytes})
  --max-body-bytes <n>  the largest body (${USUAL.maxBodyBytes})
  --until-stdin-ends    end when standard input does, so that it never outlives the program that started it
  --help                show this

While it runs:
  GET  /received   what came, as JSON. Filters: kind, type, name, user, session, status, since=<seq>, and
                   accepted, repeats, problems (true, false or any); last=<n> gives the newest n
  GET  /wait       the same, once count=<n> have come (or requests=<n>), or after timeout=<seconds> with status 408
  POST /clear      forget what came
  GET  /faults     what is left of the fault script; POST sets it (?append=true adds to it), DELETE clears it
  GET  /accounts   how each client that has collectorPanel: true says it stands, compared with what came
  The kinds are ${KINDS.join(', ')}.

A fault script is a list such as  500×3, 429:retry-after=2, delay=200, drop-after, 413-above=1000
Each request uses up one time of the first instruction that applies to it. An instruction is a status or
${table(Object.entries(ACTIONS))}
how often (×3, x3, *3, ×always), and options:
${table(OPTION_HELP.map(([name, help]) => [`:${name}=`, help]))}
`

/**
 * Runs `mobile-tracker collect` until it is told to end.
 *
 * @param {string[]} words
 * @returns {Promise<number>} The exit status.
 */
export async function collect(words) {
    let options
    try {
        options = optionsFrom(words)
    } catch (error) {
        return fail(`${error.message} Try mobile-tracker collect --help.`, USAGE)
    }
    if (options.help) {
        process.stdout.write(HELP)
        return 0
    }
    try {
        return await run(options)
    } catch (error) {
        if (error instanceof FaultError) return fail(error.message, USAGE)
        return fail(reasonOf(error, options.port), FAILURE)
    }
}

async function run(options) {
    const printer = new Printer(process.stdout, options)
    const ended = endOfRun(options['until-stdin-ends'])
    const { port, strict, faults, maxBytes, maxBodyBytes } = options
    const collector = await startCollector({ port, strict, faults, maxBytes, maxBodyBytes })
    printer.started(collector)
    collector.listen((record) => printer.received(record))
    await ended
    await collector.close()
    await printer.ended(collector.totals())
    return 0
}

/** Settles when the process is asked to end. */
function endOfRun(withStdin) {
    return new Promise((resolve) => {
        process.once('SIGINT', resolve)
        process.once('SIGTERM', resolve)
        if (withStdin) process.stdin.once('end', resolve).once('close', resolve).resume()
    })
}

function optionsFrom(words) {
    const { values } = parseArgs({ args: words, options: OPTIONS, strict: true, allowPositionals: false })
    return {
        ...values,
        port: wholeNumber('port', values.port, 0, 65_535),
        maxBytes: wholeNumber('max-bytes', values['max-bytes'], 1, Number.MAX_SAFE_INTEGER),
        maxBodyBytes: wholeNumber('max-body-bytes', values['max-body-bytes'], 1, 256 * 1024 * 1024),
    }
}

function wholeNumber(name, text, least, most) {
    const number = /^\d{1,16}$/.test(text) ? Number(text) : NaN
    if (number >= least && number <= most) return number
    throw new Error(`--${name} is "${text}"; it must be a whole number from ${least} to ${most}.`)
}

function reasonOf(error, port) {
    if (error.code === 'EADDRINUSE') return `Port ${port} is in use. Give another with --port, or --port 0 for any free one.`
    if (error.code === 'EACCES') return `Port ${port} needs rights that this user lacks. Give another with --port.`
    return `The collector cannot start: ${error.message}`
}

function fail(sentence, status) {
    process.stderr.write(`mobile-tracker: ${sentence}\n`)
    return status
}
