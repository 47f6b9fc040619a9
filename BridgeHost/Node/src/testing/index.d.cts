import type { DropReason, Id, Properties, RecordedCall, Tracker, TrackerOptions } from '../client/index.cjs'

export type { RecordedCall } from '../client/index.cjs'

type CallId = 'userId' | 'anonymousId' | 'groupId' | 'advertisingId' | 'sourceSessionId'

/** What a call has besides its name and values. Calls that were dropped are found by their reason alone. */
export type CallMembers = Partial<Omit<RecordedCall, 'name' | 'properties' | 'outcome' | CallId> & Record<CallId, Id>> & {
    /** Why the call was dropped. */
    droppedAs?: DropReason
}

/**
 * A tracker for a test. It checks calls and answers them as any tracker does, keeps them in memory and sends nothing.
 *
 * A client that your program does not initialise itself is initialised by its first call. Requests are answered at once,
 * so nothing remains after a `flush`. Make one for each test, and shut it down.
 */
export interface TestTracker extends Tracker {
    /** The calls so far, of all clients, in the order in which they were made. */
    calls(): Promise<readonly RecordedCall[]>
    /**
     * The calls that have a name and some values, among others. Objects are compared member by member, lists as a whole.
     * The name is that of the event, screen or page; of other calls it is the method, such as `identify`.
     */
    find(name: string, properties?: Properties | null, call?: CallMembers): Promise<readonly RecordedCall[]>
    /**
     * Rejects with an AssertionError unless there are such calls: `count` of them, by default at least one. It says what
     * was expected, which call came nearest, and what of it differs.
     */
    expect(
        name: string, properties?: Properties | null, call?: CallMembers & { count?: number },
    ): Promise<readonly RecordedCall[]>
    /** Drops valid calls for this reason from now on, as the product would; without one they are taken again. */
    fail(reason?: DropReason | null): Promise<void>
    /** Forgets the calls so far, and takes calls again. The clients stay as they are. */
    clear(): Promise<void>
}

/** Makes a tracker for a test. Its first call starts a host, which takes some milliseconds. */
export function createTestTracker(options?: TrackerOptions): TestTracker
