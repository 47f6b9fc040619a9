/**
 * A promise that knows whether anybody looks at what becomes of it.
 *
 * `await` and everything else of the language ask a promise of another class by its `then`.
 */
export class CallPromise extends Promise {
    /** Whether anybody waits for it. */
    isWatched = false

    /** What comes of it is an ordinary promise. */
    static get [Symbol.species]() {
        return Promise
    }

    then(...reactions) {
        this.isWatched = true
        return super.then(...reactions)
    }

    /**
     * If nobody waits for it by the end of the tick in which it is rejected, does something instead of ending the
     * program.
     *
     * @param {() => void} action
     */
    ifUnwatched(action) {
        super.then(undefined, () => {})
        setImmediate(() => {
            if (!this.isWatched) action()
        })
    }
}
