import { AsyncLocalStorage } from 'node:async_hooks'
import { paramsOf } from './call.js'
import { PLAIN, faultFrom, omission, serialize } from './serialize.js'

/** What a scope may hold. */
export const SCOPE = [
    { name: 'userId', kind: 'id' },
    { name: 'anonymousId', kind: 'id' },
    { name: 'groupId', kind: 'id' },
    { name: 'context', kind: 'object' },
    { name: 'properties', kind: 'object' },
]

/** The scopes around the code that runs: one for every tracker of the process. @type {AsyncLocalStorage<Scope>} */
const storage = new AsyncLocalStorage()

/** The scopes around a call, the outermost first. The host applies them. */
export class Scope {
    /** JSON text of each. @type {string[]} */
    #texts
    /** Each as plain values, which are never changed. @type {object[]} */
    values
    /** What is wrong with the first one that cannot be written. @type {import('./serialize.js').ValueFault | import('./serialize.js').SizeFault | undefined} */
    fault

    /** @param {Scope | undefined} outer @param {() => import('./call.js').Params} read Gives the innermost. */
    constructor(outer, read) {
        this.#texts = outer?.#texts ?? []
        this.values = outer?.values ?? []
        this.fault = outer?.fault
        try {
            const { given, text } = read()
            // Code that schedules itself in a scope of its own would nest without end.
            if (text !== this.#texts.at(-1)) {
                this.#texts = [...this.#texts, text]
                this.values = [...this.values, given]
            }
        } catch (error) {
            this.fault ??= faultFrom(error, 'scope')
        }
        this.text = `[${this.#texts.join(',')}]`
    }
}

/** The scope that the code runs in, if there is one. */
export function currentScope() {
    return storage.getStore()
}

/**
 * Runs a function in a scope.
 *
 * @param {object} values What the scope gives.
 * @param {() => unknown} body
 * @param {(values: object) => import('./call.js').Params} read
 */
function runInScope(values, body, read) {
    if (typeof values !== 'object' || values === null || isList(values)) {
        throw new TypeError("with: the scope must be an object such as { userId: 'user-1' }, and a function follows it.")
    }
    if (typeof body !== 'function') throw new TypeError('with: a function that makes the calls must follow the scope.')
    return storage.run(new Scope(storage.getStore(), () => read(values)), body)
}

/** Whether a value is a list. A proxy that was revoked throws when it is asked. */
function isList(value) {
    try {
        return Array.isArray(value)
    } catch {
        return false
    }
}

/**
 * Makes `analytics.with`.
 *
 * @param {(given: object, members: typeof SCOPE, place: string, how: object) => object | undefined} writeMembers
 *     Writes values by the rules for the options of a call.
 * @param {{ maxMessageBytes: number }} link
 * @param {object} observer
 * @param {import('./hooks.js').Hooks} observer.hooks
 * @param {{ warn: (message: string) => void }} observer.warnings
 */
export function scopeRunner(writeMembers, link, { hooks, warnings }) {
    return (values, body) => runInScope(values, body, (given) => {
        const { convert } = hooks.of('analytics.')
        const warn = (message) => warnings.warn(`analytics.with: ${message}.`)
        const omit = (path, kind) => warn(omission([{ path, kind }]))
        const write = (value, path, argument) => serialize(value, path, link.maxMessageBytes, omit, { form: PLAIN, convert, argument })
        return paramsOf(writeMembers(given, SCOPE, 'scope', { form: PLAIN, write, warn }) ?? {}, link.maxMessageBytes)
    })
}
