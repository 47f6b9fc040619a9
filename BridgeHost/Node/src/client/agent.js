import { existsSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { clientText } from './fault.js'

/** What an agent is called at the places where one is looked for. */
const SOCKET = join('mobile-tracker', 'agent.sock')

/**
 * Where the agent of this machine is.
 *
 * @typedef {object} Agent
 * @property {string} path Its socket.
 * @property {boolean} isOptional Whether a host is started where none listens.
 * @property {string[]} [others] Where to look next if none listens.
 */

/**
 * Says which agent to connect to: that of the option, else that of `MOBILE_TRACKER_AGENT`. `auto` is the usual places,
 * and a host of the program's own where none listens.
 *
 * @param {string | false | undefined} option False: none, whatever the variable says.
 * @param {NodeJS.ProcessEnv} [env]
 * @param {string} [folder] From where a relative path leads; the working directory if left out.
 * @param {string} [run] The folder for what runs on this machine.
 * @returns {Agent | null} Null if the program has a host of its own.
 */
export function findAgent(option, env = process.env, folder = '', run = '/run') {
    if (option === false) return null
    const name = option ?? env.MOBILE_TRACKER_AGENT
    if (!name) return null
    if (name !== 'auto') return { path: resolve(folder, name), isOptional: false }
    const machine = join(run, SOCKET)
    const own = env.XDG_RUNTIME_DIR ? join(env.XDG_RUNTIME_DIR, SOCKET) : ''
    const [path = machine, ...others] = [isOfThisUser(own) && own, existsSync(machine) && machine].filter(Boolean)
    return { path, isOptional: true, others }
}

/**
 * Whether this user has made what is at a path. After `sudo` or `su`, `XDG_RUNTIME_DIR` may be the folder of another user,
 * whose agent is not to get this one's key; if it is closed, nothing is seen in it.
 */
function isOfThisUser(path) {
    try {
        return statSync(path, { throwIfNoEntry: false })?.uid === process.geteuid()
    } catch {
        return false
    }
}

/** Where to look where this one does not listen. @param {Agent} agent @returns {Agent | null} Null if that is nowhere. */
export function nextAgent({ isOptional, others: [path, ...others] = [] }) {
    return path === undefined ? null : { path, isOptional, others }
}

/**
 * Says that a program gives arguments to a host that it does not start.
 *
 * @param {Agent | null} agent
 * @param {string[]} hostArguments
 * @returns {string | null} Null if it may start one.
 */
export function ignoredArguments(agent, hostArguments) {
    if (!agent || agent.isOptional || hostArguments.length === 0) return null
    return clientText('ignoredArguments', { path: agent.path })
}

/** Whether an error says that no agent listens at a path for this user, who may be kept from the folder that it is in. */
export function isAbsence(error, path) {
    return ['ENOENT', 'ECONNREFUSED'].includes(error?.code) || error?.code === 'EACCES' && !existsSync(path)
}

/**
 * Says in a sentence why an agent cannot be used.
 *
 * @param {string} path
 * @param {Error & { code?: string, isFinal?: boolean }} error
 * @returns {string | null} Null if another try may succeed.
 */
export function explainAgent(path, error) {
    switch (error?.code) {
        case 'EACCES':
        case 'EPERM': return clientText('agentForbidden', { path })
        case 'ENOTSOCK':
        case 'EPROTOTYPE': return clientText('notListening', { path })
        case 'ECONNREFUSED': return noSocket(path)
        case 'ENAMETOOLONG': return clientText('longPath', { path })
        default: return error?.isFinal ? clientText('agentRefuses', { path, how: error.message }) : null
    }
}

/** The sentence for a path at which there is something else than a socket; null if there is a socket, or nothing. */
function noSocket(path) {
    const file = statSync(path, { throwIfNoEntry: false })
    if (!file || file.isSocket()) return null
    return clientText('noSocket', { path, folder: file.isDirectory() ? '' : undefined })
}
