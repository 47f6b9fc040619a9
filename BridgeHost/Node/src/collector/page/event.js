import { readingOf } from '../apis/layouts.js'
import { line } from './format.js'
import { payloadOf, propertiesOf } from './payload.js'
import { planOf } from './plan.js'

/** What a row can be found under. A row may have several; the first one is what it is shown as. */
export const VERDICTS = ['good', 'problem', 'broken', 'refused', 'lost', 'repeat', 'gap', 'personal', 'kept']

const TITLES = {
    session: 'Session', profile: 'Profile', identify: 'Identify', location: 'Location', email: 'Email',
    link: 'Link session', group: 'Group', alias: 'Alias',
}

/** One event: a request as a whole, or one of those in a batch or an array. */
export class Row {
    #preview
    #search

    constructor(record, index) {
        this.record = record
        this.index = index
        const item = record.items[index]
        this.key = `${record.seq}.${index}`
        this.at = Date.parse(record.at)
        this.kind = item.type
        this.name = item.name
        this.user = item.user
        this.session = item.session ?? record.made
        this.test = record.test
        this.plan = planOf(record, index)
        const found = record.findings.filter(({ item }) => item === null || item === index)
        this.problems = found.filter(({ kind }) => kind === 'problem')
        /** Why it breaks the plan. */
        this.reasons = found.filter(({ kind }) => kind === 'plan')
        /** Where it seems to hold personal data that does not belong there. */
        this.personal = found.filter(({ kind }) => kind === 'personal')
        this.marks = marksOf(record, this)
    }

    get verdict() {
        return this.marks[0]
    }

    /** What stands first in the row. */
    get title() {
        return this.name ?? (Object.hasOwn(TITLES, this.kind) ? TITLES[this.kind] : this.record.path)
    }

    /** Whose timeline it belongs to: its session, or for a client that has none the installation. */
    get thread() {
        return this.session ?? this.visitor
    }

    /** The anonymous id of an analytics event. */
    get visitor() {
        const { api } = this.record
        const id = api === null ? null : readingOf(api, payloadOf(this)).visitor
        return typeof id === 'string' ? id : null
    }

    /** The first of its properties. @returns {Array<[string, string]>} */
    get preview() {
        this.#preview ??= Object.entries(propertiesOf(this)).slice(0, 6).map(
            ([name, value]) => [line(name, 32), line(value, 48)],
        )
        return this.#preview
    }

    /** What a search looks through, in lower case. */
    get search() {
        this.#search ??= this.#searchText().toLowerCase()
        return this.#search
    }

    #searchText() {
        const { record, user, session, title, kind } = this
        const body = record.items.length > 1 ? JSON.stringify(payloadOf(this)) : record.raw
        const said = [...this.problems, ...this.reasons].map(({ sentence }) => sentence)
        return [
            title, kind, user, session, record.path, record.status, record.fault, body, ...said, ...record.flags.map(({ text }) => text),
        ].filter(Boolean).join('\n')
    }
}

/** @returns {Row[]} */
export function rowsOf(record) {
    return record.items.map((_, index) => new Row(record, index))
}

function marksOf({ status, accepted, repeat, flags }, { problems, personal, plan }) {
    const marks = []
    if (problems.length > 0) marks.push('problem')
    if (plan?.verdict === 'broken') marks.push('broken')
    if (status === null) marks.push('lost')
    else if (!accepted) marks.push('refused')
    if (repeat) marks.push('repeat')
    if (marks.length === 0) marks.push('good')
    if (flags.some(({ kind }) => kind === 'gap' || kind === 'order')) marks.push('gap')
    if (personal.length > 0) marks.push('personal')
    if (plan?.verdict === 'kept') marks.push('kept')
    return marks
}
