/** How much of the stack is kept of a call that may reject. */
const FRAMES = 10

/** Where a call was made. It is put into words only when somebody wants to read it. */
export class Trace {
    /**
     * @param {Function} callee What was called: the line that called it comes first.
     * @param {boolean} isShort Whether that line is all that is kept, since there may be very many calls.
     */
    constructor(callee, isShort) {
        const { stackTraceLimit } = Error
        // With frozen intrinsics it stays as it is.
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
        return place ? ` (at ${place})` : ''
    }
}
