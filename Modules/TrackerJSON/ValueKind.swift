/// What a value must be, as a word that does not change between versions.
package enum ValueKind: String, CaseIterable, Sendable {
    case string, id, number, integer, wholeNumber, milliseconds, boolean, timestamp
    case object, headers, stringOrObject, array, strings, messageIDs, statuses
    // Asked for by a client in another language alone.
    case function, plainFunction, logger, console, socket

    /// The words for it in a sentence.
    package var phrase: String {
        switch self {
        case .string: "a string"
        case .id: "a string or a whole number"
        case .number: "a number"
        case .integer: "an integer"
        case .wholeNumber: "a whole number"
        case .milliseconds: "a whole number of milliseconds"
        case .boolean: "a boolean"
        case .timestamp: "a date and time with its zone (ISO 8601), such as '2025-11-27T10:30:00.000Z'"
        case .object: "an object"
        case .headers: "an object of strings"
        case .stringOrObject: "a string or an object"
        case .array: "an array"
        case .strings: "an array of strings"
        case .messageIDs: "an array of message ids"
        case .statuses: "an array of statuses"
        case .function: "a function"
        case .plainFunction: "an ordinary function, and not `async`"
        case .logger: "a logger"
        case .console: "an object with one of the methods debug, info, warn and error"
        case .socket: "the path of a socket, 'auto' or `false`"
        }
    }
}

/// What can be wrong with a value before anyone knows what it is for. The texts are ``TextTemplate``s.
package enum ValueFault: String, Sendable {
    case required, wrongKind, unknown
    /// Half a surrogate pair in it is no character.
    case loneSurrogate
    /// It nests deeper than ``JSONText/maxDepth``, which is `most`.
    case tooDeep

    package var text: String {
        switch self {
        case .required: "'{option}' is required[ and must be {expected}][, such as {example}]"
        case .wrongKind:
            "['{option}'|It] must be {expected}[, such as {example}][, and is of type {given}]"
                + "[ (for '{value}' it is '{synonym}')| (did you mean '{suggestion}'?)|, not '{value}']"
        case .unknown:
            "'{option}' is not known[; did you mean '{suggestion}'?|.][ {others}][ There are: {known}.]"
        case .loneSurrogate: "['{option}'|It] holds half a surrogate pair, which is no character"
        case .tooDeep: "['{option}'|It] is nested more than {most} deep"
        }
    }

    /// What the text has marks for, whatever the value.
    package var facts: JSONObject {
        switch self {
        case .tooDeep: ["most": JSONValue(JSONText.maxDepth)]
        case .required, .wrongKind, .unknown, .loneSurrogate: [:]
        }
    }
}
