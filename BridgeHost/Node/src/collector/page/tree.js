import { fill, h } from './dom.js'
import { Exact, memberPlace, membersOf } from './payload.js'

/** How much is drawn before somebody asks for more. */
const MOST_MEMBERS = 200
const MOST_CHARACTERS = 1000
const DEEPEST = 40

/**
 * Draws a JSON value, a line a member, each problem at the member that has it.
 *
 * @param {any} value
 * @param {string} place Where the value stands in the request's body, as the checks write it.
 * @param {string[]} problems
 * @param {string[]} warnings
 * @returns {{ tree: HTMLElement, others: string[] }} `others` are problems that no member has.
 */
export function drawTree(value, place, problems, warnings) {
    /** Place to what is said there. @type {Map<string, Array<{ text: string, style: string }>>} */
    const notes = new Map()
    const others = []
    const sentences = [
        ...problems.map((text) => ({ text, style: 'problem' })),
        ...warnings.map((text) => ({ text, style: 'warning' })),
    ]
    for (const { text, style } of sentences) {
        const at = placeOf(value, place, text)
        if (at === null) others.push(text)
        else notes.set(at, [...(notes.get(at) ?? []), { text, style }])
    }
    return { tree: h('ul.tree', {}, drawMembers(value, place, notes, 0)), others }
}

/** The deepest member that a problem's sentence begins with; null if it begins with none. */
function placeOf(value, place, problem) {
    let found = null
    let inside = value
    let at = place
    for (let depth = 0; depth < DEEPEST; depth++) {
        const next = membersOf(inside).map(([key, member]) => [memberPlace(at, key), member])
            .filter(([name]) => speaksOf(problem, name))
            .sort(([one], [other]) => other.length - one.length)[0]
        if (!next) return found
        ;[at, inside] = next
        found = at
    }
    return found
}

function speaksOf(problem, place) {
    return problem.startsWith(place) && /^[ .[]/.test(problem.slice(place.length))
}

function drawMembers(value, place, notes, depth) {
    const members = membersOf(value)
    if (typeof value !== 'object' || value === null || value instanceof Exact) return [h('li', {}, drawValue(value))]
    const draw = ([key, member]) => drawMember(key, member, memberPlace(place, key), notes, depth)
    const lines = members.slice(0, MOST_MEMBERS).map(draw)
    if (members.length > MOST_MEMBERS) lines.push(more(members, draw))
    return lines
}

function more(members, draw) {
    const rest = members.length - MOST_MEMBERS
    const line = h('li', {}, h('button.quiet', {
        type: 'button', onclick: () => line.replaceWith(...members.slice(MOST_MEMBERS).map(draw)),
    }, `Show ${rest} more`))
    return line
}

function drawMember(key, value, place, notes, depth) {
    const noted = notes.get(place) ?? []
    const said = noted.map(({ text, style }) => h(`p.note.${style}`, {}, sentence(text, place)))
    const line = noted.length === 0 ? 'li' : noted.some(({ style }) => style === 'problem') ? 'li.bad' : 'li.warned'
    const isContainer = typeof value === 'object' && value !== null && !(value instanceof Exact)
    if (!isContainer || membersOf(value).length === 0) {
        return h(line, {}, h('span.key', {}, `${key}:`), ' ', drawValue(value), said)
    }
    const list = h('ul')
    const count = membersOf(value).length
    const toggle = h('button.fold', { type: 'button', 'aria-expanded': 'true', onclick: () => fold(toggle, list) },
        h('span.key', {}, String(key)), ' ', h('span.size', {}, Array.isArray(value) ? `[${count}]` : `{${count}}`))
    if (depth < DEEPEST) fill(list, drawMembers(value, place, notes, depth + 1))
    else fill(list, h('li.dim', {}, 'It nests deeper than is shown here.'))
    return h(line, {}, toggle, said, list)
}

function fold(toggle, list) {
    list.hidden = !list.hidden
    toggle.setAttribute('aria-expanded', !list.hidden)
}

/** Without the place, where the member stands right above. */
function sentence(problem, place) {
    return problem.startsWith(`${place} `) ? problem.slice(place.length + 1) : problem
}

function drawValue(value) {
    if (typeof value === 'string') return drawText(value)
    if (value instanceof Exact) return h('span.number', {}, value.spelling)
    if (typeof value === 'number') return h('span.number', {}, String(value))
    if (Array.isArray(value)) return h('span.size', {}, '[ ]')
    if (typeof value === 'object' && value !== null) return h('span.size', {}, '{ }')
    return h('span.word', {}, value === undefined ? 'nothing' : String(value))
}

function drawText(text) {
    const shown = h(
        'span.text', {}, text.length > MOST_CHARACTERS ? `"${text.slice(0, MOST_CHARACTERS)}…` : `"${text}"`,
    )
    if (text.length <= MOST_CHARACTERS) return shown
    const all = h('button.quiet', {
        type: 'button', onclick: () => {
            shown.textContent = `"${text}"`
            all.remove()
        },
    }, `Show all ${text.length} characters`)
    return [shown, ' ', all]
}
