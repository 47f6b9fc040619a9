extension StringProtocol {
    /// Where `mark` stands first, compared byte by byte; `nil` if it stands nowhere.
    ///
    /// The standard library's `firstRange(of:)` does the same, and brings the machinery of regular expressions with
    /// it: a megabyte in a host that carries its own runtime.
    package func place(of mark: String) -> Range<Index>? {
        let bytes = utf8
        guard !mark.isEmpty else { return startIndex..<startIndex }
        var start = bytes.startIndex
        while start != bytes.endIndex {
            if bytes[start...].starts(with: mark.utf8) {
                return start..<bytes.index(start, offsetBy: mark.utf8.count)
            }
            bytes.formIndex(after: &start)
        }
        return nil
    }
}
