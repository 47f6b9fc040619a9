import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SWITCHES = [
    '--headless', '--remote-debugging-pipe', '--no-first-run', '--no-default-browser-check', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--disable-gpu', '--disable-dev-shm-usage', '--mute-audio', '--hide-scrollbars', 'about:blank',
]

/** How long a page may take to be as a test expects, in milliseconds. It ends a test that would wait for ever. */
export const PATIENCE = Number(process.env.PATIENCE ?? 30_000)

/**
 * A Chromium without a window, spoken to over a pair of pipes: one message of the DevTools protocol after another, each
 * ended by a zero byte.
 */
export class Browser {
    #child
    #folder
    #number = 0
    /** Number of a call to what waits for its answer. */
    #calls = new Map()
    /** Listeners to the events of each page. */
    #listeners = new Map()

    constructor(env = {}) {
        this.#folder = mkdtempSync(join(tmpdir(), 'collector-page-'))
        // Chromium's own sandbox does not work for root.
        const own = [`--user-data-dir=${this.#folder}`, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
        this.#child = spawn(
            'chromium', [...own, ...SWITCHES],
            { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } },
        )
        this.#child.on(
            'error',
            (error) => this.#fail(new Error(`Chromium does not start (.ci/setup tests installs it): ${error.message}`)),
        )
        this.#child.on('exit', () => this.#fail(new Error('Chromium has ended.')))
        for (const pipe of [this.#child.stdio[3], this.#child.stdio[4]]) pipe?.on('error', () => {})
        let text = ''
        this.#child.stdio[4]?.setEncoding('utf8').on('data', (chunk) => {
            const messages = (text + chunk).split('\0')
            text = messages.pop()
            for (const message of messages) this.#receive(JSON.parse(message))
        })
    }

    /** Opens a page of its own profile. @returns {Promise<BrowserPage>} */
    async open(url, { width = 1280, height = 800, dark = false } = {}) {
        const { browserContextId } = await this.call('Target.createBrowserContext', {})
        const { targetId } = await this.call('Target.createTarget', { url: 'about:blank', browserContextId })
        const { sessionId } = await this.call('Target.attachToTarget', { targetId, flatten: true })
        const page = new BrowserPage(this, sessionId, browserContextId)
        for (const domain of ['Page', 'Runtime', 'Log']) await page.call(`${domain}.enable`)
        await page.resize(width, height)
        await page.scheme(dark)
        await page.go(url)
        return page
    }

    /** @returns {Promise<any>} */
    call(method, params = {}, sessionId = undefined) {
        const id = ++this.#number
        this.#child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
        return new Promise((resolve, reject) => {
            const guard = setTimeout(
                () => reject(new Error(`${method} was not answered: ${JSON.stringify(params).slice(0, 300)}`)),
                2 * PATIENCE,
            )
            const settle = (act) => (value) => {
                clearTimeout(guard)
                act(value)
            }
            this.#calls.set(id, { method, resolve: settle(resolve), reject: settle(reject) })
        })
    }

    /** @param {(method: string, params: any) => void} listener */
    listen(sessionId, listener) {
        this.#listeners.set(sessionId, listener)
    }

    async close() {
        const ended = new Promise(
            (resolve) => (this.#child.exitCode !== null || this.#child.signalCode ? resolve() : this.#child.once('exit', resolve)),
        )
        // Asked to end, it ends its other processes first; killed, it would leave them writing into its folder.
        this.call('Browser.close').catch(() => {})
        const guard = setTimeout(() => this.#child.kill('SIGKILL'), PATIENCE)
        await ended
        clearTimeout(guard)
        rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    }

    #receive({ id, result, error, method, params, sessionId }) {
        if (id === undefined) return this.#listeners.get(sessionId)?.(method, params)
        const call = this.#calls.get(id)
        this.#calls.delete(id)
        if (error) call.reject(new Error(`${call.method}: ${error.message}`))
        else call.resolve(result)
    }

    #fail(error) {
        for (const { reject } of this.#calls.values()) reject(error)
        this.#calls.clear()
    }
}

/** One page of a browser. */
export class BrowserPage {
    #browser
    #session
    #context
    #loaded = () => {}
    /** What the page has written to its console, and what its policy has blocked. @type {string[]} */
    complaints = []

    constructor(browser, session, context) {
        this.#browser = browser
        this.#context = context
        this.#session = session
        browser.listen(session, (method, params) => {
            if (method === 'Page.loadEventFired') this.#loaded()
            if (method === 'Runtime.exceptionThrown') this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text)
            if (method === 'Log.entryAdded' && params.entry.level === 'error') this.complaints.push(`${params.entry.text} ${params.entry.url ?? ''}`)
            if (method === 'Runtime.consoleAPICalled' && params.type === 'error') this.complaints.push(JSON.stringify(params.args))
        })
    }

    call(method, params) {
        return this.#browser.call(method, params, this.#session)
    }

    /** The name of its profile. */
    get context() {
        return this.#context
    }

    /** Closes it, and forgets its profile. */
    close() {
        return this.#browser.call('Target.disposeBrowserContext', { browserContextId: this.#context })
    }

    async go(url) {
        const loaded = new Promise((resolve) => (this.#loaded = resolve))
        await this.call('Page.navigate', { url })
        await loaded
    }

    resize(width, height) {
        return this.call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false })
    }

    scheme(dark) {
        return this.call(
            'Emulation.setEmulatedMedia',
            { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] },
        )
    }

    /** What an expression comes to in the page; a promise is awaited. */
    async value(expression) {
        const { result, exceptionDetails } = await this.call(
            'Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true },
        )
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
        return result.value
    }

    /** Waits until an expression is true in the page: it is asked whenever the page has changed or drawn a frame. */
    async until(expression) {
        const reached = await this.value(`new Promise((resolve) => {
            const end = performance.now() + ${PATIENCE}
            const look = () => {
                let isReached = false
                try { isReached = (${expression}) } catch {}
                if (isReached || performance.now() > end) return resolve(Boolean(isReached))
                requestAnimationFrame(look)
            }
            look()
        })`)
        if (!reached) throw new Error(`The page did not come to: ${expression}\n${await this.text('main')}`)
    }

    text(selector) {
        return this.value(`document.querySelector(${JSON.stringify(selector)})?.innerText`)
    }

    /** Clicks in the middle of an element, as a hand does. */
    async click(selector) {
        await this.until(`document.querySelector(${JSON.stringify(selector)})?.checkVisibility()`)
        const { x, y } = await this.value(`(() => {
            const element = document.querySelector(${JSON.stringify(selector)})
            element.scrollIntoView({ block: 'nearest' })
            const box = element.getBoundingClientRect()
            return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
        })()`)
        for (const type of ['mousePressed', 'mouseReleased']) {
            await this.call('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 })
        }
    }

    /** Presses one key: a letter, a sign, or `Enter`, `Escape`, `ArrowDown`, `Tab`. */
    async press(key) {
        const codes = { Enter: 13, Escape: 27, ArrowDown: 40, ArrowUp: 38, ArrowRight: 39, Tab: 9 }
        const text = key === 'Enter' ? '\r' : key.length === 1 ? key : undefined
        const windowsVirtualKeyCode = codes[key] ?? key.toUpperCase().charCodeAt(0)
        await this.call(
            'Input.dispatchKeyEvent', { type: text ? 'keyDown' : 'rawKeyDown', key, text, windowsVirtualKeyCode },
        )
        await this.call('Input.dispatchKeyEvent', { type: 'keyUp', key, windowsVirtualKeyCode })
    }

    write(text) {
        return this.call('Input.insertText', { text })
    }

    /** @returns {Promise<Buffer>} PNG. */
    async picture() {
        const { data } = await this.call('Page.captureScreenshot', { format: 'png' })
        return Buffer.from(data, 'base64')
    }
}
