import { VERDICTS } from './event.js'

/**
 * Which rows are shown. What is empty does not matter.
 *
 * @typedef {object} View
 * @property {string} text What is searched for.
 * @property {string} kind
 * @property {string} name
 * @property {string} user
 * @property {string} session
 * @property {string} test The run of tests that it belongs to.
 * @property {string[]} verdicts Any of them.
 */

/** Field to its name in the URL. */
const NAMES = { text: 'q', kind: 'kind', name: 'name', user: 'user', session: 'session', test: 'test' }

/** @returns {View} */
export function emptyView() {
    return { text: '', kind: '', name: '', user: '', session: '', test: '', verdicts: [] }
}

/** @param {URLSearchParams} query @returns {View} */
export function viewFrom(query) {
    const view = emptyView()
    for (const [field, name] of Object.entries(NAMES)) view[field] = query.get(name) ?? ''
    view.verdicts = (query.get('verdict') ?? '').split(',').filter((verdict) => VERDICTS.includes(verdict))
    return view
}

/** Writes a view into a URL's query, and leaves what else is there. */
export function writeView(view, query) {
    for (const [field, name] of Object.entries(NAMES)) {
        if (view[field]) query.set(name, view[field])
        else query.delete(name)
    }
    if (view.verdicts.length > 0) query.set('verdict', view.verdicts.join(','))
    else query.delete('verdict')
}

export function isEmptyView(view) {
    return view.verdicts.length === 0 && Object.keys(NAMES).every((field) => !view[field])
}

/** @param {View} view @returns {(row: import('./event.js').Row) => boolean} */
export function matcherOf(view) {
    const words = view.text.toLowerCase().split(/\s+/).filter(Boolean)
    return (row) => {
        if (view.kind && row.kind !== view.kind) return false
        if (view.name && row.name !== view.name) return false
        if (view.user && row.user !== view.user) return false
        if (view.session && row.session !== view.session && row.visitor !== view.session) return false
        if (view.test && row.test !== view.test) return false
        if (view.verdicts.length > 0 && !view.verdicts.some((verdict) => row.marks.includes(verdict))) return false
        return words.every((word) => row.search.includes(word))
    }
}

/** How long rows are looked through at a time, in milliseconds, so that no frame is held up. */
const SLICE = 12

/**
 * Looks through many rows without holding up the page.
 *
 * @param {import('./event.js').Row[]} rows They may grow meanwhile.
 * @param {AbortSignal} signal
 * @returns {Promise<import('./event.js').Row[] | null>} Null if it was ended before.
 */
export async function matching(rows, view, signal) {
    const matches = matcherOf(view)
    const found = []
    let sliceEnd = performance.now() + SLICE
    for (let i = 0; i < rows.length; i++) {
        if (matches(rows[i])) found.push(rows[i])
        if (performance.now() < sliceEnd) continue
        await new Promise((resolve) => setTimeout(resolve))
        if (signal.aborted) return null
        sliceEnd = performance.now() + SLICE
    }
    return found
}
