/** The styles of a terminal that the commands use. */
const STYLES = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33', cyan: '36' }

/** @typedef {keyof typeof STYLES} Style */

/**
 * What styles text for a stream: as escape sequences on a terminal, else not at all.
 *
 * @param {{ isTTY?: boolean }} stream
 * @param {Record<string, string | undefined>} [env]
 * @returns {(style: Style, text: string) => string}
 */
export function painter(stream, env = process.env) {
    // https://no-color.org and https://force-color.org: any value but an empty one.
    const isColoured = env.NO_COLOR ? false : Boolean(env.FORCE_COLOR) || stream.isTTY === true
    return isColoured ? (style, text) => `\u001b[${STYLES[style]}m${text}\u001b[0m` : (_, text) => text
}

/** A text that cannot move the cursor or colour the terminal, whatever came over the network. */
export function harmless(text) {
    return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '·')
}

/**
 * Breaks a text at its spaces.
 *
 * @param {string} text
 * @param {number} width How long a line may be, its indent included; Infinity for as long as it likes.
 * @param {number} indent What the lines after the first are indented by, and the first one has before it already.
 * @returns {string}
 */
export function wrap(text, width, indent) {
    const lines = []
    let line = ''
    for (const word of text.split(' ')) {
        if (line !== '' && line.length + word.length + 1 > width - indent) {
            lines.push(line)
            line = ''
        }
        line += line === '' ? word : ` ${word}`
    }
    return [...lines, line].join(`\n${' '.repeat(indent)}`)
}
