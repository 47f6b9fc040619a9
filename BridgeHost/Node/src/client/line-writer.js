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
        process.nextTick(() => this.flush())
    }

    /** Writes now what the stream accepts. */
    flush() {
        this.#isScheduled = false
        while (!this.#isBlocked && !this.#isClosed && this.#next < this.#queue.length) {
            this.#isBlocked = !this.#stream.write(this.#takeChunk())
        }
        this.#forgetWritten()
    }

    /** Stops writing. */
    close() {
        this.#isClosed = true
        this.#queue = []
        this.#next = 0
    }

    #takeChunk() {
        let chunk = ''
        while (this.#next < this.#queue.length && chunk.length < CHUNK) {
            const message = this.#queue[this.#next++]
            message.written = true
            chunk += message.text
        }
        this.#length -= chunk.length
        return chunk
    }

    /** Removes written messages once they are half of the queue. Removing each by itself would be quadratic. */
    #forgetWritten() {
        if (this.#next * 2 < this.#queue.length) return
        this.#queue = this.#queue.slice(this.#next)
        this.#next = 0
    }
}
