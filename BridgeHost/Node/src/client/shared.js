import { MobileTrackerError } from './errors.js'
import { createTracker } from './tracker.js'

/** The tracker that most programs need: one for all, whose host is started on first use. */
export const MobileTracker = { ...createTracker(), createTracker, MobileTrackerError }

// `require` returns the tracker itself; transpiled imports expect it under `default`.
Object.defineProperty(MobileTracker, 'default', { value: MobileTracker })
// It has its own name as well, for both kinds of module, as the types say.
Object.defineProperty(MobileTracker, 'MobileTracker', { value: MobileTracker })
