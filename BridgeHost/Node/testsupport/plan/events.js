// Made by "mobile-tracker plan types". Change the plan and make it again, not this file.

/** Gives the functions that track with this tracker. */
export function plannedEvents(tracker) {
    return {
        purchase: (data = {}, ...more) => tracker.track("PURCHASE", data, ...more),
        signedUp: (data = {}, ...more) => tracker.track("Signed Up", data, ...more),
        logout: (data = {}, ...more) => tracker.track("LOGOUT", data, ...more),
        search: (data = {}, ...more) => tracker.track("SEARCH", data, ...more),
        screenProduct: (properties = {}, ...more) => tracker.screen("Product", properties, ...more),
        screenHome: (properties = {}, ...more) => tracker.screen("Home", properties, ...more),
        identify: (userId, traits = {}, ...more) => tracker.identify(userId, traits, ...more),
        group: (groupId, traits = {}, ...more) => tracker.group(groupId, traits, ...more),
    }
}
