import { send } from './http.js'

/** What a shop's visitors do: enough of everything to fill the collector's page for a picture or a test. */

const PRODUCTS = ['Linen shirt', 'Wool scarf', 'Canvas bag', 'Leather belt']
const SCREENS = ['Home', 'Sale', 'Product', 'Cart', 'Checkout']

/** One client: its session, its sequence, its key. */
export class Visitor {
    #url
    #number = 0
    #name

    /** @param {string} url The collector's. @param {string} name Such as `ada`. */
    constructor(url, name) {
        this.#url = url
        this.#name = name
    }

    async begin() {
        const body = { device_id: uuid(this.#name, 1), os_name: 'Linux', device_type: 'Desktop', brand_id: 925 }
        const { json } = await this.#send(
            'POST', '/v2/tracking-session', body, { 'Idempotency-Key': uuid(this.#name, 2) },
        )
        this.session = json.data.id
        return this
    }

    /** Leaves everything behind, as a reset does: another device, another session; the numbers go on. */
    renew(name) {
        this.#name = name
        return this.begin()
    }

    track(name, data, changes = {}) {
        const body = { brand_id: 925, session_id: this.session, event_name: name, data, ...changes }
        return this.#record('POST', '/v2/tracking-session-data', body)
    }

    screen(name) {
        return this.track('VIEW_PAGE', { screen: name, url: `https://shop.example.com/${name.toLowerCase()}` })
    }

    identify(user, profile) {
        const path = `/v2/tracking-session/${this.session}/identify/${user}`
        return this.#record('PUT', path, undefined, ':identify')
            .then(
                () => this.#record(
                    'PUT', '/v1/customer-profiles/set',
                    { brand_id: 925, session_id: this.session, user_id: user, ...profile },
                ),
            )
    }

    locate() {
        return this.#record(
            'PUT', `/v2/tracking-session/${this.session}/location`,
            { latitude: 52.52, longitude: 13.405, accuracy: 12 },
        )
    }

    /** Leaves out a number, as if a record had been lost. */
    skip() {
        this.#number++
    }

    /** Sends the last one again, under the same key. */
    again() {
        return this.#last().catch(() => {})
    }

    #last = () => Promise.resolve()

    #record(method, path, body, suffix = '') {
        // An identify and its profile are one record: one number, one id.
        if (!(method === 'PUT' && path.endsWith('/set') && this.#pending)) this.#number++
        this.#pending = suffix !== ''
        const headers = {
            'Idempotency-Key': `${uuid(this.#name, 100 + this.#number)}${suffix}`,
            'X-Sequence': String(this.#number),
            'X-Occurred-At': new Date().toISOString(),
        }
        this.#last = () => this.#send(method, path, body, headers)
        return this.#last()
    }

    #pending = false

    #send(method, path, body, headers) {
        const type = body === undefined ? {} : { 'Content-Type': 'application/json' }
        const all = {
            'User-Agent': 'mobile-tracker/0.1.0 (Linux)', 'X-API-Key': 'shop-key-12345678', ...type, ...headers,
        }
        return send(this.#url, { method, path, headers: all, body })
    }
}

/** Plays a few minutes of a shop: three visitors, a fault, a gap, a repeat, a bad event, a batch. */
export async function playShop(collector, { sendBatch }) {
    const { url } = collector
    const [ada, ben, eve] = await Promise.all(['ada', 'ben', 'eve'].map((name) => new Visitor(url, name).begin()))
    for (const [i, visitor] of [ada, ben, eve, ada, ben].entries()) {
        await visitor.screen(SCREENS[i % SCREENS.length])
        await visitor.track('PRODUCT_VIEWED', { product: PRODUCTS[i % 4], price: 29.9 + 10 * i, in_stock: true })
    }
    await ada.identify('customer-17', { name: 'Ada', email: 'ada@example.com', extra: { plan: 'gold' } })
    await ada.track('ADDED_TO_CART', { product: PRODUCTS[1], quantity: 2, price: 39.9 })
    await ben.locate()
    await sendBatch()
    collector.faults('503×2:kind=event')
    await eve.track('SEARCHED', { query: 'winter coat', results: 42 })
    await eve.again()
    await eve.again()
    collector.faults([])
    await ben.track('ADDED_TO_CART', { product: PRODUCTS[2], quantity: 1, price: 19 })
    await ben.track('CHECKOUT_STARTED', { items: 1, total: 19, coupon: null }, { brand_id: '925', step: 'address' })
    await ada.screen('Checkout')
    await ada.track('PURCHASE', { order_id: 'order-4711', total: 149.99, currency: 'EUR', items: 3, flow_id: 'v2' })
    await ada.again()
    ben.skip()
    await ben.track('PURCHASE', { order_id: 'order-4712', total: 19, currency: 'EUR', items: 1, coupon: 'WELCOME' })
    await eve.screen('Sale')
    return { ada, ben, eve }
}

/** An id that is the same in every run. */
function uuid(name, number) {
    const digits = [...name].map((letter) => letter.charCodeAt(0).toString(16)).join('').padEnd(8, '0').slice(0, 8)
    return `${digits}-0a19-44da-b4c3-${number.toString(16).padStart(12, '0')}`
}
