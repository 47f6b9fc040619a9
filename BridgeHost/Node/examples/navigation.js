// How an Electron program tracks the pages of its window. The window here is simulated: it emits the events of Electron's
// `webContents`, so this runs without Electron.
//
//     node examples/navigation.js
//
// MOBILE_TRACKER_API_URL is the backend; without it, the collector that `mobile-tracker collect` runs.
import { EventEmitter } from 'node:events'
import MobileTracker from '@mobiletracker/bridge'

class SimulatedWebContents extends EventEmitter {
    #title = ''

    getTitle() {
        return this.#title
    }

    /** As `window.loadURL` does: first the navigation, then the page says its title. */
    open(url, title) {
        this.emit('did-navigate', {}, url, 200, 'OK')
        this.#title = title
        this.emit('page-title-updated', {}, title, true)
    }
}

await MobileTracker.init('925', {
    apiUrl: process.env.MOBILE_TRACKER_API_URL || 'http://127.0.0.1:8123', xApiKey: 'any-key-12345678',
    sessionCreation: 'inBackground',
})

// In Electron: const { webContents } = new BrowserWindow()
const webContents = new SimulatedWebContents()
const stop = MobileTracker.trackScreens(webContents) // before the first page loads

webContents.open('https://shop.example/', 'Shop')
webContents.open('https://shop.example/cart', 'Cart')
webContents.open('https://shop.example/cart', 'Cart') // a reload is not another screen
webContents.open('https://shop.example/paid', 'Thank you')
stop()

const { delivered, remaining } = await MobileTracker.flush()
console.log(`${delivered} delivered, ${remaining} wait`)
await MobileTracker.shutdown()
