import { readFileSync, statSync } from 'node:fs'
import { AgentConnection } from '../client/agent-connection.js'
import { explainAgent, isAbsence, nextAgent } from '../client/agent.js'
import { describeEnd } from '../client/explain.js'
import { checkInfo } from '../client/handshake.js'
import { readMessage } from '../client/messages.js'
import { packageVersion } from '../command-line.js'
import { bad, good, warning } from './findings.js'
import { ageText, CLIENTS, NAMES } from './folder.js'
import { PATIENCE_MS } from './request.js'

/** For how long an event may wait before that is worth a look. */
const LONG_MS = 60_000

/** What is asked. Neither changes anything. */
const QUESTIONS = ['host.info', 'host.metrics']

/**
 * Checks whether an agent answers, who may connect to it, and what waits in its queues.
 *
 * @param {import('../client/agent.js').Agent} agent
 * @returns {Promise<{ isAbsent: boolean, section: import('./findings.js').Section }>} Absent if nothing listens there.
 */
export async function examineAgent(agent) {
    const { path, isOptional } = agent
    const { answers, end } = await askAgent(path)
    const isAbsent = isAbsence(end?.error, path)
    const next = isAbsent && nextAgent(agent)
    if (next) return examineAgent(next)
    const findings = answers ? [...versionOf(answers[0], path), doorOf(path), ...queuesIn(answers[1].text)]
        : isAbsent && isOptional ? [good(`No agent listens there: the program starts a host of its own`)]
            : [unusable(path, end)]
    return { isAbsent, section: { title: 'Agent', of: path, findings } }
}

/**
 * Asks an agent, as a client of its own.
 *
 * @param {string} path
 * @returns {Promise<{ answers?: any[], end?: import('../client/explain.js').HostEnd }>} Its answers, or how the connection
 *   has ended; neither if it does not answer in time.
 */
function askAgent(path) {
    return new Promise((resolve) => {
        const answers = []
        const finish = (result) => {
            clearTimeout(deadline)
            connection.kill()
            resolve(result)
        }
        const deadline = setTimeout(() => finish({}), PATIENCE_MS)
        const connection = new AgentConnection({
            path,
            onEnd: (end) => finish({ end }),
            onLine(line) {
                const message = readMessage(line)
                if (!message?.result) return finish({ end: { how: `it answers ${JSON.stringify(line.slice(0, 80))}` } })
                answers.push(message.result)
                if (answers.length === QUESTIONS.length) finish({ answers })
            },
        })
        connection.keepAlive(true)
        QUESTIONS.forEach((method, id) => connection.send({ text: `${JSON.stringify({ jsonrpc: '2.0', id, method })}\n` }))
    })
}

function unusable(path, end) {
    if (!end) {
        return bad(
            `It takes connections and has not answered for ${PATIENCE_MS / 1000} s`,
            'It was stopped, or its disk does not answer. Calls wait for it.',
        )
    }
    if (end.error?.code === 'ECONNREFUSED' && statSync(path).isSocket()) {
        return bad(
            'Nobody listens at this socket: its agent was killed',
            `Start it again: BridgeHost --listen ${path}. It replaces the socket. Calls wait for it for a minute.`,
        )
    }
    if (end.error?.code === 'ENOENT') {
        return bad(
            'There is no such socket: no agent listens there',
            `Start it: BridgeHost --listen ${path}, or correct the path. Calls wait for it for a minute.`,
        )
    }
    return bad(explainAgent(path, end.error) ?? `It cannot be used: ${describeEnd(end)}`)
}

function versionOf(info, path) {
    const fault = checkInfo(info, path)
    if (fault) return [bad(fault.message)]
    const own = packageVersion()
    const what = `mobile-tracker ${info.version} answers`
    if (info.version === own) return [good(what)]
    return [warning(`${what}, and the package is ${own}`, 'Upgrade the older one; the protocol is the same.')]
}

/** Who may connect, by the rights of the socket's file and the agent's own rule. */
function doorOf(path) {
    const { mode, uid, gid } = statSync(path)
    const bits = (mode & 0o777).toString(8).padStart(4, '0')
    const hasGroup = (mode & 0o060) === 0o060
    const owner = `user ${named('/etc/passwd', uid)}`
    const others = uid === 0 ? [] : ['root']
    if (hasGroup) others.unshift(`the members of group ${named('/etc/group', gid)}`)
    const who = others.length === 0 ? owner : `${[owner, ...others.slice(0, -1)].join(', ')} and ${others.at(-1)}`
    const sentence = `It serves ${who} (mode ${bits})`
    if ((mode & 0o002) === 0) return good(sentence)
    return warning(`${sentence}, and refuses all others, whom the file lets in`, `chmod ${hasGroup ? '0660' : '0600'} ${path}`)
}

/** A user or a group: the name if the system's list has it, and the number. */
function named(list, id) {
    try {
        const row = readFileSync(list, 'utf8').split('\n').map((line) => line.split(':')).find(([, , number]) => number === `${id}`)
        return row ? `${row[0]} (${id})` : `${id}`
    } catch {
        return `${id}`
    }
}

/** What the agent's metrics say of the queues that it has open. */
function queuesIn(text) {
    const findings = Object.entries(NAMES).flatMap(([kind, client]) => {
        const value = (name) => sumOf(text, `mobile_tracker_${name}`, client)
        return value('queued_records') === undefined ? [] : queueFindings(CLIENTS[kind], client, value)
    })
    return findings.length > 0 ? findings : [good('It has no queue open: nothing waits')]
}

/** The sum of a metric's samples of a client, over all reasons; undefined if there is none. */
function sumOf(text, name, client) {
    const samples = [...text.matchAll(new RegExp(`^${name}\\{client="${client}"[^}]*\\} (\\S+)$`, 'gm'))]
    return samples.length === 0 ? undefined : samples.reduce((sum, [, number]) => sum + Number(number), 0)
}

function queueFindings(name, client, value) {
    const queued = value('queued_records')
    const since = value('oldest_queued_timestamp_seconds')
    const age = since === undefined ? 0 : Date.now() - since * 1000
    const waits = queued === 0 ? 'nothing waits' : `${queued} ${queued === 1 ? 'waits' : 'wait'}, the oldest for ${ageText(age)}`
    const what = `${name}: ${waits}; ${value('delivered_records_total')} delivered since the agent has opened it`
    const findings = [stateFinding(what, age, value)]
    const dropped = value('dropped_records_total')
    if (dropped > 0) {
        findings.push(warning(
            `${name}: ${dropped} ${dropped === 1 ? 'was' : 'were'} dropped since the agent has opened it`,
            'getDebugInfo() says why in account.dropped, and Docs/Delivery.md what each reason means.',
        ))
    }
    const refused = value('refused_records')
    if (refused > 0) {
        findings.push(warning(
            `${name}: ${refused} ${refused === 1 ? 'was' : 'were'} refused by the server and kept apart`,
            `What it answered: mobile-tracker refused list --client ${client} --storage-dir DIR, the folder of the agent`,
        ))
    }
    return findings
}

function stateFinding(what, age, value) {
    if (value('disks_failing') > 0) {
        return bad(`${what}. The disk refuses what is tracked`, 'getDebugInfo() says why in storage.')
    }
    if (value('deliveries_halted') > 0) {
        return bad(
            `${what}. Delivery is halted: the server refuses the key or the address`,
            'The queue is kept. Mend the key or the address: setCredentials or another init resumes at once. getDebugInfo() '
                + 'has the answer in halted.',
        )
    }
    if (value('breakers_open') > 0 || age > LONG_MS) {
        return warning(what, 'getDebugInfo() says why in circuitState and lastError; --api-url checks the server.')
    }
    return good(what)
}
