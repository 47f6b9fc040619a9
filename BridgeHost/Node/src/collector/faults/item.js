import { show } from '../checks/findings.js'
import { isObject } from '../checks/shape.js'
import { mask } from '../mask.js'
import { KINDS } from '../routes.js'

/**
 * One instruction of a fault script: what to do, to which requests, how often.
 *
 * @typedef {object} FaultItem
 * @property {Action} action
 * @property {number | null} status What to answer, where the action answers.
 * @property {number} times How many requests it still applies to; Infinity for always.
 * @property {number} [delay] Milliseconds to wait before doing it.
 * @property {string} [retryAfter] The `Retry-After` header.
 * @property {string} [location] The `Location` header.
 * @property {Record<string, string>} [headers] Further headers of the answer.
 * @property {string} [body] The answer's body, as it is sent.
 * @property {string} [id] Answers `{"data":{"id": …}}` with this id.
 * @property {string} [kind] Only requests of this kind.
 * @property {string} [path] Only requests whose path ends so.
 * @property {string} [name] Only requests that carry an event of this name.
 * @property {string} [unlessKey] Only requests with another key than this, or with none.
 * @property {true} [indices] The answer names the events that it is about by their places in the request.
 * @property {number} [every] Only every so many-th of the requests that it fits.
 * @property {number} [for] How many milliseconds it applies, from when it is loaded.
 * @property {number} [until] When it ends, once it is loaded.
 * @property {number} passed How many requests it has let pass since it was last due.
 * @property {number} [above] Only requests whose body is larger than so many bytes, decompressed.
 *
 * @typedef {'answer' | 'drop-before' | 'drop-after' | 'stall' | 'half-header' | 'half-body' | 'garbage'} Action
 */

/** A script that cannot be understood. The message says what to change. */
export class FaultError extends Error {
    name = 'FaultError'
}

/** The words for actions, and what each does. */
export const ACTIONS = {
    ok: 'answer as if there were no fault',
    'drop-before': 'cut the connection before the body is read, or at least before the request is taken',
    'drop-after': 'take the request, then cut the connection without an answer',
    stall: 'take the request and never answer',
    'half-header': 'take the request, cut the connection in the middle of the header',
    'half-body': 'take the request, cut the connection in the middle of the body',
    garbage: 'take the request, answer with something that is not HTTP',
}

/** What may follow an action, how it is read, and what it says in help texts. */
const OPTIONS = {
    delay: { read: milliseconds, help: 'wait so many milliseconds first' },
    retryAfter: { read: headerText, help: 'Retry-After: seconds or an HTTP date', word: 'retry-after' },
    location: { read: headerText, help: 'Location: where a redirect points' },
    headers: { read: headerFields, help: 'a further header, such as header="X-Reason: test"', word: 'header' },
    body: { read: bodyText, help: 'the body of the answer' },
    id: { read: anyText, help: 'answer {"data":{"id":…}} with this id' },
    kind: { read: kindWord, help: 'only requests of this kind' },
    path: { read: anyText, help: 'only requests whose path ends so' },
    name: { read: anyText, help: 'only requests with an event of this name' },
    unlessKey: { read: anyText, help: 'only requests with another key than this', word: 'unless-key' },
    indices: {
        read: yes,
        help: 'yes: answer {"refused":[{"index":…}]}, the places of the events with that name, or of all',
    },
    above: { read: size, help: 'only bodies larger than so many bytes, decompressed' },
    every: { read: count, help: 'only every so many-th request, such as 500×always:every=5' },
    for: { read: duration, help: 'end after so long, such as drop-before×always:for=60s' },
}

const LONGEST_DELAY = 600_000
const LONGEST_FOR = 86_400_000

/**
 * Makes a checked item from its parts.
 *
 * @param {object} parts As in a script's JSON form.
 * @param {number | string} [parts.status] 200 to 599.
 * @param {string} [parts.action] One of {@link ACTIONS}; instead of a status, or beside a 2xx.
 * @param {number | 'always'} [parts.times] Once if left out.
 * @returns {FaultItem}
 * @throws {FaultError}
 */
export function faultItem({ status, action, times, ...options }) {
    const item = { action: actionOf(action), status: statusOf(status), times: timesOf(times), passed: 0 }
    if (status === undefined && action === undefined) item.action = 'answer'
    for (const [name, value] of Object.entries(options)) {
        const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : null
        if (!option) throw new FaultError(`There is no option "${name}"; the options are ${Object.keys(OPTIONS).join(', ')}.`)
        item[name] = option.read(value, name)
    }
    if (item.action !== 'answer' && item.status !== null) {
        throw new FaultError(`"${item.action}" answers nothing, so it has no status.`)
    }
    if (item.id !== undefined && item.body !== undefined) throw new FaultError('Give either an id or a body, not both.')
    if (item.indices && item.body !== undefined) throw new FaultError('Give either indices or a body, not both.')
    if (item.action === 'drop-before' && ['name', 'above', 'unlessKey'].some((name) => item[name] !== undefined)) {
        throw new FaultError('"drop-before" cannot depend on the name, the size or the key: the body is not read.')
    }
    return item
}

/**
 * Writes an item the way a script does.
 *
 * @param {FaultItem} item
 * @returns {string}
 */
export function faultText({ action, status, times, passed: _, until: _until, ...options }) {
    let text = action === 'answer' ? String(status ?? 'ok') : action
    if (times === Infinity) text += '×always'
    else if (times > 1) text += `×${times}`
    for (const [name, value] of Object.entries(options)) {
        if (name === 'headers') {
            for (const [header, content] of Object.entries(value)) text += `:header=${quote(`${header}: ${content}`)}`
        } else if (name === 'unlessKey') text += `:unless-key=${quote(mask(value))}`
        else if (name === 'indices') text += ':indices=yes'
        else if (name === 'for') text += `:for=${value % 1000 === 0 ? `${value / 1000}s` : `${value}ms`}`
        else text += `:${OPTIONS[name].word ?? name}=${quote(String(value))}`
    }
    return text
}

function quote(text) {
    if (/^[^\s,:;'"]+$/.test(text)) return text
    return text.includes("'") ? `"${text.replace(/["\\]/g, '\\$&')}"` : `'${text}'`
}

/** A text or a number as text; anything else has none, and no rule here lets that pass. */
function plain(value) {
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function actionOf(word = 'ok') {
    if (!Object.hasOwn(ACTIONS, plain(word))) {
        throw new FaultError(
            `There is no fault ${show(word)}; give a status, or one of ${Object.keys(ACTIONS).join(', ')}.`,
        )
    }
    return word === 'ok' ? 'answer' : word
}

function statusOf(status) {
    if (status === undefined) return null
    if (!/^[2-5]\d\d$/.test(plain(status))) throw new FaultError(`${plain(status) || show(status)} is no status; it must be 200 to 599.`)
    return Number(status)
}

function timesOf(times = 1) {
    if (times === 'always' || times === Infinity) return Infinity
    if (!/^[1-9]\d{0,8}$/.test(plain(times))) {
        throw new FaultError(`${show(times)} is no number of times; it must be 1 or more, or always.`)
    }
    return Number(times)
}

function milliseconds(value) {
    const text = plain(value)
    if (!/^\d{1,7}$/.test(text) || Number(text) > LONGEST_DELAY) {
        throw new FaultError(`The delay ${show(value)} must be whole milliseconds, at most ${LONGEST_DELAY}.`)
    }
    return Number(text)
}

function size(value) {
    if (!/^\d{1,12}$/.test(plain(value))) throw new FaultError(`The size ${show(value)} must be a whole number of bytes.`)
    return Number(value)
}

function count(value) {
    if (!/^[1-9]\d{0,8}$/.test(plain(value))) throw new FaultError(`"every" is ${show(value)}; it must be a whole number, 1 or more.`)
    return Number(value)
}

/** Milliseconds, or with a unit: `60s`, `500ms`. */
function duration(value) {
    const match = /^(\d{1,7})(s|ms)?$/.exec(plain(value))
    const length = match ? Number(match[1]) * (match[2] === 's' ? 1000 : 1) : NaN
    if (!(length >= 1 && length <= LONGEST_FOR)) throw new FaultError(`"for" is ${show(value)}; an example is 60s or 500ms, at most 1 day.`)
    return length
}

function anyText(value, name) {
    if (typeof value !== 'string' || value === '') throw new FaultError(`"${name}" must be a text that is not empty.`)
    return value
}

function yes(value) {
    if (value !== 'yes' && value !== true) throw new FaultError(`"indices" is ${show(value)}; it must be yes.`)
    return true
}

function headerText(value, name) {
    const text = plain(value)
    // RFC 9110, 5.5: a field value has no line breaks or other control characters.
    if (text === '' || !/^[\t\x20-\x7e]+$/.test(text)) throw new FaultError(`"${name}" must be a header's text.`)
    return text
}

function headerFields(value) {
    if (!isObject(value)) throw new FaultError('"headers" must be an object of names and texts.')
    const fields = {}
    for (const [name, content] of Object.entries(value)) {
        // RFC 9110, 5.6.2: a field name is a token.
        if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) throw new FaultError(`"${name}" is no header's name.`)
        fields[name] = headerText(content, name)
    }
    return fields
}

function bodyText(value) {
    return typeof value === 'string' ? value : JSON.stringify(value)
}

function kindWord(value) {
    if (!KINDS.includes(value)) throw new FaultError(`There is no kind ${show(value)}; the kinds are ${KINDS.join(', ')}.`)
    return value
}

/** What to write about the options in a help text. */
export const OPTION_HELP = Object.entries(OPTIONS).map(([name, { help, word }]) => [word ?? name, help])
