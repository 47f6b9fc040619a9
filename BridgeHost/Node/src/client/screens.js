/** How long to wait for a page's title. */
const TITLE_WAIT_MS = 250

/**
 * Reports the pages that an Electron window shows. The title is the screen's name; the URL identifies the screen.
 *
 * The title of a page arrives after the navigation. So a screen is reported when its title arrives, after
 * `titleWaitMs`, or at the next navigation, whichever is first.
 *
 * @param {import('node:events').EventEmitter & { getTitle?(): string }} webContents
 * @param {(name: string, url: string) => void} report
 * @param {object} [options]
 * @param {number} [options.titleWaitMs]
 * @returns {() => void} Stops. A page that waits for its title is reported first.
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
