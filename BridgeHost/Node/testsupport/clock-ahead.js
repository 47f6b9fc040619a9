/**
 * A clock for the client that goes as usual, and that a program can set forward. Import it before the client, which keeps
 * the functions that it finds.
 */
const { setTimeout, clearTimeout } = globalThis
const now = performance.now.bind(performance)
let ahead = 0

/** Those that wait, with what they do and when. @type {Map<NodeJS.Timeout, { action: () => void, at: number }>} */
const timers = new Map()

performance.now = () => now() + ahead

globalThis.setTimeout = (action, time) => {
    const timer = setTimeout(() => run(timer), time)
    timers.set(timer, { action, at: performance.now() + time })
    return timer
}

globalThis.clearTimeout = (timer) => {
    timers.delete(timer)
    clearTimeout(timer)
}

/** Sets the clock forward, and does what is due by then, in its order. @param {number} time Milliseconds. */
export function setForward(time) {
    ahead += time
    const due = [...timers].filter(([, { at }]) => at <= performance.now())
    for (const [timer] of due.sort(([, one], [, other]) => one.at - other.at)) run(timer)
}

function run(timer) {
    const action = timers.get(timer)?.action
    globalThis.clearTimeout(timer)
    action?.()
}
