// Made by "mobile-tracker plan types". Change the plan and make it again, not this file.

/** Gives the functions that track with this tracker. */
export function plannedEvents(tracker) {
    return {
        purchase: (data = {}) => tracker.track("PURCHASE", data),
        signedUp: (data = {}) => tracker.track("Signed Up", data),
        logout: (data = {}) => tracker.track("LOGOUT", data),
        search: (data = {}) => tracker.track("SEARCH", data),
    }
}
