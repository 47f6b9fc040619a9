package import TrackerModels

/// The answer for which a record was refused.
package struct Rejection: Hashable, Sendable {
    /// The status; `nil` if the record was not sent.
    package var status: Int?
    /// The first bytes of the answer's body, as text.
    package var answer: String
    /// How often the record was sent, as far as this process knows.
    package var attempts: Int
    /// The session that the request named, which the generation may have lost since by another answer. It is kept as that
    /// of the record.
    package var session: SessionID?

    /// How many bytes of an answer are kept.
    private static let maxAnswerBytes = 1024

    /// - Parameter body: Its body, which may be cut short.
    package init(status: Int?, body: some Sequence<UInt8> = [], attempts: Int, session: SessionID? = nil) {
        self.status = status
        answer = String(decoding: body.prefix(Self.maxAnswerBytes).prefix { $0 != 0 }, as: UTF8.self)
        self.attempts = attempts
        self.session = session
    }
}
