import JSONRPC
import TrackerModels

extension Arguments {
    /// Makes the error for a value of a parameter that the method does not accept.
    ///
    /// - Parameters:
    ///   - index: The parameter's place in the method's list.
    ///   - name: What the caller calls the parameter; `nil`: its name.
    ///   - option: Where in the value it is; `nil`: it is the value.
    ///   - reason: What is wrong.
    func fault(
        _ index: Int, named name: String? = nil, at option: String? = nil, _ reason: OptionFault.Reason
    ) -> RPCError {
        let fault = OptionFault(option ?? name ?? self.name(index), reason)
        return self.fault(
            index, named: name, reason.word.rawValue, fault.facts, fault.sentence(naming: fault.key))
    }

    /// What is read from a value, if one was given.
    ///
    /// - Throws: INVALID_PARAMS, with the member of it that is wrong.
    func reading<Value>(
        _ index: Int, _ read: (JSONText) throws(TrackerError) -> Value
    ) throws(RPCError) -> Value? {
        guard let value = value(index) else { return nil }
        do throws(TrackerError) {
            return try read(value)
        } catch {
            guard let fault = error.fault else { throw error.rpcError }
            throw self.fault(index, at: fault.key, fault.reason)
        }
    }

    /// The object of a parameter, if one was given.
    func properties(_ index: Int) -> Properties? { value(index).map { Properties(accepted: $0) } }

    /// The message id, if one was given.
    ///
    /// - Throws: INVALID_PARAMS if it is none.
    func messageID(_ index: Int) throws(RPCError) -> MessageID? {
        guard let text = optionalString(index) else { return nil }
        guard let id = MessageID(text) else {
            throw fault(index, .invalid(.messageID))
        }
        return id
    }

    /// A duration in milliseconds, if one was given.
    ///
    /// - Throws: INVALID_PARAMS if it is negative.
    func milliseconds(_ index: Int) throws(RPCError) -> Duration? {
        guard let count = integer(index) else { return nil }
        guard count >= 0 else { throw fault(index, .tooSmall(least: .integer(0), value: .integer(Int(count)))) }
        return .milliseconds(count)
    }

    /// The value of a required parameter that is a number.
    func requiredNumber(_ index: Int) throws(RPCError) -> Double {
        guard let number = try number(index) else { throw fault(index, .wrongKind(.number)) }
        return number
    }

    /// The value of a parameter that is one of a few words.
    ///
    /// - Throws: INVALID_PARAMS naming them.
    func word<Word: RawRepresentable<String> & CaseIterable>(_ index: Int) throws(RPCError) -> Word {
        let given = try text(index)
        guard let word = given.stringValue.flatMap(Word.init(rawValue:)) else {
            throw fault(index, .otherWord(of: Word.allCases.map(\.rawValue), given))
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
