import { RowElement } from './row.js'

/** How many rows beyond the visible ones are drawn above and below. */
const MARGIN = 6

/** How long a row that has just come stands out, in milliseconds. */
const FRESH = 1500

/**
 * The list of events: newest first, as many elements as fit on the screen.
 *
 * While the reader is at the top the list follows what comes. Elsewhere what the reader looks at stays where it is.
 */
export class RowList {
    #grid
    #body
    #rows = []
    #selected = null
    #height = 32
    /** @type {Map<string, RowElement>} */
    #drawn = new Map()
    #spare = []
    #isScheduled = false

    /**
     * @param {HTMLElement} grid What scrolls.
     * @param {HTMLElement} body What holds the rows.
     * @param {object} on
     * @param {(row: import('./event.js').Row) => void} on.open
     * @param {() => void} on.scroll
     */
    constructor(grid, body, on) {
        this.#grid = grid
        this.#body = body
        grid.addEventListener('scroll', () => {
            this.#schedule()
            on.scroll()
        }, { passive: true })
        body.addEventListener('click', (event) => {
            const row = this.#rowAt(event.target)
            if (row) on.open(row)
        })
        new ResizeObserver(() => this.#measure()).observe(grid)
        this.#measure()
    }

    /** Whether the reader is where the newest come. */
    get isAtTop() {
        return this.#grid.scrollTop < this.#height / 2
    }

    get rows() {
        return this.#rows
    }

    /** The row that the keyboard is on. */
    get selected() {
        return this.#selected
    }

    set selected(row) {
        this.#selected = row
        if (row) this.#grid.setAttribute('aria-activedescendant', `row-${row.key}`)
        else this.#grid.removeAttribute('aria-activedescendant')
        this.#schedule()
    }

    /** Shows other rows, oldest first. */
    show(rows) {
        this.#rows = rows
        this.#resize()
        this.#schedule()
    }

    /** What was shown has `added` more rows at its newer end. */
    grown(added) {
        const isAtTop = this.isAtTop
        this.#resize()
        if (!isAtTop) this.#grid.scrollTop += added * this.#height
        this.#schedule()
    }

    toTop() {
        this.#grid.scrollTop = 0
    }

    /** Selects the next older row (1) or the next newer one (-1), and keeps it in sight. */
    move(by) {
        const { length } = this.#rows
        if (length === 0) return null
        const current = this.#selected ? this.#positionOf(this.#selected) : null
        const position = Math.min(length - 1, Math.max(0, current === null ? 0 : current + by))
        this.selected = this.#rowOn(position)
        this.reveal(this.selected)
        return this.selected
    }

    /** Scrolls only as far as it must to show a row. */
    reveal(row) {
        const position = this.#positionOf(row)
        if (position === null) return
        const grid = this.#grid
        const top = position * this.#height
        const view = grid.clientHeight - this.#body.offsetTop
        if (top < grid.scrollTop) grid.scrollTop = top
        else if (top + this.#height > grid.scrollTop + view) grid.scrollTop = top + this.#height - view
    }

    /** Position 0 is the newest. */
    #rowOn(position) {
        return this.#rows[this.#rows.length - 1 - position]
    }

    #positionOf(row) {
        const index = this.#rows.indexOf(row)
        return index === -1 ? null : this.#rows.length - 1 - index
    }

    #rowAt(target) {
        const element = target.closest('.row')
        for (const drawn of this.#drawn.values()) if (drawn.element === element) return drawn.row
        return null
    }

    #measure() {
        this.#height = parseFloat(getComputedStyle(this.#grid).getPropertyValue('--row-height')) || 32
        this.#resize()
        this.#schedule()
    }

    #resize() {
        this.#body.style.height = `${this.#rows.length * this.#height}px`
        this.#grid.setAttribute('aria-rowcount', this.#rows.length + 1)
    }

    #schedule() {
        if (this.#isScheduled) return
        this.#isScheduled = true
        requestAnimationFrame(() => {
            this.#isScheduled = false
            this.#draw()
        })
    }

    #draw() {
        const { scrollTop, clientHeight } = this.#grid
        const first = Math.max(0, Math.floor(scrollTop / this.#height) - MARGIN)
        const last = Math.min(this.#rows.length, Math.ceil((scrollTop + clientHeight) / this.#height) + MARGIN)
        const wanted = new Map()
        for (let position = first; position < last; position++) {
            const row = this.#rowOn(position)
            wanted.set(row.key, position)
        }
        for (const [key, drawn] of this.#drawn) {
            if (wanted.has(key) && drawn.row === this.#rowOn(wanted.get(key))) continue
            this.#drawn.delete(key)
            this.#spare.push(drawn)
        }
        const now = Date.now()
        for (const [key, position] of wanted) this.#drawRow(key, position, now)
        for (const unused of this.#spare) unused.element.remove()
        this.#sort(wanted)
        this.#spare.length = Math.min(this.#spare.length, 2 * MARGIN)
    }

    #drawRow(key, position, now) {
        const row = this.#rowOn(position)
        let drawn = this.#drawn.get(key)
        if (!drawn) {
            drawn = this.#spare.pop() ?? new RowElement()
            this.#drawn.set(key, drawn)
        }
        drawn.show(row, {
            top: position * this.#height,
            index: position,
            isSelected: row === this.#selected,
            isNew: now - row.at < FRESH,
        })
    }

    /** Keeps the elements in their visible order, which is the order in which a screen reader reads them. */
    #sort(wanted) {
        let next = this.#body.firstChild
        for (const key of wanted.keys()) {
            const { element } = this.#drawn.get(key)
            if (element === next) next = next.nextSibling
            else this.#body.insertBefore(element, next)
        }
    }
}
