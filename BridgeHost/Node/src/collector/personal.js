/** How many places are named. */
const MOST = 5

/** How many values of one request are checked. */
const LOOKED_AT = 10_000

/** Longer texts are checked up to here. */
const LONGEST = 2000

const EMAIL = /[\w.%+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*\.[a-z]{2,24}(?![\w-])/i
/** International with a plus, or grouped as it is written in North America. */
const PHONE = /(?<![\w+.-])(?:\+[1-9](?:[ ().-]{0,2}\d){7,14}|\(?[2-9]\d\d\)?[ .-][2-9]\d\d[ .-]\d{4})(?![\w-])/
const CARD = /(?<![\w.+-])\d(?:[ -]?\d){12,18}(?![\w-]|\.\d)/g

/** What issuers' numbers begin with, and how long they are: Visa, Mastercard, Amex, Diners, Discover, JCB, UnionPay. */
const ISSUERS = [
    /^4(?:\d{12}|\d{15}|\d{18})$/,
    /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)\d+$/,
    /^3[47]\d{13}$/,
    /^3(?:0[0-5]|[68]\d)\d{11}$/,
    /^6(?:011|5\d\d|4[4-9]\d)\d{12}$/,
    /^35(?:2[89]|[3-8]\d)\d{12}$/,
    /^62\d{14,17}$/,
]

/** Members that are meant to hold such a thing. */
const MEANT = {
    email: /mail|recipient|^to$|^from$/i,
    phone: /phone|mobile(?!.?tracker)|cell|whatsapp|fax|^tel/i,
}

/** Members of the protocol itself. */
const OWN = new Set([
    'messageId',
    'anonymousId',
    'timestamp',
    'sentAt',
    'writeKey',
    'session_id',
    'device_id',
    'context',
])

/**
 * Finds what looks like personal data in members that are not meant to hold it: email addresses, card numbers (by their
 * check digit) and telephone numbers. Says where, and never what.
 *
 * @param {any} body
 * @returns {import('./checks/findings.js').Finding[]}
 */
export function personalDataIn(body) {
    const found = []
    let left = LOOKED_AT
    /** @type {Array<{ value: any, place: Place | null, name: string }>} */
    const open = [{ value: body, place: null, name: '' }]
    while (open.length > 0 && left-- > 0 && found.length < MOST) {
        const { value, place, name } = open.pop()
        const what = typeof value === 'object' ? null : kindOf(value, name)
        if (what) found.push({ path: keysOf(place), text: `looks like ${what}.` })
        if (typeof value !== 'object' || value === null) continue
        // Never more than will be checked: a list may be as long as the body.
        for (const member of membersOf(value, place, name, left - open.length).reverse()) open.push(member)
    }
    return found
}

function membersOf(value, place, name, most) {
    const members = []
    const isList = Array.isArray(value)
    for (const key of isList ? value.keys() : Object.keys(value)) {
        if (members.length >= most) break
        if (isList) members.push({ value: value[key], place: { up: place, key }, name })
        else if (!OWN.has(key)) members.push({ value: value[key], place: { up: place, key }, name: key })
    }
    return members
}

/**
 * Where a value stands: a list of keys would be copied for each level of a body that may be all levels.
 *
 * @typedef {{ up: Place | null, key: string | number }} Place
 */

/** @param {Place | null} place */
function keysOf(place) {
    const keys = []
    for (let at = place; at; at = at.up) keys.push(at.key)
    return keys.reverse()
}

function kindOf(value, name) {
    if (typeof value === 'number') return Number.isSafeInteger(value) && isCard(String(value)) ? 'a card number' : null
    if (typeof value !== 'string') return null
    const text = value.slice(0, LONGEST)
    if (!MEANT.email.test(name) && text.includes('@') && EMAIL.test(text)) return 'an email address'
    for (const [digits] of text.matchAll(CARD)) if (isCard(digits.replace(/[ -]/g, ''))) return 'a card number'
    if (!MEANT.phone.test(name) && PHONE.test(text)) return 'a telephone number'
    return null
}

function isCard(digits) {
    if (digits.length < 13 || digits.length > 19 || !ISSUERS.some((issuer) => issuer.test(digits))) return false
    if (/^(?:5|2)/.test(digits) && digits.length !== 16) return false
    let sum = 0
    for (let i = 0; i < digits.length; i++) {
        const digit = Number(digits[digits.length - 1 - i])
        const doubled = i % 2 === 1 ? digit * 2 : digit
        sum += doubled > 9 ? doubled - 9 : doubled
    }
    return sum % 10 === 0
}
