import { eventsIn } from '../apis/layouts.js'
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
 * @param {string | null} api Whose batch it is.
 * @param {any} body
 * @param {import('./findings.js').Finding[]} problems
 * @param {ReturnType<import('../../plan/plan.js').Plan['judgeRequest']>} judged
 * @param {import('./findings.js').Finding[]} personal
 * @returns {PlacedFinding[]}
 */
export function findingsIn(kind, api, body, problems, judged, personal) {
    const ofPlan = judged.flatMap(({ item, judgement, findings }) => findings.map(({ path, text }, i) => {
        return { kind: 'plan', item, path, text, sentence: judgement.reasons[i] }
    }))
    const places = placesIn(kind, api, body)
    const placed = (as) => (finding) => {
        return { kind: as, ...placeIn(kind, places, finding.path), text: finding.text, sentence: sentenceOf(finding) }
    }
    return [...problems.map(placed('problem')), ...ofPlan, ...personal.map(placed('personal'))]
}

/** Where the events of a request with many are. @returns {Array<Array<string | number>>} */
function placesIn(kind, api, body) {
    if (api !== null) return eventsIn(api, body).map(({ path }) => path)
    return kind === 'basic' && Array.isArray(body) ? body.map((_, index) => [index]) : []
}

/** Of a request with many events, what is in none of them is in no member that is shown. */
function placeIn(kind, places, path) {
    if (kind !== 'batch' && places.length === 0) return { item: null, path }
    const item = path === null ? -1 : places.findIndex((place) => place.every((key, i) => path[i] === key))
    return item === -1 ? { item: null, path: null } : { item, path: path.slice(places[item].length) }
}
