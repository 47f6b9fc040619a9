import { clientText } from './fault.js'

/** How many lines of the stack are kept for a call that may reject. */
const FRAMES = 10

/** Where a call was made. Its text is made only when it is read, which is slow. */
export class Trace {
    /**
     * @param {Function} callee The function that was called: the stack begins with the line that called it.
     * @param {boolean} isShort Whether only that line is kept, because there may be very many calls.
     */
    constructor(callee, isShort) {
        const { stackTraceLimit } = Error
        // `Reflect.set` does not throw if intrinsics are frozen.
        Reflect.set(Error, 'stackTraceLimit', isShort ? 1 : Math.max(FRAMES, stackTraceLimit || 0))
        Error.captureStackTrace(this, callee)
        Reflect.set(Error, 'stackTraceLimit', stackTraceLimit)
    }

    /** The lines of the stack. @returns {string} */
    get lines() {
        const stack = String(this.stack)
        const end = stack.indexOf('\n')
        return end < 0 ? '' : stack.slice(end)
    }

    /** The caller's line for the end of a sentence, such as ` (at file:///app/shop.js:3:15)`; empty if unknown. */
    get place() {
        const [, place] = /^\s*at (?:.*\()?([^()]+?:\d+:\d+)\)?/m.exec(this.lines) ?? []
        return place ? clientText('at', { place }) : ''
    }
}
