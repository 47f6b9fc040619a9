/**
 * Makes an element. Texts become text, never markup.
 *
 * @param {string} tag With classes: `span.time.dim`.
 * @param {Record<string, any>} [properties] A function listens to the event of its name (`onclick`); a boolean sets or
 *     leaves out an attribute; `null` and `undefined` leave it out.
 * @param {...(Node | string | number | null | undefined | false | Array)} children
 * @returns {HTMLElement}
 */
export function h(tag, properties = {}, ...children) {
    const [name, ...classes] = tag.split('.')
    const element = document.createElement(name)
    if (classes.length > 0) element.className = classes.join(' ')
    for (const [key, value] of Object.entries(properties)) {
        if (typeof value === 'function') element.addEventListener(key.slice(2), value)
        else if (
            value !== undefined && value !== null && value !== false
        ) element.setAttribute(key, value === true ? '' : value)
    }
    element.append(...flat(children))
    return element
}

/** Puts other children in place of an element's own. */
export function fill(element, ...children) {
    element.replaceChildren(...flat(children))
    return element
}

function flat(children) {
    return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false)
}

const SVG = 'http://www.w3.org/2000/svg'

export function svg(name, attributes = {}, ...children) {
    const element = document.createElementNS(SVG, name)
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
    element.append(...flat(children))
    return element
}

/** Announces something to screen readers. */
export function announce(text) {
    document.getElementById('said').textContent = text
}

/** Copies a text, and shows on the button that it was copied. */
export async function copy(text, button) {
    await navigator.clipboard.writeText(text)
    button.dataset.copied = ''
    announce('Copied.')
    setTimeout(() => delete button.dataset.copied, 1200)
}
