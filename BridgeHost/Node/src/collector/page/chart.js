import { fill, h, svg } from './dom.js'
import { minuteText, plural } from './format.js'

const MINUTES = 30
const MINUTE = 60_000
const WIDTH = 480
const HEIGHT = 44
const STEP = WIDTH / MINUTES

/** Good and bad of the last half hour, a bar a minute. */
export class Chart {
    #figure
    #drawn = ''

    constructor(figure) {
        this.#figure = figure
    }

    /** @param {Map<number, { good: number, bad: number }>} minutes */
    show(minutes, now = Date.now()) {
        const last = Math.floor(now / MINUTE)
        const bars = Array.from(
            { length: MINUTES },
            (_, i) => ({ minute: last - MINUTES + 1 + i, ...minutes.get(last - MINUTES + 1 + i) }),
        )
        const content = JSON.stringify(bars)
        if (content === this.#drawn) return
        this.#drawn = content
        const highest = Math.max(1, ...bars.map(({ good = 0, bad = 0 }) => good + bad))
        const good = bars.reduce((sum, bar) => sum + (bar.good ?? 0), 0)
        const bad = bars.reduce((sum, bar) => sum + (bar.bad ?? 0), 0)
        const most = `at most ${plural(highest, 'event')} a minute`
        const label = `The last half hour by minute: ${good} good, ${bad} bad; ${most}`
        const drawing = svg(
            'svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label },
            bars.map((bar, i) => drawBar(bar, i * STEP, highest)))
        fill(this.#figure, drawing, h('figcaption', {},
            h('span', {}, minuteText((last - MINUTES + 1) * MINUTE)), h('span', {}, good + bad > 0 && most),
            h('span', {}, 'now')))
    }
}

function drawBar({ minute, good = 0, bad = 0 }, x, highest) {
    const part = (className, y, height) => svg(
        'rect', { class: className, x: x + 0.5, y, width: STEP - 1.5, height, rx: 1 },
    )
    if (good + bad === 0) return part('none', HEIGHT - 1.5, 1.5)
    // What is there at all can be seen.
    const scale = (number) => (number === 0 ? 0 : Math.max(2, (number / highest) * (HEIGHT - 2)))
    const goodHeight = scale(good)
    const badHeight = Math.min(scale(bad), HEIGHT - goodHeight)
    const title = svg('title', {}, `${minuteText(minute * MINUTE)}: ${good} good, ${bad} bad`)
    return svg(
        'g', {}, title, part('good', HEIGHT - goodHeight, goodHeight),
        part('bad', HEIGHT - goodHeight - badHeight, badHeight),
    )
}
