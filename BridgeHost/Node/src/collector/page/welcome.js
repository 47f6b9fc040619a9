import { copy, fill, h } from './dom.js'
import { icon } from './icons.js'

/** The lines that make a first event come, in each language. */
const LINES = {
    Node: (url) => `import MobileTracker from '@mobiletracker/bridge'

await MobileTracker.init('925', { apiUrl: '${url}', xApiKey: 'test-key' })
await MobileTracker.track('PURCHASE', { total: 149.99 })`,

    Swift: (url) => `import TrackerCore

let config = TrackerConfig(apiUrl: "${url}", xApiKey: "test-key")
try await MobileTracker.shared.initialize(brandId: "925", config: config)
await MobileTracker.shared.track(eventName: "PURCHASE", attributes: ["total": 149.99])
await MobileTracker.shared.shutdown()`,

    Python: (url) => `import json, subprocess

host = subprocess.Popen([".build/release/BridgeHost"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

def call(number, method, *params):
    print(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}), file=host.stdin, flush=True)
    return json.loads(host.stdout.readline())

print(call(1, "init", "925", {"apiUrl": "${url}", "xApiKey": "test-key"}))
print(call(2, "track", "PURCHASE", {"total": 149.99}))
print(call(3, "flush"))`,

    curl: (url) => `curl ${url}/v2/tracking-session-data \\
    -H 'Content-Type: application/json' -H 'X-API-Key: test-key' \\
    -d '{"brand_id": 925, "session_id": "s-1", "event_name": "PURCHASE", "data": {"total": 149.99}}'`,
}

/** What stands where nothing has come yet: how to make something come. */
export class Welcome {
    #place
    #chosen = 'Node'

    constructor(place) {
        this.#place = place
    }

    draw() {
        const text = LINES[this.#chosen](location.origin)
        const code = h(
            'pre.code', { id: 'lines', role: 'tabpanel', tabindex: '0', 'aria-labelledby': `lines-${this.#chosen}` },
            text,
        )
        const button = h(
            'button.quiet.copy', { type: 'button', onclick: () => copy(text, button) }, icon('copy'), 'Copy',
        )
        fill(this.#place, h('div.welcome', {},
            h('h2', {}, 'Nothing has come yet'),
            h(
                'p', {}, 'Point a client at ', h('code', {}, location.origin),
                ' and run it. Each event appears here the moment it arrives, checked against the protocol.',
            ),
            h(
                'div.lines', {},
                h(
                    'div.tabs', { role: 'tablist', 'aria-label': 'Language' },
                    Object.keys(LINES).map((name) => this.#tab(name)),
                ),
                button, code,
            ),
            h('ul.hints', {},
                h(
                    'li', {}, 'Give the address as ', h('code', {}, 'apiUrl'), ', ', h('code', {}, 'ingestionHost'),
                    ' or ', h('code', {}, 'endpoint'), ', with any key.',
                ),
                h(
                    'li', {}, 'Press ', h('kbd', {}, 'f'),
                    ' to make requests fail: an outage, a slow network, lost answers.',
                ),
                h('li', {}, 'Press ', h('kbd', {}, '?'), ' for every key.'))))
    }

    #tab(name) {
        const isChosen = name === this.#chosen
        return h('button', {
            type: 'button', role: 'tab', id: `lines-${name}`, 'aria-selected': String(isChosen),
            'aria-controls': 'lines', tabindex: isChosen ? '0' : '-1',
            onclick: () => this.#choose(name), onkeydown: (event) => this.#step(event),
        }, name)
    }

    #step({ key }) {
        const by = { ArrowRight: 1, ArrowLeft: -1 }[key]
        const names = Object.keys(LINES)
        if (by) this.#choose(names[(names.indexOf(this.#chosen) + by + names.length) % names.length])
    }

    #choose(name) {
        this.#chosen = name
        this.draw()
        this.#place.querySelector('[aria-selected=true]').focus()
    }
}

/** What stands where nothing of what came fits the filters. */
export function drawNothingFits(place, clear) {
    fill(
        place,
        h(
            'div.nothing', {}, h('h2', {}, 'No event fits the filters'),
            h('button', { type: 'button', onclick: clear }, 'Clear filters'),
        ),
    )
}
