import { setImmediate } from './clock.js'

/**
 * A promise that knows whether anybody uses its result.
 *
 * `await` and all other users of a promise of a subclass call its `then`.
 */
export class CallPromise extends Promise {
    /** Whether anybody has called `then`. */
    isWatched = false

    /** `then` returns an ordinary promise. */
    static get [Symbol.species]() {
        return Promise
    }

    then(...reactions) {
        this.isWatched = true
        return super.then(...reactions)
    }

    /**
     * Keeps a rejection from ending the program. Runs `action` if nobody has called `then` by the end of this tick.
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
