import { remember } from './backend.js'
import { Intervals } from './intervals.js'
import { familyOf } from './routes.js'

/**
 * Something noticeable about a request, mostly in comparison with those before it.
 *
 * @typedef {object} Flag
 * @property {'repeat' | 'gap' | 'order' | 'cut' | 'personal'} kind `personal` is what looks like personal data.
 * @property {string} text A plain sentence.
 */

/** How many keys, message ids and identities are remembered of all streams together. */
const MOST = 200_000

/** The numbered requests of one client on one machine. They share one sequence of numbers. */
class Stream {
    /** Numbers of accepted requests. */
    taken = new Intervals()
    /** Numbers of requests refused for good: no gap is reported for them. */
    refused = new Intervals()
    /** How many records were accepted, each counted once. */
    arrived = 0

    /** @param {number} number */
    constructor(number) {
        this.number = number
    }
}

/**
 * Finds repeats, gaps and requests out of order.
 *
 * A lane is a client's family, its brand (or write key), and the path before the endpoint. Several installations
 * may share a lane, each with its own numbers. They are distinguished by session and device, by anonymous id, and without
 * these by the number that fits.
 */
export class SequenceChecker {
    /** Lane and key to how often it came and whether it was taken. */
    #keys = new Map()
    /** Lane and message id of events taken in batches. */
    #ids = new Map()
    /** Lane to its streams. @type {Map<string, Stream[]>} */
    #streams = new Map()
    /** Lane and identity to stream. */
    #owners = new Map()
    #streamCount = 0

    /**
     * Compares a request with those before it.
     *
     * @param {object} request
     * @param {import('./routes.js').Route} request.route
     * @param {string} request.lane Brand or write key; part of what keeps lanes apart.
     * @param {string | undefined} request.key The `Idempotency-Key`.
     * @param {string | undefined} request.sequence The `X-Sequence`.
     * @param {string[]} request.identities The identities that distinguish installations, the strongest first.
     * @param {import('./items.js').Item[]} request.items
     * @param {number} request.size How many records it stands for: how many numbers it takes up.
     * @param {boolean} request.taken Whether the backend has taken it, answered or not.
     * @param {boolean} request.refused Whether the answer tells the client not to send it again.
     * @returns {{ attempt: number, repeat: boolean, stream: number | null, flags: Flag[] }}
     */
    observe(request) {
        const lane = `${familyOf(request.route.kind)} ${request.route.base} ${request.lane}`
        const seen = this.#countKey(lane, request)
        const flags = []
        const repeated = seen.taken ? request.items.length : this.#repeatedIds(lane, request)
        if (seen.taken) flags.push(flag('repeat', `Idempotency-Key ${request.key} was taken before.`))
        else if (repeated > 0) {
            flags.push(flag('repeat', `${repeated} of its ${request.items.length} events were taken before.`))
        }
        if (!seen.taken) this.#followSequence(lane, request, seen, repeated, flags)
        if (request.taken) this.#take(lane, request, seen)
        const repeat = flags.some(({ kind }) => kind === 'repeat')
        return { attempt: seen.attempts, repeat, stream: seen.stream?.number ?? null, flags }
    }

    /**
     * How many of a client's records have come.
     *
     * @param {object} client
     * @param {string} client.family
     * @param {string} client.base The path before the endpoint.
     * @param {string[]} client.names The identities of its installation; without any, all installations of that path count.
     * @returns {number}
     */
    arrivals({ family, base, names }) {
        let count = 0
        for (const [lane, streams] of this.#streams) {
            if (!lane.startsWith(`${family} ${base} `)) continue
            const owner = names.map((name) => this.#owners.get(`${lane} ${name}`)).find((stream) => stream !== undefined)
            // A server's calls name their users, and nothing names the client. If it is alone, everything is its own.
            const isAlone = family === 'analytics' && streams.length === 1
            const counted = names.length === 0 || (!owner && isAlone) ? streams : [owner].filter(Boolean)
            for (const stream of counted) count += stream.arrived
        }
        return count
    }

    #countKey(lane, { key }) {
        if (!key) return { attempts: 1, taken: false, stream: null }
        const name = `${lane} ${key}`
        const seen = this.#keys.get(name) ?? { attempts: 0, taken: false, stream: null }
        seen.attempts++
        remember(this.#keys, name, seen, MOST)
        return seen
    }

    #repeatedIds(lane, { items }) {
        let count = 0
        for (const { id } of items) if (id !== null && this.#ids.has(`${lane} ${id}`)) count++
        return count
    }

    #take(lane, { items }, seen) {
        seen.taken = true
        for (const { id } of items) if (id !== null) remember(this.#ids, `${lane} ${id}`, true, MOST)
    }

    #followSequence(lane, request, seen, repeated, flags) {
        const first = Number(request.sequence)
        if (!request.sequence || !Number.isSafeInteger(first) || request.route.kind === 'session') return
        const last = first + request.size - 1
        const stream = seen.stream ?? this.#streamOf(lane, request, first)
        seen.stream = stream

        if (!request.taken) {
            if (request.refused && request.route.kind !== 'identify') stream.refused.add(first, last)
            return
        }
        const expected = stream.taken.last + 1
        const before = stream.taken.count(first, last)
        if (before > 0 && repeated === 0) flags.push(overlapFlag(request, first, last, before))
        else if (first < expected && repeated === 0) {
            flags.push(flag('order', `X-Sequence ${first} comes after ${expected - 1}.`))
        }
        if (request.route.kind === 'identify') return
        if (expected > 0 && first > expected) {
            for (const gap of stream.refused.gaps(expected, first)) flags.push(gapFlag(gap))
        }
        stream.taken.add(first, last)
        stream.arrived += request.size - repeated
    }

    #streamOf(lane, { identities, route }, first) {
        const streams = this.#streams.get(lane) ?? []
        this.#streams.set(lane, streams)
        const names = identities.map((identity) => `${lane} ${identity}`)
        let stream = names.map((name) => this.#owners.get(name)).find((owner) => owner !== undefined)
        if (!stream) stream = bestFit(streams, first, route.kind !== 'basic')
        if (!stream) {
            stream = new Stream(++this.#streamCount)
            streams.push(stream)
        }
        for (const name of names) remember(this.#owners, name, stream, MOST)
        return stream
    }
}

/**
 * The stream that a number from an unknown installation continues: of those below it, the one that has come furthest.
 * A number at the very beginning is a new installation's.
 *
 * @param {boolean} opensNew Whether a number too low for all streams is a new installation's, or a late one.
 */
function bestFit(streams, first, opensNew) {
    let best = null
    for (const stream of streams) {
        if (stream.taken.last < first && (!best || stream.taken.last > best.taken.last)) best = stream
    }
    if (first <= 1) return best?.taken.last === first - 1 ? best : null
    return best ?? (opensNew ? null : (streams.at(-1) ?? null))
}

function overlapFlag({ route, items }, first, last, before) {
    if (route.kind === 'basic' || items.length > 1) {
        return flag('repeat', `${before} of the numbers ${first} to ${last} were taken before.`)
    }
    return flag('order', `X-Sequence ${first} was taken before, under another key.`)
}

function gapFlag([first, last]) {
    const numbers = first === last ? `${first} has` : `${first} to ${last} have`
    return flag('gap', `X-Sequence ${numbers} not come.`)
}

function flag(kind, text) {
    return { kind, text }
}
