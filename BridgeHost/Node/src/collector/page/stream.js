/**
 * Listens to the collector, and goes on where it was when the connection comes back.
 *
 * The browser sends `Last-Event-ID` by itself; the collector then leaves out what the page has. Where it cannot (it was
 * started anew, or everything was forgotten meanwhile) the page begins anew as well.
 *
 * @param {object} page What to do with what comes.
 * @param {(state: 'live' | 'reconnecting') => void} page.connection
 * @param {(facts: object) => void} page.hello
 * @param {() => void} page.restart Forget all: it comes again.
 * @param {(records: object[]) => void} page.records
 * @param {(state: object) => void} page.state
 * @param {(account: object) => void} page.account
 */
export function listen(page) {
    const source = new EventSource('/live')
    let run = null
    let clears = 0
    const on = (name, act) => source.addEventListener(name, ({ data }) => act(JSON.parse(data)))

    on('hello', (facts) => {
        if (run !== null && (facts.run !== run || facts.clears !== clears || !facts.resumed)) page.restart()
        run = facts.run
        clears = facts.clears
        page.hello(facts)
        page.connection('live')
    })
    on('cleared', (facts) => {
        clears = facts.clears
        page.restart()
    })
    on('requests', page.records)
    on('state', page.state)
    on('account', page.account)
    source.addEventListener('error', () => page.connection('reconnecting'))
}
