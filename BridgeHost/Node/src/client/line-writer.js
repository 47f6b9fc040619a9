import { nextTick } from './clock.js'

/** How many UTF-16 units go into one write: about the capacity of a pipe. */
const CHUNK = 64 * 1024

/**
 * Something to be written.
 *
 * @typedef {{ text: string, written: boolean }} Outgoing `written` becomes true when it goes to the stream.
 */

/**
 * Writes messages in their order: all of one tick in one write, and no more than the stream accepts.
 *
 * The rest waits here, so that after a crash a call that was not written can be distinguished from one that may have
 * taken effect.
 */
export class LineWriter {
    #stream
    /** @type {Outgoing[]} */
    #queue = []
    #next = 0
    /** What was given to the stream in one piece, the oldest first, as long as it may not be in the pipe. */
    #pieces = []
    #length = 0
    #isScheduled = false
    #isBlocked = false
    #isClosed = false

    /** @param {import('node:stream').Writable} stream */
    constructor(stream) {
        this.#stream = stream
        stream.on('drain', () => {
            this.#isBlocked = false
            this.flush()
        })
    }

    /** @param {Outgoing} message Its text ends with a newline. */
    send(message) {
        this.#queue.push(message)
        this.#length += message.text.length
        if (this.#isBlocked) return
        if (this.#length >= CHUNK) return this.flush()
        if (this.#isScheduled) return
        this.#isScheduled = true
        nextTick(() => this.flush())
    }

    /** Writes now what the stream accepts. */
    flush() {
        this.#isScheduled = false
        while (!this.#isBlocked && !this.#isClosed && this.#next < this.#queue.length) {
            this.#isBlocked = !this.#stream.write(this.#takePiece())
        }
        this.#forgetWritten()
    }

    /** The messages of which not all is in the pipe. @returns {Outgoing[]} */
    unwritten() {
        this.#forgetPieces()
        const [first, ...others] = this.#pieces
        const rest = others.flatMap(({ messages }) => messages).concat(this.#queue.slice(this.#next))
        if (!first) return rest
        // The system may have taken a part of the piece that it is at.
        let taken = first.size - (this.#stream._handle?.writeQueueSize ?? first.size)
        // A message that lacks only its end of line is read as well.
        return first.messages.filter(({ text }) => (taken -= Buffer.byteLength(text)) < -1).concat(rest)
    }

    /** Whether the stream takes nothing now. */
    get isBlocked() {
        return this.#isBlocked
    }

    /** Gives up what is not written yet. */
    close() {
        this.#isClosed = true
        this.#queue = []
        this.#next = 0
    }

    /** As many messages as fit, as bytes: then the stream counts in bytes too. */
    #takePiece() {
        const begin = this.#next
        let text = ''
        while (this.#next < this.#queue.length && text.length < CHUNK) {
            const message = this.#queue[this.#next++]
            message.written = true
            text += message.text
        }
        this.#length -= text.length
        const bytes = Buffer.from(text)
        this.#forgetPieces()
        this.#pieces.push({ messages: this.#queue.slice(begin, this.#next), size: bytes.length })
        return bytes
    }

    /** Forgets the pieces that the stream has written. */
    #forgetPieces() {
        let size = 0
        for (const piece of this.#pieces) size += piece.size
        while (this.#pieces.length > 0 && size > this.#stream.writableLength) size -= this.#pieces.shift().size
    }

    /** Removes written messages once they are half of the queue. Removing each by itself would be quadratic. */
    #forgetWritten() {
        if (this.#next * 2 < this.#queue.length) return
        this.#queue = this.#queue.slice(this.#next)
        this.#next = 0
    }
}
