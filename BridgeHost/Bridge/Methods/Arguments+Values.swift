import JSONRPC
import TrackerModels

extension Arguments {
    /// The object of a parameter, if one was given.
    func properties(_ index: Int) -> Properties? { value(index).map { Properties(accepted: $0) } }

    /// The message id, if one was given.
    ///
    /// - Throws: INVALID_PARAMS if it is none.
    func messageID(_ index: Int) throws(RPCError) -> MessageID? {
        guard let text = optionalString(index) else { return nil }
        guard let id = MessageID(text) else {
            throw fault(index, MessageID.rule)
        }
        return id
    }

    /// A duration in milliseconds, if one was given.
    ///
    /// - Throws: INVALID_PARAMS if it is negative.
    func milliseconds(_ index: Int) throws(RPCError) -> Duration? {
        guard let count = integer(index) else { return nil }
        guard count >= 0 else { throw fault(index, "must not be negative") }
        return .milliseconds(count)
    }

    /// The value of a required parameter that is a number.
    func requiredNumber(_ index: Int) throws(RPCError) -> Double {
        guard let number = try number(index) else { throw fault(index, "must be a number") }
        return number
    }

    /// The value of a parameter that is one of a few words.
    ///
    /// - Throws: INVALID_PARAMS naming them.
    func word<Word: RawRepresentable<String> & CaseIterable>(_ index: Int) throws(RPCError) -> Word {
        guard let word = Word(rawValue: try string(index)) else {
            throw fault(index, "must be \(Word.allCases.map { "'\($0.rawValue)'" }.joined(separator: " or "))")
        }
        return word
    }

    /// The value of a parameter that is one of a few words, if one was given.
    ///
    /// - Throws: INVALID_PARAMS naming them.
    func optionalWord<Word: RawRepresentable<String> & CaseIterable>(_ index: Int) throws(RPCError) -> Word? {
        value(index) == nil ? nil : try word(index)
    }
}
