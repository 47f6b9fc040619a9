import { CollectorPanel } from './collector-panel.js'
import { atExit } from './exit.js'
import { HostLink } from './host-link.js'
import { ANALYTICS, BASIC, TRACKER } from './methods.js'
import { News } from './news.js'
import { followScreens } from './screens.js'
import { makeFunctions } from './surface.js'

/** How long the end of the program may be put off for what is not sent yet. The host itself goes on for a while. */
const EXIT_FLUSH_MS = 5000

/**
 * Makes a tracker with a host of its own, which is started on first use.
 *
 * @param {object} [options]
 * @param {string} [options.hostPath] The host program, instead of looking for it.
 * @param {string[]} [options.hostArguments] What to start it with.
 * @param {'inherit' | 'ignore'} [options.stderr] Where the host's log goes: to this program's stderr, or nowhere.
 * @param {boolean} [options.collectorPanel] Whether to show a development collector how the clients stand.
 */
export function createTracker({
    hostPath, hostArguments = [], stderr = 'inherit', collectorPanel = process.env.MOBILE_TRACKER_COLLECTOR_PANEL === '1',
} = {}) {
    const warn = (message) => console.warn(`[MobileTracker] ${message}`)
    const news = new News({ subscribe: (topic) => link.subscribe(topic), warn })
    const link = new HostLink({
        hostPath,
        hostArguments,
        onStderr: stderr === 'inherit' ? passOn : () => {},
        onNotification: (notification) => news.receive(notification),
        warn,
    })
    const exit = flushAtExit(link)
    const panel = collectorPanel ? new CollectorPanel(link) : null
    const used = () => {
        exit.used()
        panel?.start()
    }
    const end = () => {
        panel?.stop()
        return link.shutdown()
    }
    const observer = { warn, used }
    const tracker = makeFunctions(TRACKER, '', link, observer)
    const quiet = makeFunctions({ screenDidAppear: TRACKER.screenDidAppear }, '', link, {
        ...observer,
        warn: (message, reason) => void (reason === 'REPEATED_SCREEN' || warn(message)),
    })
    return {
        ...tracker,
        analytics: makeFunctions(ANALYTICS, 'analytics.', link, observer),
        basic: makeFunctions(BASIC, 'basic.', link, observer),
        on: (event, listener) => news.on(event, listener),
        trackScreens: (webContents, options) => followScreens(webContents, quiet.screenDidAppear, options),
        shutdown: end,
        close: end,
    }
}

/** Passes the host's log on. If nobody reads this program's stderr, that must not end the program. */
function passOn(text) {
    process.stderr.write(text, (error) => {
        if (error && process.stderr.listenerCount('error') === 0) process.stderr.once('error', () => {})
    })
}

/** Sends what is left before the program ends, once for all that was called since the last time. */
function flushAtExit(link) {
    let isUsed = false
    let isKnown = false
    const leaving = {
        beforeExit() {
            if (!isUsed || !link.isRunning) return
            isUsed = false
            const params = JSON.stringify({ timeoutMs: EXIT_FLUSH_MS })
            // Their promises keep the program alive; what they say is of no use to anybody now.
            if (link.uses('tracker')) link.call('flush', params)
            if (link.uses('analytics')) link.call('analytics.flush', params)
            if (link.uses('basic')) link.call('basic.flush', params)
        },
        exit: () => link.flushWrites(),
    }
    return {
        used() {
            isUsed = true
            if (!isKnown) atExit(leaving)
            isKnown = true
        },
    }
}
