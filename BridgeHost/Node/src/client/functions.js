// Made by `make generate` from the host's method table: a change here is lost.
import { MobileTracker } from './shared.js'

export const {
    init,
    track,
    identify,
    set,
    setMetadata,
    screen,
    screenDidAppear,
    updateLocation,
    updateSessionEmail,
    linkSession,
    reset,
    flush,
    setCredentials,
    setConsent,
    isTrackingAllowed,
    getSessionId,
    getDeviceId,
    getSessionEmail,
    getBrandId,
    getCrossDomainUrl,
    continueSession,
    getDebugInfo,
    networkDidChange,
} = MobileTracker
