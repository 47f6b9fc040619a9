#if FoundationURL
    #if canImport(FoundationEssentials)
        public import FoundationEssentials
    #else
        public import Foundation
    #endif
#endif

/// A value that can be the id of a user, a visitor or a group: text, a whole number or a UUID.
///
/// A type of yours that conforms to it, such as a key of your database, can be given to calls as it is.
public protocol IDValue: IDGiven {
    /// The id as it is sent.
    var idText: String { get }
}

/// What an option that names a user, a visitor or a group can be given: an ``IDValue``, or an optional one.
///
/// You need not conform to it: an ``IDValue`` does.
public protocol IDGiven {
    /// What was given.
    var idOption: IDOption { get }
}

extension IDValue {
    /// The id.
    public var idOption: IDOption { .given(idText) }
}

extension Optional: IDGiven where Wrapped: IDValue {
    /// The id, or that there is none.
    public var idOption: IDOption { .given(self?.idText) }
}

extension IDValue where Self: StringProtocol {
    /// The characters.
    public var idText: String { String(self) }
}

extension IDValue where Self: BinaryInteger {
    /// The number in digits.
    public var idText: String { String(self) }
}

extension String: IDValue {}
extension Substring: IDValue {}
extension Int: IDValue {}
extension Int8: IDValue {}
extension Int16: IDValue {}
extension Int32: IDValue {}
extension Int64: IDValue {}
extension UInt: IDValue {}
extension UInt8: IDValue {}
extension UInt16: IDValue {}
extension UInt32: IDValue {}
extension UInt64: IDValue {}

#if FoundationURL
    extension UUID: IDValue {
        /// The UUID in upper case, as `uuidString` has it.
        public var idText: String { uuidString }
    }
#endif
