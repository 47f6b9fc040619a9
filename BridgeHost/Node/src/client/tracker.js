import { findAgent, ignoredArguments } from './agent.js'
import { appName } from './app-name.js'
import { described, MobileTrackerError } from './errors.js'
import { atExit, notAtExit } from './exit.js'
import { clientText, sentenceOf } from './fault.js'
import { HOOKS, Hooks } from './hooks.js'
import { HostLink } from './host-link.js'
import { NotificationListeners } from './notification-listeners.js'
import { NONE_OFF, OffClients } from './off.js'
import { Output } from './output.js'
import { warnOfUnknown, writeMembers } from './params.js'
import { scopeRunner } from './scope.js'
import { followScreens } from './screens.js'
import { makeFunctions } from './surface.js'
import { Warnings } from './warnings.js'

/** How long the program's end may wait for events that are not sent yet. */
const EXIT_FLUSH_MS = 5000

const TEXT = { isRight: isText, expected: 'string' }

/** What the options must be. */
const RULES = {
    hostPath: TEXT,
    hostArguments: { isRight: (list) => Array.isArray(list) && list.every(isText), expected: 'strings' },
    agent: { isRight: (value) => value === false || isText(value) && value !== '', expected: 'socket' },
    stderr: { isRight: (value) => ['inherit', 'ignore'].includes(value), expected: ['inherit', 'ignore'] },
    appName: TEXT,
    ...HOOKS,
}

/** The names of the options. */
const OPTIONS = [...Object.keys(RULES), 'warnings', 'collectorPanel']

/**
 * Makes a tracker with a host of its own. The first call starts the host.
 *
 * @param {import('./index.cjs').TrackerOptions} [options]
 */
export const createTracker = (options) => openTracker(options).tracker

/**
 * Makes a tracker, the functions of the host's recorder, which only a host for tests has, what warns, and what ends that
 * host: the tracker itself ends its clients there, and the recorder goes on.
 *
 * @param {import('./index.cjs').TrackerOptions} [options]
 * @param {{ onReady?: () => void, run?: string }} [own] As of `HostLink`.
 */
export function openTracker(options = {}, { onReady, run } = {}) {
    checkOptions(options)
    const {
        hostPath, hostArguments = [], agent, stderr = 'inherit', warnings: isWarning = true, appName: program,
        collectorPanel = process.env.MOBILE_TRACKER_COLLECTOR_PANEL === '1', logger, beforeSend, convert, credentials,
    } = options
    const output = new Output({ warnings: isWarning, stderr: stderr === 'inherit' })
    if (logger) output.use(logger)
    const { warn } = output
    warnOfUnknown(options, OPTIONS, (message) => warn(`createTracker: ${message}.`))
    const ignored = ignoredArguments(findAgent(agent), hostArguments)
    if (ignored) warn(`createTracker: ${ignored}`)
    const isTest = hostArguments.includes('--record')
    const off = isTest ? NONE_OFF : new OffClients()
    const listeners = new NotificationListeners({ subscribe: (topic) => link.subscribe(topic, !off.isAll), warn })
    const link = new HostLink({
        hostPath,
        agent,
        run,
        folder: workingFolder(),
        hostArguments: () => [
            ...withName(hostArguments, program), '--log-format', 'json', ...collectorPanel ? ['--collector-panel'] : [],
        ],
        onStderr: output.passOn,
        onNotification: (notification) => listeners.receive(notification),
        onReady,
        onLateCall: () => exit.report(),
        warn,
    })
    const warnings = new Warnings(warn, () => link.isBusy)
    const exit = flushAtExit(link, warnings, warn)
    const end = () => {
        off.clear()
        const ended = hooks.end()
        return (isTest && link.isRunning ? record.shutdown() : link.shutdown()).then(() => {
            ended()
            warnings.finish()
            exit.unused()
        })
    }
    const ask = once(() => listeners.on('credentials', (question) => answerWith(hooks, clients, question, warn)))
    const hooks = new Hooks({ ofAll: { beforeSend, convert, credentials }, useLogger: (own) => output.use(own), ask })
    const observer = { warnings, used: exit.used, hooks, off }
    const clients = Object.fromEntries(
        ['', 'analytics.', 'basic.'].map((prefix) => [prefix, makeFunctions(prefix, link, observer)]))
    const tracker = {
        ...clients[''],
        analytics: { ...clients['analytics.'], with: scopeRunner(writeMembers, link, observer) },
        basic: clients['basic.'],
        refused: makeFunctions('refused.', link, observer),
        host: makeFunctions('host.', link, observer),
        on: (event, listener) => listeners.on(event, listener),
        trackScreens: screenFollower(link, observer, warn),
        shutdown: end,
        close: end,
    }
    const record = makeFunctions('record.', link, observer)
    return { tracker, record, warn, endHost: () => link.shutdown() }
}

/** The working directory, from which relative paths lead also after the program has changed it; undefined if it is gone. */
function workingFolder() {
    try {
        return process.cwd()
    } catch {
        return undefined
    }
}

/** Checks options now: they are used only with the first call. */
function checkOptions(options) {
    if (typeof options !== 'object' || options === null) throw new TypeError('createTracker: the options must be an object.')
    for (const [option, { isRight, ...facts }] of Object.entries(RULES)) {
        if (options[option] === undefined || isRight(options[option])) continue
        throw new TypeError(`createTracker: ${sentenceOf('wrongKind', { option, ...facts })}.`)
    }
}

function isText(value) {
    return typeof value === 'string'
}

/** Has the program's function answer a question of the host for credentials. */
async function answerWith(hooks, clients, { client }, warn) {
    const prefix = client === 'tracker' ? '' : `${client}.`
    const credentials = hooks.credentialsOf(prefix)
    if (!credentials) return
    try {
        const given = await credentials(client)
        if (typeof given === 'string') throw new MobileTrackerError('INVALID_PARAMS', 'it must return an object such as { key }, and no text.')
        await clients[prefix].setCredentials({ ...given })
    } catch (error) {
        const why = error instanceof MobileTrackerError ? error.message : clientText('credentialsFailed', { error: described(error) })
        warn(clientText('noCredentials', { client, why }))
    }
}

/** Does something at the first call alone. */
function once(action) {
    let isDone = false
    return () => {
        if (!isDone) action()
        isDone = true
    }
}

/** The arguments of the host, with the program's name. */
function withName(hostArguments, program = appName()) {
    const isNamed = hostArguments.some((argument) => /^--app-name(=|$)/.test(argument))
    return isNamed || !program ? hostArguments : [...hostArguments, '--app-name', program]
}

/** Follows screens. A screen that is shown twice in a row is no warning. */
function screenFollower(link, { warnings, used, hooks, off }, warn) {
    const quiet = {
        warn: (message) => warnings.warn(message),
        dropped: (drop) => void (drop.reason === 'REPEATED_SCREEN' || warnings.dropped(drop)),
        failed: (drop) => warnings.failed(drop),
        accepted: (method) => warnings.accepted(method),
    }
    const { screenDidAppear } = makeFunctions('', link, { warnings: quiet, used, hooks, off })
    return (webContents, options = {}) => {
        warnOfUnknown(options, ['titleWaitMs'], (message) => warn(`trackScreens: ${message}.`))
        return followScreens(webContents, screenDidAppear, options)
    }
}

/** Sends what is left before the program ends. Repeats this only if calls were made since. */
function flushAtExit(link, warnings, warn) {
    let isUsed = false
    let isKnown = false
    let reported = 0
    /** Says how many calls are lost because the program ends now. */
    const report = () => {
        const count = link.unwritten - reported
        if (count <= 0) return
        reported += count
        const one = count === 1 ? '' : undefined
        warn(clientText('lostAtEnd', { unsent: '', one, calls: count }))
    }
    const exitHooks = {
        beforeExit() {
            if (link.isSilent) return link.abandon()
            if (!isUsed || !link.isRunning || link.isAway) return
            isUsed = false
            // These calls keep the program alive. Nobody uses their results.
            link.flush({ timeoutMs: EXIT_FLUSH_MS })
        },
        exit() {
            warnings.finish()
            link.flushWrites()
            report()
        },
    }
    return {
        report,
        used() {
            isUsed = true
            if (!isKnown) atExit(exitHooks)
            isKnown = true
        },
        /** Lets go of a tracker without calls, which would stay until the program's end. */
        unused() {
            if (link.isBusy || link.isRunning) return
            notAtExit(exitHooks)
            isKnown = false
        },
    }
}
