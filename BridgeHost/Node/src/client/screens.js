/** How long a page may take to say its title. */
const TITLE_WAIT_MS = 250

/**
 * Follows the pages that an Electron window shows: the title is the screen's name, the URL tells it from others.
 *
 * A page's title comes after the navigation to it, so a screen is reported when its title comes, when the wait for it
 * is over, or at the next navigation, whichever is first.
 *
 * @param {import('node:events').EventEmitter & { getTitle?(): string }} webContents
 * @param {(name: string, url: string) => void} report
 * @param {object} [options]
 * @param {number} [options.titleWaitMs]
 * @returns {() => void} Ends it, after reporting what still waits for its title.
 */
export function followScreens(webContents, report, { titleWaitMs = TITLE_WAIT_MS } = {}) {
    /** @type {{ url: string, timer: NodeJS.Timeout } | null} */
    let waiting = null

    const finish = (title) => {
        if (!waiting) return
        const { url, timer } = waiting
        waiting = null
        clearTimeout(timer)
        report(title || url, url)
    }
    const navigated = (url) => {
        finish()
        if (typeof url !== 'string' || url === '') return
        waiting = { url, timer: setTimeout(() => finish(webContents.getTitle?.()), titleWaitMs) }
    }

    const listeners = {
        'did-navigate': (_event, url) => navigated(url),
        'did-navigate-in-page': (_event, url, isMainFrame) => {
            if (isMainFrame !== false) navigated(url)
        },
        'page-title-updated': (_event, title) => finish(title),
        destroyed: () => stop(),
    }
    const stop = () => {
        for (const [event, listener] of Object.entries(listeners)) webContents.removeListener(event, listener)
        finish()
    }
    for (const [event, listener] of Object.entries(listeners)) webContents.on(event, listener)
    return stop
}
