import { createInterface } from 'node:readline/promises'
import { findAgent } from '../client/agent.js'
import { OFF } from '../client/enabled.js'
import { apiNamed } from '../collector/options.js'
import { columns, runCommand, UsageError } from '../command-line.js'
import { examineAgent } from './agent.js'
import { bad, sectionText, summaryText, warning } from './findings.js'
import { examineFolder, standardFolders, standardRoot } from './folder.js'
import { examineHost } from './host.js'
import { baseFrom, examineServer } from './server.js'

/** The variables with the values of options that are left out. */
const VARIABLES = {
    'api-url': 'MOBILE_TRACKER_API_URL',
    key: 'MOBILE_TRACKER_KEY',
    'storage-dir': 'MOBILE_TRACKER_STORAGE_DIR',
    agent: 'MOBILE_TRACKER_AGENT',
}

const LARGEST_BRAND = 2n ** 63n - 1n

/** The variable that turns all clients off. */
const SWITCH = 'MOBILE_TRACKER_ENABLED'

/** @type {import('../command-line.js').CommandSpec} */
export const DOCTOR = {
    name: 'doctor',
    about: `Says why an event does not arrive: checks the host, the state folder and, with an address, the server.
If the program uses an agent, that is checked instead of a host.
It changes nothing. Ends with 1 if something is wrong (✘).`,
    options: {
        'storage-dir': {
            value: 'dir',
            help: 'the state folder to check, instead of those of all programs of this user',
        },
        agent: {
            value: 'path',
            help: 'the socket of the agent that the program uses, or auto: whether it answers, who may connect, what waits in it',
        },
        'api-url': {
            value: 'url',
            help: 'the server: name lookup, TLS, round trip, clock, and an empty batch to /v1/batch',
        },
        key: {
            value: 'key',
            help: 'its X-API-Key: sends a request about a session that does not exist, which changes nothing',
        },
        api: {
            value: 'name',
            help: `what AnalyticsClient's option api says, if it is not metaRouter: an empty batch goes there instead of to /v1/batch`,
        },
        session: { value: 'brand', help: 'make a session for this brand, to be sure of the key; asks first' },
        yes: { help: 'do not ask before making a session' },
        ca: { value: 'file', help: 'certificates to trust, as caBundle' },
        json: { help: 'print JSON' },
    },
    more: `Without an option, the environment gives its value, as it does for the clients:
${columns(Object.entries(VARIABLES).map(([option, name]) => [name, `--${option}`]))}
Prefer the variable for the key: other users of the machine can read command lines.
It reads ${SWITCH} too, and the variables of proxies, as the clients do.

The server's lines name the client whose requests were tried: those that have a queue, or all if there is none.
BasicTracker's endpoint is not tried: it takes every request for an event.`,
    examples: [
        ['', 'checks the host and what waits in the queues of this user\'s programs'],
        [
            '--storage-dir ./state --api-url https://api.example.com',
            'checks one program\'s state and its server, with the key in MOBILE_TRACKER_KEY',
        ],
        ['--api-url https://api.example.com --session 925', 'makes a session too'],
        ['--agent /run/mobile-tracker/agent.sock', 'checks the agent of this machine and what waits in its queues'],
    ],
}

/** Runs `mobile-tracker doctor`. @param {string[]} words @returns {Promise<number>} The exit status. */
export function doctor(words) {
    return runCommand(DOCTOR, words, async (options) => {
        const base = baseOf(options)
        if (!base && (options.key ?? options.api ?? options.session ?? options.ca) !== undefined) {
            throw new UsageError(`--key, --api, --session and --ca need --api-url or ${VARIABLES['api-url']}.`)
        }
        const key = valueOf('key', options)
        const api = options.api === undefined ? undefined : apiNamed(options.api)
        if (options.session !== undefined) requireBrand(options.session, key)
        const isAllowed = options.session === undefined || options.yes || (await isAgreed(base, options.session))

        const sections = []
        const add = (section) => {
            sections.push(section)
            if (!options.json) process.stdout.write(sectionText(section, process.stdout))
        }
        const addFirst = (section) => {
            if (sections.length === 0) section.findings.push(...switchFindings(process.env[SWITCH]))
            add(section)
        }
        const agent = findAgent(options.agent)
        const examinedAgent = agent && await examineAgent(agent)
        if (agent) addFirst(examinedAgent.section)
        const hasHost = !agent || (agent.isOptional && examinedAgent.isAbsent)
        const folders = foldersOf(options, hasHost)
        // An agent serves without a host here; what reads a folder is the host.
        let host = null
        if (hasHost || folders.length > 0) {
            const examined = examineHost()
            host = examined.path
            addFirst(examined.section)
        }
        const lanes = []
        const variable = options['storage-dir'] === undefined ? variableOf('storage-dir') : undefined
        for (const folder of folders) {
            const examined = examineFolder(folder, host, variable)
            add(examined.section)
            lanes.push(...examined.lanes)
        }
        if (hasHost && folders.length === 0) add(noFolder(standardRoot()))
        if (base) {
            add(
                await examineServer(
                    base,
                    { key, api, ca: options.ca, brand: isAllowed ? options.session : undefined, lanes },
                ),
            )
        }

        const findings = sections.flatMap((each) => each.findings)
        const isWell = findings.every(({ level }) => level !== 'bad')
        process.stdout.write(
            options.json
                ? `${JSON.stringify({ ok: isWell, sections }, null, 2)}\n`
                : summaryText(findings, process.stdout),
        )
        return isWell ? 0 : 1
    })
}

/** What the variable that turns all clients off says. */
function switchFindings(text) {
    const word = text?.toLowerCase()
    if (!word || ['true', '1', 'yes', 'on'].includes(word)) return []
    if (OFF.includes(word)) {
        return [bad(
            `${SWITCH} is ${word}: nothing is stored or sent, and calls are dropped as DISABLED`,
            `Unset ${SWITCH}, or give the clients enabled: true. The program may have another environment than the doctor.`,
        )]
    }
    return [bad(`${SWITCH} is "${text.slice(0, 20)}", and every init fails`, 'Set it to true or false, or unset it.')]
}

/** What an option is, or its variable. An empty variable counts as unset. */
function valueOf(option, options) {
    return options[option] ?? (process.env[VARIABLES[option]] || undefined)
}

/** The variable of an option, if it is set. */
function variableOf(option) {
    return process.env[VARIABLES[option]] ? VARIABLES[option] : undefined
}

function baseOf(options) {
    const address = valueOf('api-url', options)
    if (address === undefined) return null
    return baseFrom(address, options['api-url'] === undefined ? VARIABLES['api-url'] : '--api-url')
}

/** The folders to check. Those of all programs of this user say nothing of an agent, which may be another user's. */
function foldersOf(options, hasHost) {
    const named = valueOf('storage-dir', options)
    return named !== undefined ? [named] : hasHost ? standardFolders() : []
}

/** The finding where there is no folder to check. @param {string | null} root */
function noFolder(root) {
    const advice = 'If yours has its own storageDirectory, give it with --storage-dir.'
    return {
        title: 'State folder',
        of: root ?? '',
        findings: [
            root === null
                ? warning('This user has no home folder: a program must name its storageDirectory', advice)
                : warning('No program of this user has tracked anything yet', advice),
        ],
    }
}

function requireBrand(session, key) {
    if (key === undefined) throw new UsageError(`--session needs --key or ${VARIABLES.key}.`)
    if (!/^\d+$/.test(session) || BigInt(session) > LARGEST_BRAND) {
        throw new UsageError(`--session is "${session}"; it must be a brand id such as 925.`)
    }
}

async function isAgreed(base, brand) {
    if (!process.stdin.isTTY || !process.stderr.isTTY) {
        process.stderr.write(
            'mobile-tracker: --session makes a session on the server; give --yes to agree. '
                + 'Without --session the doctor checks the key without making one.\n',
        )
        return false
    }
    const terminal = createInterface({ input: process.stdin, output: process.stderr })
    const answer = await terminal.question(`This makes a session for brand ${brand} at ${base.origin}. Go on? [y/N] `)
    terminal.close()
    return /^y(es)?$/i.test(answer.trim())
}
