import { fill, h } from './dom.js'
import { icon } from './icons.js'

/** What each key is called in the list of keys. */
export const KEYS = {
    j: 'the next older event', k: 'the next newer event', Enter: 'open the event', Escape: 'close what is open',
    '/': 'search', p: 'pause, and go on', s: 'the story of the event\'s session', x: 'clear the filters',
    f: 'make requests fail', c: 'the accounts of the clients', t: 'dark, light, or as the system has it', '?': 'this list',
}

/** Listens for keys, except where a text is being written. @param {Record<string, () => void>} acts */
export function listenForKeys(acts) {
    document.addEventListener('keydown', (event) => {
        const { key, target, ctrlKey, metaKey, altKey } = event
        if (ctrlKey || metaKey || altKey || !Object.hasOwn(acts, key)) return
        if (key === 'Escape') {
            if (isWriting(target)) target.blur()
            else acts.Escape()
            return
        }
        if (isWriting(target)) return
        // Enter on a button is the button's; on a row of the list it is ours.
        if (key === 'Enter' && target.closest('button, a, summary')) return
        event.preventDefault()
        acts[key]()
    })
}

/** The list of keys. @param {HTMLDialogElement} dialog */
export function drawHelp(dialog) {
    const close = h(
        'button.tool.bare', { type: 'button', 'aria-label': 'Close', onclick: () => dialog.close() }, icon('close'),
    )
    fill(dialog, h('div.title', {}, h('h2', { id: 'help-title' }, 'Keys'), close),
        h('dl.keys', {}, Object.entries(KEYS).map(([key, meaning]) => h('div', {},
            h('dt', {}, h('kbd', {}, key === 'Escape' ? 'Esc' : key)), h('dd', {}, meaning)))))
    dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())
}

function isWriting({ tagName }) {
    return ['INPUT', 'TEXTAREA', 'SELECT'].includes(tagName)
}
