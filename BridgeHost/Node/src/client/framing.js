import { StringDecoder } from 'node:string_decoder'

/** Splits a stream of bytes into lines, in time linear in its length however it is chunked. */
export class LineReader {
    #decoder = new StringDecoder('utf8')
    #parts = []
    #onLine

    /** @param {(line: string) => void} onLine Called with each line that is not blank, without its end. */
    constructor(onLine) {
        this.#onLine = onLine
    }

    /** @param {Buffer} chunk Any piece of the stream; it may end inside a character. */
    push(chunk) {
        const text = this.#decoder.write(chunk)
        let start = 0
        for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
            this.#parts.push(text.slice(start, end))
            this.#emit()
            start = end + 1
        }
        if (start < text.length) this.#parts.push(text.slice(start))
    }

    /** The stream ended: the rest is the last line. */
    end() {
        this.#parts.push(this.#decoder.end())
        this.#emit()
    }

    #emit() {
        const line = this.#parts.length === 1 ? this.#parts[0] : this.#parts.join('')
        this.#parts = []
        if (line.trim() !== '') this.#onLine(line)
    }
}
