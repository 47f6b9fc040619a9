import { fill, h } from './dom.js'
import { Exact, membersOf } from './payload.js'

/** How much is drawn before somebody asks for more. */
const MOST_MEMBERS = 200
const MOST_CHARACTERS = 1000
const DEEPEST = 40

/**
 * Draws a JSON value, a line a member, each finding at the member that has it.
 *
 * @param {any} value
 * @param {import('../checks/placed.js').PlacedFinding[]} findings
 * @returns {{ tree: HTMLElement, others: object[] }} `others` are findings that no member has.
 */
export function drawTree(value, findings) {
    const [inside, others] = divided(value, findings)
    return { tree: h('ul.tree', {}, drawMembers(value, inside, 0)), others }
}

/** The findings in members that there are, and the rest. */
function divided(value, findings) {
    const isInside = ({ path }) => path !== null && path.length > 0 && hasMember(value, path[0])
    return [findings.filter(isInside), findings.filter((finding) => !isInside(finding))]
}

function hasMember(value, key) {
    return typeof value === 'object' && value !== null && !(value instanceof Exact) && Object.hasOwn(value, key)
}

function drawMembers(value, findings, depth) {
    const members = membersOf(value)
    if (typeof value !== 'object' || value === null || value instanceof Exact) return [h('li', {}, drawValue(value))]
    const draw = ([key, member]) => {
        const own = findings.filter(({ path }) => path[0] === key)
        return drawMember(key, member, own.map((finding) => ({ ...finding, path: finding.path.slice(1) })), depth)
    }
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

function drawMember(key, value, findings, depth) {
    const [inside, here] = depth < DEEPEST ? divided(value, findings) : [[], findings]
    const said = here.map(({ kind, path, text, sentence }) => {
        // Right at its member it needs no place.
        return h(`p.note.${styleOf(kind)}`, {}, path.length === 0 ? text : sentence)
    })
    const line = here.length === 0 ? 'li' : here.some(({ kind }) => styleOf(kind) === 'problem') ? 'li.bad' : 'li.warned'
    const isContainer = typeof value === 'object' && value !== null && !(value instanceof Exact)
    if (!isContainer || membersOf(value).length === 0) {
        return h(line, {}, h('span.key', {}, `${key}:`), ' ', drawValue(value), said)
    }
    const list = h('ul')
    const count = membersOf(value).length
    const toggle = h('button.fold', { type: 'button', 'aria-expanded': 'true', onclick: () => fold(toggle, list) },
        h('span.key', {}, String(key)), ' ', h('span.size', {}, Array.isArray(value) ? `[${count}]` : `{${count}}`))
    if (depth < DEEPEST) fill(list, drawMembers(value, inside, depth + 1))
    else fill(list, h('li.dim', {}, 'It nests deeper than is shown here.'))
    return h(line, {}, toggle, said, list)
}

function fold(toggle, list) {
    list.hidden = !list.hidden
    toggle.setAttribute('aria-expanded', !list.hidden)
}

function styleOf(kind) {
    return kind === 'personal' ? 'warning' : 'problem'
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
