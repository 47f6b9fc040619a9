import { MobileTrackerError } from './errors.js'
import { createTracker } from './tracker.js'

/** The tracker that most programs need: one for all, whose host is started on first use. */
export const MobileTracker = { ...createTracker(), createTracker, MobileTrackerError }

// What `require` gives is the tracker itself; transpiled imports look for it under `default`.
Object.defineProperty(MobileTracker, 'default', { value: MobileTracker })
// As the types say: it has its own name as well, for both kinds of module.
Object.defineProperty(MobileTracker, 'MobileTracker', { value: MobileTracker })
