import { fill, h } from './dom.js'
import { icon } from './icons.js'

/** What lies beside the list: one thing at a time. On a narrow page it covers the list. */
export class Panel {
    #element
    #onClose
    #opener = null
    /** What it shows, such as `event`, or null. */
    shows = null

    constructor(element, onClose) {
        this.#element = element
        this.#onClose = onClose
    }

    /**
     * @param {string} what
     * @param {Node | string} title
     * @param {Node[]} content
     * @param {Node[]} [tools] Further buttons in its head.
     */
    show(what, title, content, tools = []) {
        const isFirst = this.shows === null
        if (isFirst) this.#opener = document.activeElement
        const scrolled = this.shows === what ? this.#element.querySelector('.panel-body')?.scrollTop : 0
        const hasFocus = this.#element.contains(document.activeElement)
        this.shows = what
        const close = h(
            'button.tool.bare',
            {
                type: 'button', 'aria-label': 'Close', title: 'Close (Esc)', id: 'close-panel',
                onclick: () => this.close(),
            },
            icon('close'),
        )
        const body = h('div.panel-body', {}, content)
        fill(this.#element, h('header', {}, h('h2', {}, title), tools, close), body)
        this.#element.hidden = false
        body.scrollTop = scrolled ?? 0
        // What had the focus is not there any more, and neither is what the panel lies on when it is narrow.
        if (hasFocus || (isFirst && getComputedStyle(this.#element).position === 'fixed')) close.focus()
    }

    /** Draws what it shows anew, unless the reader is in the middle of it. */
    refresh(content) {
        const body = this.#element.querySelector('.panel-body')
        if (!body.contains(document.activeElement)) fill(body, content)
    }

    close() {
        if (this.shows === null) return
        this.shows = null
        this.#element.hidden = true
        fill(this.#element)
        if (this.#opener?.isConnected) this.#opener.focus({ preventScroll: true })
        this.#onClose()
    }
}
