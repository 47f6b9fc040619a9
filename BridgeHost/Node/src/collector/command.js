import { closeSync, existsSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { PlanInference } from '../plan/infer.js'
import { PlanError } from '../plan/plan.js'
import { readPlan } from '../plan/read.js'
import { columns, CommandError, counted, duration, FAILURE, runCommand, UsageError, wholeNumber, writing } from '../command-line.js'
import { API_NAMES } from './apis/layouts.js'
import { awaitExpectations, readExpectations, verdictText } from './assert.js'
import { openBrowser } from './browser.js'
import { ACTIONS, FaultError, OPTION_HELP } from './faults/item.js'
import { startCollector } from './index.js'
import { apiNamed, isLoopback, USUAL } from './options.js'
import { Printer } from './printer.js'
import { Recording } from './recording.js'
import { BASIC_PATHS, KINDS } from './routes.js'
import { runningCollector } from './running.js'

const LARGEST_BODY = 256 * 1024 * 1024
const LONGEST_TIMEOUT_MS = 3_600_000

/** @type {import('../command-line.js').CommandSpec} */
export const COLLECT = {
    name: 'collect',
    about: `Runs a local backend on 127.0.0.1 that speaks every endpoint of the trackers and of each API, checks each request, and
says what is wrong with it. Point apiUrl, ingestionHost or endpoint at the address it prints.`,
    options: {
        port: { value: 'n', help: 'where to listen; 0 takes any free port', fallback: '8123' },
        host: {
            value: 'address',
            help: 'listen at this address, so that other machines can send here',
            fallback: USUAL.host,
        },
        open: { help: 'show the live page in your browser' },
        api: { value: 'name', help: `take any request but this API's for a problem: ${API_NAMES.join(', ')}` },
        strict: { help: 'answer 422 (a vendor\'s API: 400) to a request with problems, instead of 2xx' },
        'basic-path': {
            value: 'path', many: true,
            help: `where the basic client's events go, instead of ${BASIC_PATHS.join(' and ')}; may be given several times`,
        },
        'any-path': { help: 'take a POST to any other path as the basic client\'s, instead of answering 404' },
        faults: { value: 'script', help: 'start with a fault script' },
        assert: {
            value: 'file',
            help: 'end with status 0 once what the file expects has come, or with 1 and the differences',
        },
        timeout: { value: 'time', help: 'how long --assert waits, such as 10, 10s or 500ms', fallback: '10' },
        record: { value: 'file', help: 'write each request to this file, for mobile-tracker replay; keys are masked' },
        plan: {
            value: 'file',
            help: 'check each call against this plan; see mobile-tracker plan --help',
        },
        'infer-plan': { value: 'file', help: 'write a plan from what came, when the collector ends' },
        json: { help: 'print JSON, one object a line; the first has the url' },
        quiet: { help: 'print no line per request' },
        'max-bytes': {
            value: 'n',
            help: 'memory for kept requests; the oldest are forgotten first',
            fallback: String(USUAL.maxBytes),
        },
        'max-body-bytes': { value: 'n', help: 'the largest body', fallback: String(USUAL.maxBodyBytes) },
        'until-stdin-ends': {
            help: 'end when standard input does, so that it never outlives the program that started it',
        },
    },
    more: `While it runs:
  GET  /           the live page, in a browser
  GET  /received   what came, as JSON. Filters: kind, type, name, user, session, test, status, since=<seq>, and
                   accepted, repeats, problems (true, false or any); last=<n> gives the newest n
  GET  /wait       the same, once count=<n> have come (or requests=<n>), or after timeout=<seconds> with status 408
  POST /clear      forget what came
  GET  /faults     what is left of the fault script; POST sets it (?append=true adds to it), DELETE clears it
  GET  /accounts   the last account of each client with collectorPanel: true, compared with what came
  The kinds are ${KINDS.join(', ')}.
  A run of tests has a name of its own: the header X-Test-Id, or a base path such as
  http://127.0.0.1:8123/test/run-7. Runs share neither keys nor numbers; test=run-7 asks for one of them.

A file for --assert is a list such as  [{"name": "PURCHASE", "data": {"total": 149.99}, "count": 1}]
An expectation may name kind, type, name, user, session, test, data (members that are not named do not matter)
and count (1; or {"least": 1, "most": 3}; 0 forbids). The whole may also be an object:
{"expect": [...], "inOrder": true, "nothingElse": true, "allowProblems": true}

A fault script is a list such as  500×3, 429:retry-after=2, delay=200, drop-after, 413-above=1000
Each request uses up one time of the first instruction that applies to it. An instruction is a status or
${columns(Object.entries(ACTIONS))}
how often (×3, x3, *3, ×always), and options:
${columns(OPTION_HELP.map(([name, help]) => [`:${name}=`, help]))}`,
    examples: [
        ['', 'listens on port 8123 and prints what comes'],
        ['--faults \'500×3, 429:retry-after=2\'', 'fails three times, then asks to wait, then works'],
        [
            '--assert expectations.json --timeout 10',
            'for CI: waits up to 10 s for what the file expects, and says what is different',
        ],
        ['--infer-plan plan.json', 'writes which calls came and what was in them; then check with --plan plan.json'],
        ['--record run.jsonl', 'keeps what comes; mobile-tracker replay run.jsonl --to URL sends it again'],
        ['--api segment --strict', 'answers as Segment does, and 400 to anything that Segment would not take'],
        ['--strict --json --port 0 --until-stdin-ends', 'for a test that starts it and reads its output'],
    ],
}

/**
 * Runs `mobile-tracker collect` until a signal or its input ends it.
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
            if (error instanceof UsageError || error instanceof CommandError) throw error
            if (error instanceof FaultError) throw new UsageError(error.message)
            throw new CommandError(await reasonOf(error, settings))
        }
    })
}

async function run(settings, options) {
    const expectations = options.assert === undefined ? null : readExpectations(options.assert)
    const timeoutMs = duration('timeout', options.timeout, LONGEST_TIMEOUT_MS)
    const inference = options['infer-plan'] === undefined ? null : startInference(options['infer-plan'])
    const printer = new Printer(process.stdout, options)
    const ended = endOfRun(options['until-stdin-ends'])
    const collector = await startCollector(settings)
    // Only now: where a collector runs already, the file may be that one's.
    const recording = options.record === undefined ? null : await openRecording(options.record, collector)
    if (!isLoopback(settings.host)) warnOfHost(collector, settings.host)
    printer.started(collector)
    if (options.open) openBrowser(collector.url, (reason) => process.stderr.write(`mobile-tracker: No browser could be opened: ${reason}. Open ${collector.url} yourself.\n`))
    collector.listen((record) => {
        printer.received(record)
        recording?.add(record)
        inference?.add(record)
    })
    collector.onForeign((reason) => printer.foreign(reason))
    const verdict = expectations && await awaitExpectations(collector, expectations, { timeoutMs, ended })
    if (!verdict) await ended
    await collector.close()
    await recording?.close()
    if (verdict) printer.judged(verdict, (stream) => verdictText(verdict, stream))
    await printer.ended(collector.totals())
    if (inference) writePlan(options['infer-plan'], inference)
    if (recording?.failure) throw new CommandError(`The recording is not complete: ${recording.failure.message}.`)
    return verdict?.isMet === false ? FAILURE : 0
}

function startInference(path) {
    if (existsSync(path)) {
        throw new UsageError(`${path} is there already. Give another name to --infer-plan, or remove it.`)
    }
    // A file that cannot be written is said now: in the end what came would be lost.
    writing(path, () => closeSync(openSync(path, 'wx')))
    rmSync(path)
    return new PlanInference()
}

function writePlan(path, inference) {
    writing(path, () => writeFileSync(path, inference.toText()))
    const screens = inference.screens > 0 ? ` and ${counted(inference.screens, 'screen')}` : ''
    process.stderr.write(`mobile-tracker: Wrote a plan of ${counted(inference.size, 'event')}${screens} to ${path}.\n`)
}

/** Opens the recording of a collector, which ends if it cannot be written. */
async function openRecording(path, collector) {
    try {
        return writing(path, () => new Recording(path))
    } catch (error) {
        await collector.close()
        throw error
    }
}

function warnOfHost({ port }, host) {
    process.stderr.write(`mobile-tracker: Warning: with --host ${host} every machine that reaches port ${port} can send events here, `
        + 'read what came and change the fault script. Use it in a network you trust.\n')
}

/** Resolves when the process is asked to end. */
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
        api: options.api === undefined ? null : apiNamed(options.api),
        strict: options.strict ?? false,
        faults: options.faults ?? [],
        plan: options.plan === undefined ? null : planAt(options.plan),
        basicPaths: basicPaths.length > 0 ? basicPaths : BASIC_PATHS,
        anyPath: options['any-path'] ?? false,
        maxBytes: wholeNumber('max-bytes', options['max-bytes'], 1, Number.MAX_SAFE_INTEGER),
        maxBodyBytes: wholeNumber('max-body-bytes', options['max-body-bytes'], 1, LARGEST_BODY),
    }
}

function planAt(path) {
    try {
        return readPlan(path)
    } catch (error) {
        if (error instanceof PlanError) throw new UsageError(`${path} cannot be used. ${error.message}`)
        throw error
    }
}

async function reasonOf({ code, message }, { port, host }) {
    if (code === 'EADDRINUSE') {
        const running = await runningCollector({ host, port })
        const user = running === null ? '' : `: a collector runs there already, at ${running}. Use that one`
        return `Port ${port} is in use${user}${running === null ? '. Give' : ', or give'} another with --port, or --port 0 for any free one.`
    }
    if (code === 'EACCES') return `Port ${port} needs rights that this user lacks. Give another with --port.`
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
        return `This machine has no address ${host}. Give another with --host.`
    }
    return `The collector cannot start: ${message}`
}
