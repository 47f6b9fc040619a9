/// Which records travel together in one request, and so which key it has.
package struct GroupExtent: Hashable, Sendable {
    package var first: Record.ID
    package var last: Record.ID
    package var count: Int

    package init(first: Record.ID, last: Record.ID, count: Int) {
        self.first = first
        self.last = last
        self.count = count
    }
}
