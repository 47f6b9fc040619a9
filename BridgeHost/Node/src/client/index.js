import { MobileTracker } from './shared.js'

export default MobileTracker
export { MobileTracker }
export const {
    analytics, basic, close, createTracker, host, MobileTrackerError, on, refused, shutdown, trackScreens,
} = MobileTracker
export * from './functions.js'
