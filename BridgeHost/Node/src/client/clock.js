/**
 * Timers and time as they were when the package was loaded.
 *
 * A test with fake timers replaces the global ones. The host is another process, and its time goes on.
 */
export const { setTimeout, clearTimeout, setImmediate } = globalThis

export const nextTick = process.nextTick.bind(process)

/** Milliseconds of a clock that is never set. */
export const now = performance.now.bind(performance)
