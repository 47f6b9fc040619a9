/// The ids by which a call, or a scope around it, names a person and their group.
package struct PersonIDs: Hashable, Sendable {
    package var user: IDOption
    package var visitor: IDOption
    package var group: IDOption

    package init(user: IDOption = .leftOut, visitor: IDOption = .leftOut, group: IDOption = .leftOut) {
        self.user = user
        self.visitor = visitor
        self.group = group
    }

    /// Whether they say who the person is.
    package var isNamed: Bool { user.text != nil || visitor.text != nil }

    /// These ids, and for what they leave out those around them.
    ///
    /// If both name a user and it is another one, nothing is taken over: no event has the user of one person and the
    /// visitor or the group of another. Of two visitors the same holds if no user is around them.
    package func completed(by outer: PersonIDs) -> PersonIDs {
        guard !isAnother(than: outer) else { return self }
        return PersonIDs(
            user: user.otherwise(outer.user), visitor: visitor.otherwise(outer.visitor),
            group: group.otherwise(outer.group))
    }

    private func isAnother(than outer: PersonIDs) -> Bool {
        // A user may have several visitors.
        if let around = outer.user.text { return user.text.map { !$0.isSpelled(as: around) } ?? false }
        if let own = visitor.text, let around = outer.visitor.text { return !own.isSpelled(as: around) }
        return false
    }
}

extension IDOption {
    fileprivate func otherwise(_ other: IDOption) -> IDOption { self == .leftOut ? other : self }
}

extension String {
    /// Whether two ids are equal by their code points: Swift's own `==` takes two spellings of one character for the same.
    package func isSpelled(as other: String) -> Bool { unicodeScalars.elementsEqual(other.unicodeScalars) }
}
