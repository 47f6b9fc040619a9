import { announce, copy, fill, h } from './dom.js'
import { count } from './format.js'
import { icon } from './icons.js'
import { drawHelp, listenForKeys } from './keyboard.js'

const at = (id) => document.getElementById(id)

/** Button to its sign and its label; without a label it is a sign alone, which says what it does when asked. */
const TOOLS = {
    pause: ['pause', 'Pause'], faults: ['fault', 'Faults'], clients: ['clients', 'Clients'],
    export: ['save', 'Export'], clear: ['trash', 'Clear'],
    theme: ['theme', null, 'Change the theme'], help: ['help', null, 'Keyboard shortcuts'],
}

/** The head of the page: where the collector is, whether it is there, and what one can do. */
export class Toolbar {
    /** @param {Record<'pause' | 'faults' | 'clients' | 'export' | 'clear', () => void>} acts */
    constructor(acts) {
        this.acts = { ...acts, theme: changeTheme, help: () => at('help').showModal() }
        fill(at('address'), h('code', {}, location.origin), icon('copy'))
        at('address').addEventListener('click', () => copy(location.origin, at('address')))
        for (const [name, [sign, label, meaning]] of Object.entries(TOOLS)) {
            const button = fill(at(`tool-${name}`), icon(sign), label && h('span', {}, label))
            button.setAttribute('aria-label', meaning ?? label)
            button.addEventListener('click', this.acts[name])
        }
        drawHelp(at('help'))
    }

    /** @param {Record<string, () => void>} others What the keys do that are no buttons here. */
    listenForKeys(others) {
        const { pause, faults, clients, theme, help } = this.acts
        listenForKeys({ p: pause, f: faults, c: clients, t: theme, '?': help, ...others })
    }

    /**
     * @param {'connecting' | 'live' | 'reconnecting'} connection
     * @param {boolean} isPaused
     * @param {number} waiting How many rows came during the pause.
     */
    showStatus(connection, isPaused, waiting) {
        const isLive = connection === 'live'
        const status = at('status')
        status.dataset.state = isPaused && isLive ? 'paused' : connection
        const rest = waiting > 0 ? `, ${count(waiting)} waiting` : ''
        status.textContent = isLive ? (isPaused ? `Paused${rest}` : 'Live') : 'Reconnecting'
        const button = at('tool-pause')
        if (button.getAttribute('aria-pressed') === String(isPaused)) return
        button.setAttribute('aria-pressed', isPaused)
        fill(button, icon(isPaused ? 'play' : 'pause'), h('span', {}, isPaused ? 'Go on' : 'Pause'))
    }

    /**
     * A number on a button.
     *
     * @param {'' | 'active' | 'bad'} style
     * @param {string} meaning What the number counts, in words.
     */
    mark(name, number, style, meaning) {
        const button = at(`tool-${name}`)
        button.querySelector('.badge')?.remove()
        if (number > 0) button.append(h('span.badge', { title: meaning }, number))
        button.setAttribute('aria-label', number > 0 ? `${TOOLS[name][1]}: ${meaning}` : TOOLS[name][1])
        button.classList.toggle('active', style === 'active')
        button.classList.toggle('bad', style === 'bad')
    }
}

/** From the system's theme to dark, to light, and back. */
function changeTheme() {
    const root = document.documentElement
    const next = { undefined: 'dark', dark: 'light', light: undefined }[root.dataset.theme]
    if (next) root.dataset.theme = next
    else delete root.dataset.theme
    localStorage.setItem('collector-theme', next ?? '')
    announce(next ? `The theme is ${next}.` : 'The theme is the system\'s.')
}
