import { dataMember } from '../properties.js'
import { sentenceOf } from './findings.js'

/**
 * A finding, and the event that it is about.
 *
 * @typedef {object} PlacedFinding
 * @property {'problem' | 'plan' | 'personal'} kind Whether a check found it, the plan, or the search for personal data.
 * @property {number | null} item The event's place among the request's items; null if it is about the request.
 * @property {Array<string | number> | null} path The keys that lead to it in that event; null if it is in no member of it.
 * @property {string} text The rest of a sentence that begins with the place. Without a path, a whole one.
 * @property {string} sentence The whole one.
 */

/**
 * Says of each finding which event it is about, and where in that event it is.
 *
 * @param {import('../routes.js').Kind} kind
 * @param {any} body
 * @param {import('./findings.js').Finding[]} problems
 * @param {ReturnType<import('../../plan/plan.js').Plan['judgeRequest']>} judged
 * @param {import('./findings.js').Finding[]} personal
 * @returns {PlacedFinding[]}
 */
export function findingsIn(kind, body, problems, judged, personal) {
    const ofPlan = judged.flatMap(({ item, judgement, findings }) => findings.map(({ path, text }, i) => {
        const own = path && [dataMember(kind, body, item), ...path]
        return { kind: 'plan', item, path: own, text, sentence: judgement.reasons[i] }
    }))
    const placed = (as) => (finding) => {
        return { kind: as, ...placeIn(kind, body, finding.path), text: finding.text, sentence: sentenceOf(finding) }
    }
    return [...problems.map(placed('problem')), ...ofPlan, ...personal.map(placed('personal'))]
}

/** Of a request with many events, what is in none of them is in no member that is shown. */
function placeIn(kind, body, path) {
    const depth = kind === 'batch' ? 1 : 0
    if (kind !== 'batch' && !(kind === 'basic' && Array.isArray(body))) return { item: null, path }
    if (typeof path?.[depth] !== 'number') return { item: null, path: null }
    return { item: path[depth], path: path.slice(depth + 1) }
}
