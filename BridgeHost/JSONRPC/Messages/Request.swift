// Messages are JSON: one import gives its values too.
@_exported public import TrackerJSON

package struct Request: Sendable {
    package let method: String
    package let params: Params

    package init(method: String, params: Params = .none) {
        self.method = method
        self.params = params
    }
}
