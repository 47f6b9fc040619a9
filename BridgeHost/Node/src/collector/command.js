import { columns, CommandError, runCommand, UsageError, wholeNumber } from '../command-line.js'
import { ACTIONS, FaultError, OPTION_HELP } from './faults/item.js'
import { isLoopback, startCollector, USUAL } from './index.js'
import { Printer } from './printer.js'
import { BASIC_PATHS, KINDS } from './routes.js'

const LARGEST_BODY = 256 * 1024 * 1024

/** @type {import('../command-line.js').CommandSpec} */
export const COLLECT = {
    name: 'collect',
    about: `Runs a local backend on 127.0.0.1 that speaks every endpoint of the trackers, checks each request, and says what is
wrong with it. Point apiUrl, ingestionHost or endpoint at the address it prints.`,
    options: {
        port: { value: 'n', help: 'where to listen; 0 takes any free port', fallback: '8123' },
        host: { value: 'address', help: 'listen at this address, so that other machines can send here', fallback: USUAL.host },
        strict: { help: 'answer 422 to a request with problems, instead of 2xx' },
        'basic-path': {
            value: 'path', many: true,
            help: `where the basic client's events go, instead of ${BASIC_PATHS.join(' and ')}; may be given several times`,
        },
        'any-path': { help: 'take a POST to any other path as the basic client\'s, instead of answering 404' },
        faults: { value: 'script', help: 'begin with a fault script' },
        json: { help: 'print JSON, one object a line; the first has the url' },
        quiet: { help: 'print no line per request' },
        'max-bytes': { value: 'n', help: 'memory for kept requests; the oldest are forgotten first', fallback: String(USUAL.maxBytes) },
        'max-body-bytes': { value: 'n', help: 'the largest body', fallback: String(USUAL.maxBodyBytes) },
        'until-stdin-ends': { help: 'end when standard input does, so that it never outlives the program that started it' },
    },
    more: `While it runs:
  GET  /received   what came, as JSON. Filters: kind, type, name, user, session, status, since=<seq>, and
                   accepted, repeats, problems (true, false or any); last=<n> gives the newest n
  GET  /wait       the same, once count=<n> have come (or requests=<n>), or after timeout=<seconds> with status 408
  POST /clear      forget what came
  GET  /faults     what is left of the fault script; POST sets it (?append=true adds to it), DELETE clears it
  GET  /accounts   how each client that has collectorPanel: true says it stands, compared with what came
  The kinds are ${KINDS.join(', ')}.

A fault script is a list such as  500×3, 429:retry-after=2, delay=200, drop-after, 413-above=1000
Each request uses up one time of the first instruction that applies to it. An instruction is a status or
${columns(Object.entries(ACTIONS))}
how often (×3, x3, *3, ×always), and options:
${columns(OPTION_HELP.map(([name, help]) => [`:${name}=`, help]))}`,
    examples: [
        ['', 'listens on port 8123 and prints what comes'],
        ['--faults \'500×3, 429:retry-after=2\'', 'fails three times, then asks to wait, then works'],
        ['--strict --json --port 0 --until-stdin-ends', 'for a test that starts it and reads its output'],
    ],
}

/**
 * Runs `mobile-tracker collect` until it is told to end.
 *
 * @param {string[]} words
 * @returns {Promise<number>} The exit status.
 */
export function collect(words) {
    return runCommand(COLLECT, words, async (options) => {
        const settings = settingsFrom(options)
        try {
            return await run(settings, options)
        } catch (error) {
            if (error instanceof FaultError) throw new UsageError(error.message)
            throw new CommandError(reasonOf(error, settings))
        }
    })
}

async function run(settings, options) {
    const printer = new Printer(process.stdout, options)
    const ended = endOfRun(options['until-stdin-ends'])
    const collector = await startCollector(settings)
    if (!isLoopback(settings.host)) warnOfHost(collector, settings.host)
    printer.started(collector)
    collector.listen((record) => printer.received(record))
    await ended
    await collector.close()
    await printer.ended(collector.totals())
    return 0
}

function warnOfHost({ port }, host) {
    process.stderr.write(`mobile-tracker: Warning: with --host ${host} every machine that reaches port ${port} can send events here, `
        + 'read what came and change the fault script. Use it in a network you trust.\n')
}

/** Settles when the process is asked to end. */
function endOfRun(withStdin) {
    return new Promise((resolve) => {
        process.once('SIGINT', resolve)
        process.once('SIGTERM', resolve)
        if (withStdin) process.stdin.once('end', resolve).once('close', resolve).resume()
    })
}

function settingsFrom(options) {
    const basicPaths = options['basic-path']
    const bare = basicPaths.find((path) => !path.startsWith('/'))
    if (bare !== undefined) throw new UsageError(`--basic-path is "${bare}"; it must begin with a slash.`)
    return {
        port: wholeNumber('port', options.port, 0, 65_535),
        host: options.host,
        strict: options.strict ?? false,
        faults: options.faults ?? [],
        basicPaths: basicPaths.length > 0 ? basicPaths : BASIC_PATHS,
        anyPath: options['any-path'] ?? false,
        maxBytes: wholeNumber('max-bytes', options['max-bytes'], 1, Number.MAX_SAFE_INTEGER),
        maxBodyBytes: wholeNumber('max-body-bytes', options['max-body-bytes'], 1, LARGEST_BODY),
    }
}

function reasonOf({ code, message }, { port, host }) {
    if (code === 'EADDRINUSE') return `Port ${port} is in use. Give another with --port, or --port 0 for any free one.`
    if (code === 'EACCES') return `Port ${port} needs rights that this user lacks. Give another with --port.`
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') return `This machine has no address ${host}. Give another with --host.`
    return `The collector cannot start: ${message}`
}
