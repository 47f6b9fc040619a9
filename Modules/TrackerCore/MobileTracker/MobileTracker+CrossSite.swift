import TrackerModels
import TrackerStorage

extension MobileTracker {
    /// Adds the session to a URL's query, as `gt_session_id`, so that another site can continue it.
    ///
    /// - Parameter url: An absolute URL. A `gt_session_id` that is in it already is replaced. The rest of the query
    ///   and the fragment stay.
    /// - Returns: The URL with the session. It is unchanged if `crossSiteCookie` is off, if there is no session, or
    ///   if the host is outside `cookieDomain` and its subdomains.
    public func crossDomainURL(for url: String) -> String {
        guard let run = runtime.run, run.settings.config.crossSiteCookie,
            let session = run.lane.outbox.value(for: .sessionID)
        else { return url }
        var link = SessionLink(url)
        guard link.leads(into: run.settings.config.cookieDomain) else { return url }
        link.session = session
        return link.text
    }
}
