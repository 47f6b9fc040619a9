import { h } from './dom.js'
import { icon } from './icons.js'
import { plural } from './format.js'

/** What each verdict is called and drawn as, and what it means. */
export const WORDS = {
    all: { label: 'Events', sign: null, help: 'Everything that came' },
    good: { label: 'Good', sign: 'check', help: 'Taken, and nothing is wrong with it' },
    problem: { label: 'Problems', sign: 'cross', help: 'Something in it is not as it should be' },
    broken: { label: 'Broken', sign: 'cross', help: 'It breaks the plan' },
    refused: { label: 'Refused', sign: 'warn', help: 'Answered with an error; the client sends it again or drops it' },
    lost: { label: 'Cut off', sign: 'cut', help: 'The connection ended without an answer' },
    repeat: { label: 'Repeats', sign: 'repeat', help: 'Taken before, under the same key' },
    gap: { label: 'Gaps', sign: 'gap', help: 'Numbers before it are missing, or it comes out of order' },
    kept: { label: 'Kept', sign: 'check', help: 'It is as the plan says' },
    personal: {
        label: 'Personal', sign: 'person', help: 'It seems to hold personal data in a member that is not meant for it',
    },
}

/** What became of a row, as a sign and a few words. */
export function verdictText({ verdict, problems, record }) {
    switch (verdict) {
        case 'problem':
            return plural(problems.length, 'problem')
        case 'broken':
            return 'breaks the plan'
        case 'refused':
            return `refused ${record.status}`
        case 'lost':
            return record.accepted ? 'answer lost' : 'cut off'
        case 'repeat':
            return 'repeat'
        default:
            return String(record.status)
    }
}

export function verdictPill(row) {
    const { sign } = WORDS[row.verdict]
    return h(`span.pill.${row.verdict}`, { title: WORDS[row.verdict].help }, icon(sign), verdictText(row))
}
